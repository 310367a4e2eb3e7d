import { ANSWER, CODE, CORE } from './codes.ts';
import { type Columns, FLAG, MARK, MARK_MASK } from './flags.ts';
import { takesResults } from './tree.ts';

/**
 * The active branch of a session, from columns alone.
 *
 * The leaf is whatever came last in the log: a conversation event, or a `meta {key: "leaf"}` event. State records,
 * attachments and derived events never choose a branch. From the leaf the path runs back through `parent_seq`; then
 * what belongs to it is added, as the agents themselves do: all events of a response that is on the path (parallel
 * calls), the results of its calls, and what is derived from them.
 */

/** Seq of the `meta {key: "leaf"}` event that decides, or -1 when the last conversation event is the leaf. */
export function leafEvent(index: Columns): number {
  for (let i = index.n - 1; i >= 0; i--) {
    const type = index.type[i]!;
    if (CORE[type]) return -1;
    if (type === CODE.meta && (index.flags[i]! & MARK_MASK) === MARK.LEAF) return i;
  }
  return -1;
}

/** The end of the conversation: the leaf that was chosen, else the last conversation event; -1 when there is none. */
export function tipOf(index: Columns, leaf: number | null): number {
  return isChosen(index, leaf) ? leaf : lastCore(index);
}

function isChosen({ n }: Columns, leaf: number | null): leaf is number {
  return leaf !== null && Number.isInteger(leaf) && leaf >= 0 && leaf < n;
}

/** Last conversation event of the log, -1 when there is none. */
function lastCore(index: Columns): number {
  for (let i = index.n - 1; i >= 0; i--) if (CORE[index.type[i]!]) return i;
  return -1;
}

/** Parent of an event; a parent that is not earlier (damaged log) counts as none. */
function parentOf(index: Columns, seq: number): number {
  const parent = index.parent[seq]!;
  return parent < seq ? parent : -1;
}

/** Nearest conversation event above each event, -1 = none. */
function anchors(index: Columns): Int32Array {
  const { n, type } = index;
  const anchor = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    const parent = parentOf(index, i);
    anchor[i] = parent < 0 || CORE[type[parent]!] ? parent : anchor[parent]!;
  }
  return anchor;
}

/**
 * One byte an event: 1 = active. `leaf` is the value of the event that `leafEvent` names (null = there is none).
 * Events outside the tree (no parent, no conversation) are always active.
 */
export function activePath(index: Columns, leaf: number | null = null): Uint8Array {
  const { n, type } = index;
  const active = new Uint8Array(n);
  const chosen = isChosen(index, leaf);
  const tip = tipOf(index, leaf);
  for (let at = tip; at >= 0; at = parentOf(index, at)) active[at] = 1;
  if (!chosen) {
    // what hangs on the last conversation event goes with it: attachments are often the agent's own leaf
    for (let i = tip + 1; i < n; i++) {
      const parent = parentOf(index, i);
      if (parent >= tip && parent >= 0 && active[parent]) active[i] = 1;
    }
  }
  const live = activeResponses(index, active);
  const anchor = anchors(index);
  let head = -1;
  for (let i = 0; i < n; i++) {
    const code = type[i]!;
    if (ANSWER[code] && !(index.flags[i]! & FLAG.SAME_RESPONSE)) head = i;
    if (active[i] || belongs(index, active, i, anchor[i]!, ANSWER[code] === 1 && head >= 0 && live[head] === 1))
      active[i] = 1;
  }
  return active;
}

/** Whether an event off the path goes with it: its response does, its call does, or it is no conversation at all. */
function belongs(index: Columns, active: Uint8Array, seq: number, anchor: number, responseLives: boolean): boolean {
  const code = index.type[seq]!;
  if (responseLives) return true;
  if (code === CODE.result) return anchor >= 0 && active[anchor] === 1 && takesResults(index.type[anchor]!);
  if (CORE[code]) return false;
  const parent = parentOf(index, seq);
  return parent < 0 || (code !== CODE.system && active[parent] === 1);
}

/** For the first event of each response: 1 when any event of that response is active. */
function activeResponses(index: Columns, active: Uint8Array): Uint8Array {
  const { n, type, flags } = index;
  const live = new Uint8Array(n);
  let head = -1;
  for (let i = 0; i < n; i++) {
    if (!ANSWER[type[i]!]) continue;
    if (!(flags[i]! & FLAG.SAME_RESPONSE)) head = i;
    if (head >= 0 && active[i]) live[head] = 1;
  }
  return live;
}
