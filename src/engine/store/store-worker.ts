import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { serve } from './rpc.ts';
import { storeError } from './store-errors.ts';
import { StoreService, type StoreServiceOptions } from './store-service.ts';

/** Entry of the store's thread: opens the store, then answers the client and every connected capture worker. */

const port = parentPort as MessagePort;
try {
  const service = new StoreService(workerData as StoreServiceOptions);
  serve(port, service.clientMethods(), storeError);
  port.on('message', (message: unknown) => {
    if (!isConnect(message)) return;
    serve(message.connect, service.captureMethods(message.connect), storeError);
  });
  port.postMessage({ opened: true });
} catch (thrown) {
  port.postMessage({ opened: false, error: storeError(thrown) });
}

function isConnect(message: unknown): message is { connect: MessagePort } {
  return typeof message === 'object' && message !== null && 'connect' in message;
}
