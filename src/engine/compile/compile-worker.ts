import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { readerOf } from '../store/client.ts';
import { RpcClient, serve } from '../store/rpc.ts';
import type { StoreService } from '../store/store-service.ts';
import { compilerOf } from './compiler.ts';

/** Entry of a compile's thread: reads the store over its own port, and answers. */

const store = workerData as MessagePort;
const rpc = new RpcClient<ReturnType<StoreService['captureMethods']>>(store);
const port = parentPort as MessagePort;
store.on('close', () => {
  rpc.fail({ code: 'internal', message: 'The store was closed while a page was compiled.' });
  port.close();
});
serve(port, { ...compilerOf(readerOf(rpc)) });
