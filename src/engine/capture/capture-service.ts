import { type MessagePort, parentPort } from 'node:worker_threads';
import type { AgentEnv } from '../../../adapters/contract.ts';
import { AppFailure } from '../../shared/errors.ts';
import { RpcClient, serve } from '../store/rpc.ts';
import type { ImportRequest, ImportSummary } from './contract.ts';
import type { Adapters } from './find-sources.ts';
import { runImport } from './import-job.ts';
import { Outbox } from './outbox.ts';
import { SourceCapture, type StoreRpc } from './source-capture.ts';
import type { Watcher } from './watcher.ts';

/** The first message to a capture worker; a worker started ahead of its job waits for it. */
export interface CaptureWorkerData {
  /** port to the store's thread */
  store: MessagePort;
  agents: AgentEnv;
  redactionKey: Uint8Array;
}

export type CaptureMethods = ReturnType<typeof methodsOf>;

/** Answers the main thread's calls in this worker: one import, or a watch. Progress and events go out as messages. */
export function serveCaptures(adapters: Adapters): void {
  const port = parentPort as MessagePort;
  port.once('message', (data: CaptureWorkerData) => serve(port, methodsOf(port, data, adapters)));
}

function methodsOf(port: MessagePort, { store, agents, redactionKey }: CaptureWorkerData, adapters: Adapters) {
  const rpc: StoreRpc = new RpcClient(store);
  store.on('close', () => rpc.fail({ code: 'internal', message: 'The store was closed while a capture was running.' }));
  const captures = new SourceCapture(rpc, new Outbox(store), agents, redactionKey);
  const around = { adapters, env: agents, rpc, captures };
  const cancel = new AbortController();
  let watcher: Watcher | null = null;
  return {
    import: async (request: ImportRequest): Promise<ImportSummary> => {
      const onProgress = (progress: unknown) => port.postMessage({ progress });
      const result = await runImport({ ...around, onProgress, signal: cancel.signal }, request);
      if (!result.ok) throw new AppFailure(result.error);
      return result.value;
    },
    cancel: () => cancel.abort(),
    /** Starts to watch, or looks again at what is enabled. */
    watch: async () => {
      if (watcher === null) {
        // an import needs no file watcher, so it does not wait for one to load
        const { Watcher } = await import('./watcher.ts');
        watcher ??= new Watcher({ ...around, emit: (event) => port.postMessage({ event }) });
      }
      await watcher.refresh();
    },
    close: async () => {
      await watcher?.close();
    },
  };
}
