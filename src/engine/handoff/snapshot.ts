import type { SessionIndex } from '../../core/view/flags.ts';
import { modelOrder, readSpecial, type Special, specialSeqs } from '../../core/view/model.ts';
import { AppFailure } from '../../shared/errors.ts';
import type { SessionEvent } from '../../shared/events.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { StoreReader } from '../store/contract.ts';

/** The log of a session at one moment. It only grows, so numbers and order stay true while the handoff runs. */
export interface Snapshot {
  row: SessionRow;
  index: SessionIndex;
  special: Special;
  /** model view: seqs as the agent itself would send them */
  order: Uint32Array;
  head: { seq: number; checksum: string };
  /** events of a part of the order */
  read(order: Uint32Array): AsyncGenerator<SessionEvent>;
}

/** `at`: as it stood when that was the last event; default: as it stands. */
export async function takeSnapshot(reader: StoreReader, id: string, at?: number): Promise<Snapshot> {
  const row = await reader.session(id);
  if (!row) throw new AppFailure({ code: 'not_found', message: `The session ${id} is no longer in the store.` });
  const whole = await reader.index(id);
  const index = at === undefined ? whole : { ...whole, n: Math.min(whole.n, at + 1) };
  const seqs = specialSeqs(index);
  const events = await reader.eventsAt(id, [...seqs, ...(index.n > 0 ? [index.n - 1] : [])]);
  const last = events.at(-1);
  const special = readSpecial(events.slice(0, seqs.length));
  const order = modelOrder(index, special);
  return {
    row,
    index,
    special,
    order,
    head: { seq: index.n - 1, checksum: last?.checksum ?? '' },
    read: async function* (part) {
      for await (const events of reader.pick(id, part)) yield* events;
    },
  };
}
