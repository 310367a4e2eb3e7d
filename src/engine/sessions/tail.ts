import type { SessionEvent } from '../../shared/events.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { Store } from '../store/contract.ts';

/** Events from a place on, as they are at this moment. */
export interface Tail {
  session: string;
  events: SessionEvent[];
  /** where to read on */
  next: number;
  /** number of the session's last event; -1 = it has none */
  head_seq: number;
}

/** At most `limit` events (1000 at once) from `from` on. */
export async function tail({ reader }: Store, row: SessionRow, from: number, limit: number): Promise<Tail> {
  const events = from < row.events ? await reader.events(row.id, from, limit) : [];
  const next = events.length === 0 ? from : (events.at(-1) as SessionEvent).seq + 1;
  return { session: row.id, events, next, head_seq: Math.max(row.events, next) - 1 };
}
