import { EVENT_TYPES } from '../../shared/events.ts';
import { CODE } from '../view/codes.ts';
import { FLAG, MARK, MARK_MASK, type SessionIndex } from '../view/flags.ts';

/** The newest events of each kind that a compile looks at. What is older is counted, never read. */
const MOST: Record<string, number> = {
  'message.user': 6_000,
  'message.assistant': 6_000,
  'tool.call': 1_500,
  'tool.result': 1_500,
  'file.edit': 6_000,
  'command.run': 3_000,
  'todo.add': 2_000,
  'todo.update': 2_000,
  decision: 500,
  'memory.write': 500,
  'context.compacted': 20,
};

export interface Selection {
  /** ascending */
  seqs: number[];
  /** events of the branch that are too old to be looked at */
  older: number;
  /** what a text cannot carry, counted over the whole branch */
  unseen: { images: number; thinking: number; unknown: number };
}

/**
 * Which events a compile needs, from columns alone: those of the active branch, the newest of each kind and the first
 * prompt. `before`: only what stands before that event.
 */
export function compileSelection(index: SessionIndex, active: Uint8Array, before: number = index.n): Selection {
  const left = EVENT_TYPES.map((type) => MOST[type] ?? 0);
  const seqs: number[] = [];
  const unseen = { images: 0, thinking: 0, unknown: 0 };
  let older = 0;
  let first = -1;
  for (let seq = Math.min(before, index.n) - 1; seq >= 0; seq--) {
    if (!active[seq]) continue;
    const code = index.type[seq]!;
    const flags = index.flags[seq]!;
    if (flags & FLAG.IMAGE) unseen.images++;
    if (code === CODE.thinking) unseen.thinking++;
    if (code >= left.length || (code === CODE.meta && (flags & MARK_MASK) === MARK.UNKNOWN)) unseen.unknown++;
    if (code >= left.length || MOST[EVENT_TYPES[code]!] === undefined) continue;
    if (code === CODE.user && flags & FLAG.PROMPT) first = seq;
    if (left[code]! > 0) {
      left[code]!--;
      seqs.push(seq);
    } else older++;
  }
  if (first >= 0 && !seqs.includes(first)) {
    seqs.push(first);
    older--;
  }
  return { seqs: seqs.sort((a, b) => a - b), older, unseen };
}
