import { asCopyOf } from '../../core/view/copies.ts';
import { SummaryProjector } from '../../core/view/summary.ts';
import type { SessionEvent } from '../../shared/events.ts';
import type { Inherited, StoreReader } from '../store/contract.ts';

/** What a fork goes on from, with the last event of it. */
export interface ForkPoint {
  inherits: Inherited;
  at: SessionEvent;
}

/**
 * Everything a session said up to and including an event, as a fork knows it: its usage counts in the session itself. Reads
 * those events once, a stretch at a time. Null = there is no such event.
 */
export async function forkPoint(reader: StoreReader, session: string, seq: number): Promise<ForkPoint | null> {
  const projector = new SummaryProjector();
  let at: SessionEvent | null = null;
  for await (const events of reader.stream(session)) {
    for (const event of events) {
      if (event.seq > seq) break;
      projector.add(event.seq, asCopyOf(event, session));
      at = event;
    }
    if (at !== null && at.seq >= seq) break;
  }
  if (at?.seq !== seq) return null;
  return { inherits: { session, events: seq + 1, tip: projector.tip, summary: projector.save() }, at };
}

/** What the fork with this first event goes on from; null when it is no fork of ours, or that session is not here whole. */
export async function inheritedOf(reader: StoreReader, first: SessionEvent): Promise<Inherited | null> {
  const { from_session, from_seq, from_checksum } = first.payload;
  if (first.type !== 'session.fork' || typeof from_session !== 'string' || typeof from_seq !== 'number') return null;
  if (typeof from_checksum !== 'string') return null;
  const from = await reader.session(from_session);
  if (from === null || from_seq >= from.events) return null;
  const point = await forkPoint(reader, from_session, from_seq);
  return point?.at.checksum === from_checksum ? point.inherits : null;
}
