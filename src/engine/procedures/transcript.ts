import { buildRows } from '../../core/view/rows.ts';
import { pageSeqs } from '../../core/view/transcript.ts';
import type { Output } from '../../shared/api.ts';
import { fail, ok } from '../../shared/errors.ts';
import type { StoreReader } from '../store/contract.ts';
import { type HandlersOf, resolveSession, withHome } from './context.ts';
import { type View, viewOf } from './view.ts';

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
