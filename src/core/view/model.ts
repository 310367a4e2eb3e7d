import type { SessionEvent } from '../../shared/events.ts';
import { activePath, leafEvent } from './branch.ts';
import { ANSWER, CODE, CONVERSATION } from './codes.ts';
import { MARK, type SessionIndex } from './flags.ts';

/** What the columns cannot tell: values of the few events that decide about branch and model view. */
export interface Special {
  leaf: number | null;
  compactions: { seq: number; kept: readonly number[]; kept_first: boolean; edit: boolean }[];
}

/** Seqs of the events to read for a Special: the leaf event that decides, and all compactions. */
export function specialSeqs(index: SessionIndex): number[] {
  const seqs: number[] = [];
  const leaf = leafEvent(index);
  for (let i = 0; i < index.n; i++) if (i === leaf || index.type[i] === CODE.compacted) seqs.push(i);
  return seqs;
}

/** The Special of the events that `specialSeqs` named. */
export function readSpecial(events: readonly SessionEvent[]): Special {
  const special: Special = { leaf: null, compactions: [] };
  for (const { seq, type, payload } of events) {
    if (type === 'meta') special.leaf = typeof payload.value === 'number' ? payload.value : null;
    if (type !== 'context.compacted') continue;
    const kept = Array.isArray(payload.kept)
      ? payload.kept.filter((value): value is number => Number.isInteger(value))
      : [];
    const { kept_first, edit } = payload;
    special.compactions.push({ seq, kept, kept_first: kept_first === true, edit: edit === true });
  }
  return special;
}

/** Whether an agent would send this event: not what its client wrote itself, not notes that stay at home. */
function isSent(index: SessionIndex, seq: number): boolean {
  const code = index.type[seq]!;
  const flags = index.flags[seq]!;
  if (code === CODE.system) return (flags & MARK.TO_MODEL) !== 0;
  if (ANSWER[code]) return (flags & MARK.SYNTHETIC) === 0;
  return CONVERSATION[code] === 1;
}

/**
 * The model view: seqs in the order in which the agent itself would send them on resume. That is the active branch
 * after its last compaction, with the compaction's summary (its event) and the events it kept in front; without a
 * compaction the whole active branch.
 */
export function modelOrder(index: SessionIndex, special: Special): Uint32Array {
  const active = activePath(index, special.leaf);
  const compaction = special.compactions.findLast(({ seq }) => seq < index.n && active[seq] === 1);
  const order = new Uint32Array(index.n);
  let size = 0;
  const kept = new Set<number>();
  if (compaction) {
    for (const seq of compaction.kept) if (seq >= 0 && seq < compaction.seq && isSent(index, seq)) kept.add(seq);
    if (!compaction.kept_first && !compaction.edit) order[size++] = compaction.seq;
    for (const seq of kept) order[size++] = seq;
    if (compaction.kept_first && !compaction.edit) order[size++] = compaction.seq;
  }
  for (let i = compaction ? compaction.seq + 1 : 0; i < index.n; i++) {
    if (active[i] && index.type[i] !== CODE.compacted && isSent(index, i)) order[size++] = i;
  }
  return order.slice(0, size);
}
