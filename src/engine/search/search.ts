import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type AppError, AppFailure, toAppError } from '../../shared/errors.ts';
import type { SearchIndexState } from '../../shared/search.ts';
import type { Store } from '../store/contract.ts';
import { RpcClient } from '../store/rpc.ts';
import { workerUrl } from '../worker-url.ts';
import type { CatchUp, SearchEngine } from './contract.ts';
import type { SearchService, SearchServiceOptions } from './search-service.ts';

export interface SearchOptions {
  home: string;
  /** the store's key */
  key: Uint8Array;
  /** for the lease of who indexes */
  store: Pick<Store, 'writer'>;
  /** nothing is indexed in the background meanwhile */
  importing: () => boolean;
}

type Client = RpcClient<ReturnType<SearchService['methods']>>;
type Told = (state: SearchIndexState) => void;

const BUSY_MS = 5000;
/** Where nobody waits, indexing rests for so many times as long as it worked. */
const REST = 2;
/** New events are gathered for so long. */
const SOON_MS = 2000;
const IMPORTING_MS = 1000;
/** How often another process's progress is looked at. */
const LOOK_MS = 200;

/** Search over an open store. Its thread is started by the first call. */
export function createSearch(options: SearchOptions): SearchEngine {
  const thread = new Thread(options);
  const indexing = new Indexing(options, thread);
  return {
    search: async (query) => (await thread.client()).call('search', query),
    state: async () => (await (await thread.client()).call('look')).state,
    catchUp: (waitMs, how = {}) => indexing.catchUp(waitMs, how),
    somethingNew: () => indexing.soon(),
    close: async () => {
      await indexing.close();
      await thread.close();
    },
  };
}

/** The worker, started when it is needed and again when it died. */
class Thread {
  private readonly data: SearchServiceOptions;
  private opening: Promise<{ worker: Worker; client: Client }> | null = null;

  constructor({ home, key }: SearchOptions) {
    this.data = { home, key, busyMs: BUSY_MS };
  }

  async client(): Promise<Client> {
    this.opening ??= this.open();
    try {
      return (await this.opening).client;
    } catch (thrown) {
      this.opening = null;
      throw thrown;
    }
  }

  async close(): Promise<void> {
    const opened = await this.opening?.catch(() => null);
    await opened?.client.call('close').catch(() => {});
    await opened?.worker.terminate();
  }

  private async open(): Promise<{ worker: Worker; client: Client }> {
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
    const client: Client = new RpcClient(worker);
    const gone = (error: AppError) => {
      client.fail(error);
      this.opening = null;
    };
    worker.on('error', (thrown) => gone(toAppError(thrown)));
    worker.on('exit', () => gone({ code: 'internal', message: 'The search was closed. Search again.' }));
    return { worker, client };
  }
}

/** Brings the index up to date: at once while somebody waits, else a little at a time. One process does it, by a lease. */
class Indexing {
  private readonly options: SearchOptions;
  private readonly thread: Thread;
  private readonly waiting = new Set<Told>();
  private running: Promise<void> | null = null;
  private timer: NodeJS.Timeout | undefined;
  private readonly ending = new AbortController();

  constructor(options: SearchOptions, thread: Thread) {
    this.options = options;
    this.thread = thread;
  }

  async catchUp(waitMs: number, { onProgress = () => {}, signal }: CatchUp): Promise<SearchIndexState> {
    const client = await this.thread.client();
    const { done, state } = await client.call('look');
    if (done || this.ending.signal.aborted) return state;
    const work = this.run();
    if (state.complete || waitMs === 0) return state;
    this.waiting.add(onProgress);
    onProgress(state);
    const over = new AbortController();
    const ends = AbortSignal.any([over.signal, ...(signal === undefined ? [] : [signal])]);
    await Promise.race([work, sleep(waitMs, undefined, { signal: ends, ref: false }).catch(() => {})]);
    over.abort();
    this.waiting.delete(onProgress);
    return (await client.call('look')).state;
  }

  soon(): void {
    if (this.timer !== undefined || this.ending.signal.aborted) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.run();
    }, SOON_MS);
    this.timer.unref();
  }

  async close(): Promise<void> {
    this.ending.abort();
    clearTimeout(this.timer);
    await this.running;
  }

  private run(): Promise<void> {
    // what cannot be indexed now is said by the state, and tried again at the next occasion
    this.running ??= this.work()
      .catch(() => {})
      .finally(() => {
        this.running = null;
      });
    return this.running;
  }

  private async work(): Promise<void> {
    const client = await this.thread.client();
    for (;;) {
      const lease = await this.options.store.writer.lease('search');
      if (!lease.ok) return;
      if ('release' in lease.value) {
        try {
          return await this.steps(client);
        } finally {
          await lease.value.release();
        }
      }
      // another process does it: whoever waits here waits for that one
      const { done, state } = await client.call('look');
      for (const told of this.waiting) told(state);
      if (done || this.waiting.size === 0 || !(await this.rest(LOOK_MS))) return;
    }
  }

  private async steps(client: Client): Promise<void> {
    while (!this.ending.signal.aborted) {
      if (this.waiting.size === 0 && this.options.importing()) {
        await this.rest(IMPORTING_MS);
        continue;
      }
      const start = performance.now();
      const { done, state } = await client.call('step');
      for (const told of this.waiting) told(state);
      if (done) return;
      if (this.waiting.size === 0) await this.rest(REST * (performance.now() - start));
    }
  }

  /** False when the search is being closed. */
  private async rest(ms: number): Promise<boolean> {
    await sleep(ms, undefined, { signal: this.ending.signal, ref: false }).catch(() => {});
    return !this.ending.signal.aborted;
  }
}
