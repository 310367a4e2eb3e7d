import type { SessionIndex } from '../../core/view/flags.ts';
import { readSpecial, specialSeqs } from '../../core/view/model.ts';
import { buildRows, type Sight, sightOf } from '../../core/view/rows.ts';
import { pageSeqs, RowPlan } from '../../core/view/transcript.ts';
import type { Output } from '../../shared/api.ts';
import { fail, ok } from '../../shared/errors.ts';
import type { SessionEvent } from '../../shared/events.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { StoreReader } from '../store/contract.ts';
import { type HandlersOf, resolveSession, withHome } from './context.ts';

/** Display rows of a session, a page at a time. */
export const transcriptProcedures: HandlersOf<'transcript.open' | 'transcript.rows' | 'transcript.locate'> = {
  'transcript.open': (context, { id, from, limit }) =>
    withHome(context, async ({ store }) => {
      const session = await resolveSession(store.reader, id);
      if (!session.ok) return session;
      const view = await viewOf(store.reader, session.value);
      const { prompts, replies, tools, errors } = view.plan;
      const page = await pageOf(
        store.reader,
        session.value.id,
        view,
        from ?? Math.max(0, view.plan.rows - limit),
        limit,
      );
      return ok({ session: session.value, jumps: { prompts, replies, tools, errors }, page });
    }),
  'transcript.rows': (context, { id, from, limit }) =>
    withHome(context, async ({ store }) => {
      const session = await resolveSession(store.reader, id);
      if (!session.ok) return session;
      return ok(await pageOf(store.reader, session.value.id, await viewOf(store.reader, session.value), from, limit));
    }),
  'transcript.locate': (context, { id, seq }) =>
    withHome(context, async ({ store }) => {
      const session = await resolveSession(store.reader, id);
      if (!session.ok) return session;
      const { plan } = await viewOf(store.reader, session.value);
      const ordinal = plan.rowOf[seq];
      if (ordinal === undefined || seq >= plan.n)
        return fail('not_found', `There is no event ${seq}: this session has events 0 to ${plan.n - 1}.`);
      return ok({ ordinal });
    }),
};

interface View {
  index: SessionIndex;
  sight: Sight;
  plan: RowPlan;
}

/** Plans of the sessions looked at last, by store: a growing session's plan is extended and never made anew. */
const kept = new WeakMap<StoreReader, Map<string, View>>();
const KEPT = 12;

async function viewOf(reader: StoreReader, row: SessionRow): Promise<View> {
  const views = kept.get(reader) ?? new Map<string, View>();
  kept.set(reader, views);
  const known = views.get(row.id);
  if (known && known.index.n === row.events) return known;
  const index = await reader.index(row.id);
  const special = readSpecial(await specials(reader, row.id, index));
  // a plan only grows: another call may have seen more of the session meanwhile
  const latest = views.get(row.id);
  if (latest && latest.plan.n >= index.n) return latest;
  const view = { index, sight: sightOf(index, special), plan: (latest?.plan ?? new RowPlan()).extend(index) };
  views.delete(row.id);
  views.set(row.id, view);
  const [oldest] = views.keys();
  if (views.size > KEPT && oldest !== undefined) views.delete(oldest);
  return view;
}

async function specials(reader: StoreReader, id: string, index: SessionIndex): Promise<SessionEvent[]> {
  const seqs = specialSeqs(index);
  return seqs.length === 0 ? [] : reader.eventsAt(id, seqs);
}

async function pageOf(
  reader: StoreReader,
  id: string,
  { plan, index, sight }: View,
  from: number,
  limit: number,
): Promise<Output<'transcript.rows'>> {
  // as it is now: the plan may grow while the events are read
  const { rows: total, n } = plan;
  const events = await reader.eventsAt(id, pageSeqs(plan, index, from, limit));
  return { total, head_seq: n - 1, from, rows: buildRows(plan, sight, events, from, limit) };
}
