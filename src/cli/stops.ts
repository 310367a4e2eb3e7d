import { type AppError, exitCodeOf, fail } from '../shared/errors.ts';
import type { CliIo } from './io.ts';

/** Numbers that shells add to 128 when a signal ended a program. SIGHUP is left alone, so that nohup works. */
const SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const;
type Signal = keyof typeof SIGNALS;

/** How a stream says that nobody reads it any more. */
const READER_GONE = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED'];

/** What can end a command before it is done: Ctrl-C and its like, and a reader of stdout that goes away or a full disk. */
export interface Stops {
  /** aborted by the first of them, its name as reason; long work looks at it and leaves nothing half-written */
  readonly signal: AbortSignal;
  /** true: nobody reads any more (`| head -1`, `q` in a pager), so there is nothing left to say */
  readonly readerGone: boolean;
  /** Another program has the terminal while `work` runs: Ctrl-C is for it alone. */
  lend<T>(work: Promise<T>): Promise<T>;
  /** The exit code of a command that ended with `code`, and what is still to be said. */
  end(code: number): { code: number; error?: AppError };
  release(): void;
}

export function watchStops(io: CliIo): Stops {
  const abort = new AbortController();
  let lent = 0;
  let by: Signal | 'reader' | AppError | null = null;
  const stop = (reason: NonNullable<typeof by>): void => {
    by ??= reason;
    abort.abort(reason);
  };
  const onSignal = (signal: Signal): void => {
    // who asks twice does not want to wait
    if (abort.signal.aborted && by !== 'reader' && lent === 0) process.exit(128 + SIGNALS[signal]);
    stop(signal);
  };
  const onError = ({ code, message }: NodeJS.ErrnoException): void =>
    stop(
      READER_GONE.includes(code ?? '')
        ? 'reader'
        : fail('write_failed', `The output could not be written: ${message}.`).error,
    );
  const names = Object.keys(SIGNALS) as Signal[];
  for (const name of names) process.on(name, onSignal);
  io.stdout.on('error', onError);
  return {
    signal: abort.signal,
    get readerGone() {
      return by === 'reader';
    },
    lend: async (work) => {
      lent++;
      return work.finally(() => lent--);
    },
    end: (code) => {
      if (by === null) return { code };
      if (typeof by === 'object') return { code: code === 0 ? exitCodeOf(by.code) : code, error: by };
      if (code !== exitCodeOf('cancelled')) return { code };
      return { code: by === 'reader' ? 0 : 128 + SIGNALS[by] };
    },
    release: () => {
      for (const name of names) process.off(name, onSignal);
      io.stdout.off('error', onError);
    },
  };
}
