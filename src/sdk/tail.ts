import type { Engine } from '../engine/engine.ts';
import type { SessionEvent } from '../shared/events.ts';
import { orThrow } from './error.ts';

const PAGE = 500;

/** Events from a number on; where it waits for more, it ends when the signal is aborted. */
export async function* tailOf(
  engine: Engine,
  id: string,
  cursor: number,
  { wait, signal }: { wait: boolean; signal: AbortSignal },
): AsyncGenerator<SessionEvent, void, undefined> {
  const bell = new Bell();
  const ring = (): void => bell.ring();
  const unsubscribe = engine.subscribe((event) => {
    if (event.topic === 'missed' || (event.topic === 'session' && event.id === id)) ring();
  });
  signal.addEventListener('abort', ring, { once: true });
  try {
    for (let next = cursor; !signal.aborted; ) {
      // asked for before the store is read, so that nothing falls between
      const rung = bell.next();
      const page = orThrow(await engine.local.tail(id, next, PAGE));
      for (const event of page.events) {
        if (signal.aborted) return;
        yield event;
      }
      if (page.events.length === 0) {
        if (!wait) return;
        await rung;
      }
      next = page.next;
    }
  } finally {
    unsubscribe();
    signal.removeEventListener('abort', ring);
  }
}

/** A promise for the next ring. */
class Bell {
  #next = Promise.withResolvers<void>();

  next(): Promise<void> {
    return this.#next.promise;
  }

  ring(): void {
    const rung = this.#next;
    this.#next = Promise.withResolvers<void>();
    rung.resolve();
  }
}
