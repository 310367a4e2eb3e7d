import type { SessionIndex } from '../../core/view/flags.ts';
import { readSpecial, specialSeqs } from '../../core/view/model.ts';
import { type Sight, sightOf } from '../../core/view/rows.ts';
import { RowPlan } from '../../core/view/transcript.ts';
import type { SessionEvent } from '../../shared/events.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { StoreReader } from '../store/contract.ts';
import { Kept } from './kept.ts';

/** What a session's pages are made from: its index, what of it is active, which events make which rows. */
export interface View {
  index: SessionIndex;
  sight: Sight;
  plan: RowPlan;
}

/** Of the sessions looked at last: a growing session's plan is extended and never made anew. */
const kept = new Kept<View>(12);

export async function viewOf(reader: StoreReader, row: SessionRow): Promise<View> {
  const known = kept.get(reader, row.id);
  if (known && known.index.n === row.events) return known;
  const { index, sight } = await lookAt(reader, row.id);
  // a plan only grows: another call may have seen more of the session meanwhile
  const latest = kept.get(reader, row.id);
  if (latest && latest.plan.n >= index.n) return latest;
  return kept.set(reader, row.id, {
    index,
    sight,
    plan: (latest?.plan ?? new RowPlan()).extend(index),
  });
}

/** Of a session whose pages nobody looks at: what of it is active. */
export async function lookAt(reader: StoreReader, id: string): Promise<Pick<View, 'index' | 'sight'>> {
  const index = await reader.index(id);
  return { index, sight: sightOf(index, readSpecial(await specials(reader, id, index))) };
}

async function specials(reader: StoreReader, id: string, index: SessionIndex): Promise<SessionEvent[]> {
  const seqs = specialSeqs(index);
  return seqs.length === 0 ? [] : reader.eventsAt(id, seqs);
}
