import { Worker } from 'node:worker_threads';
import { type AppError, AppFailure, toAppError } from '../../shared/errors.ts';
import { RpcClient } from '../store/rpc.ts';
import { workerUrl } from '../worker-url.ts';
import type { SearchService, SearchServiceOptions } from './search-service.ts';

/** Calls to the search's thread. */
export type SearchClient = RpcClient<ReturnType<SearchService['methods']>>;

const BUSY_MS = 5000;

/** The worker, started when it is needed and again when it died. */
export class SearchThread {
  private readonly data: SearchServiceOptions;
  private opening: Promise<{ worker: Worker; client: SearchClient }> | null = null;
  private closed = false;

  constructor({ home, key }: Pick<SearchServiceOptions, 'home' | 'key'>) {
    this.data = { home, key, busyMs: BUSY_MS };
  }

  async client(): Promise<SearchClient> {
    if (this.closed)
      throw new AppFailure({ code: 'internal', message: 'The search was closed. Open the store again.' });
    this.opening ??= this.open();
    try {
      return (await this.opening).client;
    } catch (thrown) {
      this.opening = null;
      throw thrown;
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    const opened = await this.opening?.catch(() => null);
    await opened?.client.call('close').catch(() => {});
    await opened?.worker.terminate();
  }

  private async open(): Promise<{ worker: Worker; client: SearchClient }> {
    const worker = new Worker(workerUrl(import.meta.url, './search-worker.ts'), {
      workerData: this.data,
      name: 'search',
    });
    const first = await new Promise<{ opened: true } | { opened: false; error: AppError }>((resolve) => {
      worker.once('message', resolve);
      worker.once('error', (thrown) => resolve({ opened: false, error: toAppError(thrown) }));
    });
    if (!first.opened) {
      await worker.terminate();
      throw new AppFailure(first.error);
    }
    const client: SearchClient = new RpcClient(worker);
    const gone = (error: AppError) => {
      client.fail(error);
      this.opening = null;
    };
    worker.on('error', (thrown) => gone(toAppError(thrown)));
    worker.on('exit', () => gone({ code: 'internal', message: 'The search was closed. Search again.' }));
    return { worker, client };
  }
}
