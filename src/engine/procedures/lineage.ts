import { familyGraph } from '../../core/lineage/graph.ts';
import type { FamilyMember } from '../../core/lineage/node.ts';
import { CODE } from '../../core/view/codes.ts';
import { isCopy } from '../../core/view/copies.ts';
import { tokensOf } from '../../core/view/family-tree.ts';
import type { Output, Parsed } from '../../shared/api.ts';
import { ok } from '../../shared/errors.ts';
import type { SessionEvent } from '../../shared/events.ts';
import type { GraphRow } from '../../shared/lineage.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { StoreReader } from '../store/contract.ts';
import { type HandlersOf, resolveSession, withHome } from './context.ts';
import { Kept } from './kept.ts';
import { turnsOf } from './turns.ts';
import { lookAt } from './view.ts';

/** The graph of a session's family, a page of rows at a time. */
export const lineageProcedures: HandlersOf<'lineage.graph'> = {
  'lineage.graph': (context, input) =>
    withHome(context, async ({ store }) => {
      const session = await resolveSession(store.reader, input.id);
      if (!session.ok) return session;
      return ok(await graphPage(store.reader, session.value.id, input));
    }),
};

/** Graphs drawn last: pages of one follow each other, and nothing of it changes until its family does. */
const drawn = new Kept<{ of: string; rows: GraphRow[] }>(4);

async function graphPage(
  reader: StoreReader,
  focus: string,
  { rows: wanted, subagents, open, from, limit }: Parsed<'lineage.graph'>,
): Promise<Output<'lineage.graph'>> {
  const family = await reader.lineage(focus);
  const key = JSON.stringify([focus, wanted, subagents, open]);
  const of = JSON.stringify(family.map(({ id, events, title, status }) => [id, events, title, status]));
  const known = drawn.get(reader, key);
  const rows =
    known?.of === of
      ? known.rows
      : familyGraph(await membersOf(reader, family), { focus, rows: wanted, subagents, open: new Set(open) });
  drawn.set(reader, key, { of, rows });
  return {
    total: rows.length,
    sessions: family.length,
    events: family.reduce((sum, { events, copied }) => sum + events - copied, 0),
    tokens: tokensOf(family),
    rows: rows.slice(from, from + limit),
  };
}

/** What is drawn of the sessions looked at last, and at how many events: those that did not grow are not read again. */
const members = new Kept<{ events: number; drawn: Omit<FamilyMember, 'row'> }>(300);

async function membersOf(reader: StoreReader, family: readonly SessionRow[]): Promise<FamilyMember[]> {
  const all: FamilyMember[] = [];
  // one after the other: a family can be large, and each of them is read by streaming
  for (const row of family) {
    const known = members.get(reader, row.id);
    const current = known?.events === row.events ? known : { events: row.events, drawn: await drawnOf(reader, row) };
    members.set(reader, row.id, current);
    all.push({ row, ...current.drawn });
  }
  return all;
}

async function drawnOf(reader: StoreReader, row: SessionRow): Promise<Omit<FamilyMember, 'row'>> {
  const { index, sight } = await lookAt(reader, row.id);
  const seqs: number[] = [];
  for (let seq = 0; seq < index.n; seq++)
    if (index.type[seq] === CODE.fork || index.type[seq] === CODE.merge) seqs.push(seq);
  const found = seqs.length === 0 ? [] : await reader.eventsAt(row.id, seqs);
  // what came with the session that this one goes on from says where that one began
  const links = found.filter((event) => !isCopy(event));
  const turns = await turnsOf(reader, row, sight.active);
  return { turns, from_seq: forkedAt(links), merges: mergesOf(links) };
}

function forkedAt(links: readonly SessionEvent[]): number | null {
  const from = links.find(({ type }) => type === 'session.fork')?.payload.from_seq;
  return typeof from === 'number' && Number.isInteger(from) && from >= 0 ? from : null;
}

function mergesOf(links: readonly SessionEvent[]): FamilyMember['merges'] {
  return links.flatMap(({ seq, ts, type, payload: { from_session, to_seq, summary } }) =>
    type === 'session.merge' && typeof from_session === 'string'
      ? [
          {
            seq,
            ts,
            from: from_session,
            from_seq: typeof to_seq === 'number' ? to_seq : null,
            text: typeof summary === 'string' ? summary : '',
          },
        ]
      : [],
  );
}
