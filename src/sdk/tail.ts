import type { SessionEvent } from '../shared/events.ts';

type Page = (from: number) => Promise<{ events: SessionEvent[]; next: number }>;

/** Events from a number on to the last one that is there, page by page; returns where to go on. */
async function* pages(page: Page, from: number, signal: AbortSignal): AsyncGenerator<SessionEvent, number, undefined> {
  for (let at = from; ; ) {
    const read = await page(at).catch((error: unknown) => {
      // a store that is closed ends what still reads it
      if (signal.aborted) return null;
      throw error;
    });
    if (read === null) return at;
    const { events, next } = read;
    for (const event of events) {
      if (signal.aborted) return event.seq;
      yield event;
    }
    if (events.length === 0 || signal.aborted) return next;
    at = next;
  }
}

interface Tail {
  page: Page;
  from: number;
  signal: AbortSignal;
  /** calls back whenever anything was written; absent: it ends at the last event that is there */
  follow?: (onChange: () => void) => Promise<() => void>;
}

/** Events from a number on, and where it follows those that come, until the signal is aborted. */
export async function* tailOf({ page, from, signal, follow }: Tail): AsyncGenerator<SessionEvent, void, undefined> {
  const bell = new Bell();
  const ring = (): void => bell.ring();
  const unfollow = await follow?.(ring);
  signal.addEventListener('abort', ring, { once: true });
  try {
    for (let next = from; !signal.aborted; ) {
      // asked for before the store is read, so that nothing falls between
      const rung = bell.next();
      next = yield* pages(page, next, signal);
      if (unfollow === undefined) return;
      await rung;
    }
  } finally {
    unfollow?.();
    signal.removeEventListener('abort', ring);
  }
}

/** A promise for the next ring. */
class Bell {
  #waiting: (() => void)[] = [];

  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  ring(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
