import { Worker } from 'node:worker_threads';
import type { AppEvent } from '../../shared/api.ts';
import { type AppError, AppFailure, fail, ok, type Result, toAppError } from '../../shared/errors.ts';
import type { Store } from '../store/contract.ts';
import { RpcClient } from '../store/rpc.ts';
import { workerUrl } from '../worker-url.ts';
import type { CaptureMethods, CaptureWorkerData } from './capture-service.ts';
import type { Capture, CaptureEnv, ImportProgress, ImportSummary } from './contract.ts';

/**
 * Heap of a capture worker. Kept small, since V8 else lets it grow for nothing; a session with a line of many megabytes
 * that needs more gets it at the next try.
 */
const HEAPS = [
  { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 24 },
  { maxOldGenerationSizeMb: 224, maxYoungGenerationSizeMb: 24 },
  {},
] as const;

const MAX_RESTARTS = 5;

const WORKER = workerUrl(import.meta.url, './capture-worker.ts');

/** `size`: which of the heaps; there is none behind the last. */
const startWorker = (url: URL, size: number) =>
  new Worker(url, { resourceLimits: { ...(HEAPS[size] ?? {}) }, name: 'capture' });

let prepared: Worker | null = null;

/**
 * For programs that know at their start that they will import: starts the worker while keys and store are still being
 * opened. It does not keep the process alive.
 */
export function prepareCapture(): void {
  prepared ??= startWorker(WORKER, 0);
  prepared.unref();
}

/** The prepared worker, once, or a new one. */
function takeWorker(url: URL, size: number): Worker {
  if (prepared === null || url !== WORKER || size > 0) return startWorker(url, size);
  const worker = prepared;
  prepared = null;
  worker.ref();
  return worker;
}

/** Captures into an open store. Workers start with the first call and end with their job. */
export function createCapture(store: Store, env: CaptureEnv, worker = WORKER): Capture {
  const start = (size: number) => new CaptureWorker(store, env, worker, size);
  return {
    import: async (request, onProgress = () => {}, signal) => {
      for (let size = 0; ; size++) {
        if (signal?.aborted === true) return cancelled;
        const result = await importIn(start(size), request, onProgress, signal);
        // what was committed by then is found unchanged by the next try
        if (!isOutOfMemory(result) || size === HEAPS.length - 1) return result;
      }
    },
    watch: (onEvent) => watch(store, start, onEvent),
  };
}

const cancelled = fail('cancelled', 'The import was cancelled before it was done.');

const isOutOfMemory = (result: Result<unknown>): boolean =>
  !result.ok && result.error.details?.cause === 'ERR_WORKER_OUT_OF_MEMORY';

async function importIn(
  worker: CaptureWorker,
  request: Parameters<Capture['import']>[0],
  onProgress: (progress: ImportProgress) => void,
  signal: AbortSignal | undefined,
): Promise<Result<ImportSummary>> {
  worker.onProgress = onProgress;
  const cancel = () => void worker.rpc.call('cancel').catch(() => {});
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    return ok(await worker.rpc.call('import', request));
  } catch (thrown) {
    return { ok: false, error: toAppError(thrown) };
  } finally {
    signal?.removeEventListener('abort', cancel);
    await worker.end();
  }
}

async function watch(
  store: Store,
  start: (size: number) => CaptureWorker,
  onEvent: (event: AppEvent) => void,
): ReturnType<Capture['watch']> {
  const lease = await store.writer.lease('watch');
  if (!lease.ok) return lease;
  if ('heldBy' in lease.value) return ok(lease.value);
  const { release } = lease.value;
  let worker = start(0);
  let closed = false;
  const run = async (): Promise<Result<void>> => {
    worker.onEvent = onEvent;
    try {
      return ok(await worker.rpc.call('watch'));
    } catch (thrown) {
      return { ok: false, error: toAppError(thrown) };
    }
  };
  let restarts = 0;
  /** A worker that dies is started again, with more memory; not for ever. */
  const guard = (of: CaptureWorker): void => {
    void of.died.then(() => {
      if (closed || restarts++ >= MAX_RESTARTS) return;
      worker = start(restarts);
      guard(worker);
      void run();
    });
  };
  guard(worker);
  const started = await run();
  const close = async () => {
    closed = true;
    await worker.end();
    await release();
  };
  if (!started.ok && !isOutOfMemory(started)) {
    await close();
    return started;
  }
  return ok({ refresh: async () => void (await run()), close });
}

/** A capture worker as its starter sees it. */
class CaptureWorker {
  readonly rpc: RpcClient<CaptureMethods>;
  /** resolves when the worker ended by itself */
  readonly died: Promise<void>;
  onProgress: (progress: ImportProgress) => void = () => {};
  onEvent: (event: AppEvent) => void = () => {};
  private readonly worker: Worker;

  constructor(store: Store, env: CaptureEnv, url: URL, size: number) {
    const port = store.connect();
    const data: CaptureWorkerData = { store: port, agents: env.agents, redactionKey: env.redactionKey };
    this.worker = takeWorker(url, size);
    this.worker.postMessage(data, [port]);
    this.rpc = new RpcClient(this.worker);
    this.worker.on('message', (message: { progress?: ImportProgress; event?: AppEvent }) => {
      if (message.progress !== undefined) this.onProgress(message.progress);
      if (message.event !== undefined) this.onEvent(message.event);
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.died = promise;
    this.worker.on('error', (thrown) => {
      this.rpc.fail(workerError(thrown));
      resolve();
    });
    this.worker.on('exit', () => this.rpc.fail({ code: 'internal', message: 'The capture ended early. Try again.' }));
  }

  async end(): Promise<void> {
    await this.rpc.call('close').catch(() => {});
    await this.worker.terminate();
  }
}

function workerError(thrown: unknown): AppError {
  const code = (thrown as { code?: unknown }).code;
  if (code !== 'ERR_WORKER_OUT_OF_MEMORY') return toAppError(thrown);
  const message = 'Reading a session took more memory than there is. Import it by --path, and please report it.';
  return new AppFailure({ code: 'internal', message, details: { cause: code } }).error;
}
