import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { serve } from '../store/rpc.ts';
import { storeError } from '../store/store-errors.ts';
import { SearchService, type SearchServiceOptions } from './search-service.ts';

/** Entry of the search's thread: opens the store for itself, then answers. */

const port = parentPort as MessagePort;
try {
  const service = new SearchService(workerData as SearchServiceOptions);
  serve(port, service.methods(), storeError);
  port.postMessage({ opened: true });
} catch (thrown) {
  port.postMessage({ opened: false, error: storeError(thrown) });
}
