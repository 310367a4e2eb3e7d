import type { StoreReader } from '../store/contract.ts';

const turns = new WeakMap<StoreReader, Map<string, Promise<unknown>>>();

/** Does work on one session after what was asked for before it: what one learns (a secret's number), the next one knows. */
export function inTurn<T>(reader: StoreReader, session: string, work: () => Promise<T>): Promise<T> {
  const waiting = turns.get(reader) ?? new Map<string, Promise<unknown>>();
  turns.set(reader, waiting);
  const turn = (waiting.get(session) ?? Promise.resolve()).then(work, work);
  waiting.set(session, turn);
  const done = (): void => {
    if (waiting.get(session) === turn) waiting.delete(session);
  };
  turn.then(done, done);
  return turn;
}
