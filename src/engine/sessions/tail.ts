import { fail, ok, type Result } from '../../shared/errors.ts';
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

/** At most `limit` events (1000 at once) from `from` on. Errors: `invalid_request`. */
export async function tail({ reader }: Store, row: SessionRow, from: number, limit: number): Promise<Result<Tail>> {
  if (!isCount(from)) return refused('cursor', from);
  if (!isCount(limit)) return refused('limit', limit);
  const events = from < row.events ? await reader.events(row.id, from, limit) : [];
  const last = events.at(-1)?.seq;
  // what was written while it was read counts too
  const known = Math.max(row.events, (last ?? -1) + 1);
  return ok({ session: row.id, events, next: last === undefined ? from : last + 1, head_seq: known - 1 });
}

const isCount = (n: number): boolean => Number.isSafeInteger(n) && n >= 0;

const refused = (path: string, value: unknown): Result<never> =>
  fail('invalid_request', `${path}: a whole number from 0 on is wanted, not ${String(value)}.`, { path });
