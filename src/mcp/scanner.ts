import type { ImportProgress } from '../engine/capture/contract.ts';
import type { Engine } from '../engine/engine.ts';
import type { AppError } from '../shared/errors.ts';

/** How long a call waits for sessions to be read. Clients give up on a call after 30 seconds and more. */
const WAIT_MS = 10_000;

/** Errors that keep new sessions from being read, but not the known ones from being shown. */
const STILL_READABLE: ReadonlySet<string> = new Set(['store_busy', 'store_full', 'store_read_only']);

/** Who waits for it: a call of a tool. */
interface Waiting {
  signal: AbortSignal;
  progress(done: number, total: number, text: string): void;
}

/** What a reading came to: `note` says what the answer may lack; `error` is why nothing can be answered at all. */
export interface Scanned {
  note?: string;
  error?: AppError;
}

/** Reads what is new in the enabled sources, once at a time, whoever asks. */
export class Scanner {
  readonly #engine: Engine;
  readonly #waitMs: number;
  readonly #abort = new AbortController();
  readonly #watching = new Set<(progress: ImportProgress) => void>();
  #running: Promise<AppError | null> | null = null;

  constructor(engine: Engine, waitMs = WAIT_MS) {
    this.#engine = engine;
    this.#waitMs = waitMs;
  }

  /** What one call reads. */
  reading(call: Waiting): Reading {
    return new Reading(this, call, this.#waitMs);
  }

  /**
   * Waits until all is read, but not for long: a first reading of many sessions goes on behind the answer. `error`: there
   * is no store, or no key.
   */
  async scan(call: Waiting, waitMs = this.#waitMs): Promise<Scanned> {
    let last: ImportProgress | null = null;
    const tell = (progress: ImportProgress): void => {
      last = progress;
      call.progress(progress.done, progress.total, `Reading ${progress.done} of ${progress.total} sources`);
    };
    this.#watching.add(tell);
    const enough = stopwatch(waitMs, call.signal);
    try {
      const ended = await Promise.race([this.#start(), enough.over]);
      if (ended === 'over') return { note: unfinished(last) };
      if (ended === null) return {};
      if (STILL_READABLE.has(ended.code)) return { note: `Nothing new was read: ${ended.message}` };
      return { error: ended };
    } finally {
      enough.stop();
      this.#watching.delete(tell);
    }
  }

  /** Ends a reading that goes on. */
  async close(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  #start(): Promise<AppError | null> {
    this.#running ??= this.#engine.local
      .import(
        {},
        (progress) => {
          for (const tell of this.#watching) tell(progress);
        },
        this.#abort.signal,
      )
      .then((done) => (done.ok ? null : done.error))
      .finally(() => {
        this.#running = null;
      });
    return this.#running;
  }
}

/** Reads for one call, which may look several times and waits no longer for all of that than for once. */
export class Reading {
  readonly #scanner: Scanner;
  readonly #call: Waiting;
  readonly #waitMs: number;
  #end: number | null = null;
  #last: Scanned | null = null;

  constructor(scanner: Scanner, call: Waiting, waitMs: number) {
    this.#scanner = scanner;
    this.#call = call;
    this.#waitMs = waitMs;
  }

  /** What the answer may lack, as far as it was looked. */
  get note(): string | undefined {
    return this.#last?.note;
  }

  /** Reads what is new, if this call has not done so yet. */
  async once(): Promise<Scanned> {
    return this.#last ?? this.again();
  }

  /** Reads what has come since; not after a reading that did not come to its end. */
  async again(): Promise<Scanned> {
    const now = performance.now();
    this.#end ??= now + this.#waitMs;
    if (this.#last === null || Object.keys(this.#last).length === 0)
      this.#last = await this.#scanner.scan(this.#call, Math.max(0, this.#end - now));
    return this.#last;
  }
}

function unfinished(progress: ImportProgress | null): string {
  const where = progress === null ? '' : ` (${progress.done} of ${progress.total} sources)`;
  return `Sessions are still being read${where}: the newest ones may be missing. Ask again in a while.`;
}

function stopwatch(ms: number, signal: AbortSignal): { over: Promise<'over'>; stop(): void } {
  let end = (): void => {};
  const over = new Promise<'over'>((resolve) => {
    end = () => resolve('over');
  });
  const timer = setTimeout(end, ms);
  signal.addEventListener('abort', end, { once: true });
  return {
    over,
    stop: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    },
  };
}
