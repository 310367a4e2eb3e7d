import { setTimeout as sleep } from 'node:timers/promises';
import type { SearchIndexState } from '../../shared/search.ts';
import type { Store } from '../store/contract.ts';
import type { CatchUp } from './contract.ts';
import type { SearchClient, SearchThread } from './search-thread.ts';

export interface IndexingOptions {
  /** for the lease of who indexes */
  store: Pick<Store, 'writer'>;
  /** nothing is indexed in the background meanwhile */
  importing: () => boolean;
}

type Told = (state: SearchIndexState) => void;

/** Where nobody waits, indexing rests for so many times as long as it worked. */
const REST = 2;
/** New events are gathered for so long. */
const SOON_MS = 2000;
const IMPORTING_MS = 1000;
/** How often another process's progress is looked at. */
const LOOK_MS = 200;

/** Brings the index up to date: at once while somebody waits, else a little at a time. One process does it, by a lease. */
export class Indexing {
  private readonly options: IndexingOptions;
  private readonly thread: SearchThread;
  private readonly waiting = new Set<Told>();
  private running: Promise<void> | null = null;
  private timer: NodeJS.Timeout | undefined;
  private readonly ending = new AbortController();

  constructor(options: IndexingOptions, thread: SearchThread) {
    this.options = options;
    this.thread = thread;
  }

  async catchUp(waitMs: number, { onProgress = () => {}, signal }: CatchUp): Promise<SearchIndexState> {
    const client = await this.thread.client();
    const over = new AbortController();
    const ends = AbortSignal.any([over.signal, this.ending.signal, ...(signal === undefined ? [] : [signal])]);
    const timer = setTimeout(() => over.abort(), waitMs).unref();
    const told: Told = (state) => onProgress(state);
    try {
      for (let before = -1; ; ) {
        const { done, state } = await client.call('look');
        // without any progress there is nothing to wait for: the store is busy, or a log cannot be read
        if (done || this.ending.signal.aborted || state.events === before) return state;
        const work = this.run();
        if (state.complete || waitMs === 0 || ends.aborted) return state;
        before = state.events;
        this.waiting.add(told);
        told(state);
        await Promise.race([work, aborted(ends)]);
      }
    } finally {
      clearTimeout(timer);
      this.waiting.delete(told);
    }
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

  private async steps(client: SearchClient): Promise<void> {
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

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
