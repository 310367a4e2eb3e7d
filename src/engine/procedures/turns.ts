import { TurnLedger } from '../../core/view/turns.ts';
import { ok } from '../../shared/errors.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { Turn } from '../../shared/turns.ts';
import type { StoreReader } from '../store/contract.ts';
import { type HandlersOf, resolveSession, withHome } from './context.ts';
import { Kept } from './kept.ts';
import { viewOf } from './view.ts';

/** The turns of a session: for charts, the skimming view, and graphs. */
export const turnProcedures: HandlersOf<'sessions.turns'> = {
  'sessions.turns': (context, { id, from, limit }) =>
    withHome(context, async ({ store }) => {
      const session = await resolveSession(store.reader, id);
      if (!session.ok) return session;
      const ledger = await ledgerOf(store.reader, session.value);
      const { sight } = await viewOf(store.reader, session.value);
      const turns = ledger.turns(sight.active, from, limit);
      return ok({ total: ledger.length, head_seq: ledger.n - 1, turns });
    }),
};

/** All turns of a session; `active` as for `TurnLedger.turns`. */
export async function turnsOf(reader: StoreReader, row: SessionRow, active: Uint8Array): Promise<Turn[]> {
  return (await ledgerOf(reader, row)).turns(active);
}

interface Growth {
  ledger: TurnLedger;
  /** the reading that is under way, or the last one: each goes on where the one before it ended */
  reading: Promise<unknown>;
}

/** A family can be large, and one member that grows must not have the others read again. */
const kept = new Kept<Growth>(300);

/** The ledger, read up to the session's head; what was read before is not read again. */
async function ledgerOf(reader: StoreReader, row: SessionRow): Promise<TurnLedger> {
  const growth =
    kept.get(reader, row.id) ?? kept.set(reader, row.id, { ledger: new TurnLedger(), reading: Promise.resolve() });
  const { ledger } = growth;
  const read = growth.reading
    .catch(() => undefined)
    .then(async () => {
      if (ledger.n >= row.events) return;
      for await (const events of reader.stream(row.id, ledger.n)) for (const event of events) ledger.add(event);
    });
  growth.reading = read;
  await read;
  return ledger;
}
