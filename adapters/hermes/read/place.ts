import { isObject, type Json, parsed } from '../json.ts';
import { STRUCTURED } from './content.ts';

/** What of a row decides where it stands in the conversation. */
export interface Outline {
  role: unknown;
  content: unknown;
  tool_calls: unknown;
  tool_call_id: unknown;
  /** in the context that Hermes sends */
  active: boolean;
  /** summed up and no longer sent, but still history */
  compacted: boolean;
  summary: boolean;
}

/** Where a row stands. Numbers are places in the list of the session's rows. */
export interface Placement {
  /** the row it hangs on, null = none */
  parent: number | null;
  /** false = on a side branch: taken back, or replaced by a copy */
  live: boolean;
  /** of a row that a compaction wrote again: the rows it repeats */
  copyOf?: number[];
  /** of a summary: what the model sees before it, and what is written again behind it */
  kept?: number[];
  replaced?: number[];
}

const SUMMARY_HEADS = ['[CONTEXT COMPACTION', '[CONTEXT SUMMARY]:'];
const MERGED_HEAD = '[PRIOR CONTEXT';
const MERGED_MARK = '[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]';

/** A row that holds the summary of a compaction, alone or behind a message that it was merged with (FORMAT.md). */
export function isSummary(row: Json): boolean {
  if (row._compressed_summary === 1 || row._compressed_summary === true) return true;
  if (row.role !== 'user' && row.role !== 'assistant' && row.role !== 'system') return false;
  const text = firstText(row.content);
  if (SUMMARY_HEADS.some((head) => text.startsWith(head))) return true;
  return text.startsWith(MERGED_HEAD) && text.includes(MERGED_MARK);
}

function firstText(content: unknown): string {
  if (typeof content !== 'string') return '';
  if (!content.startsWith(STRUCTURED)) return content;
  const list = parsed(content.slice(STRUCTURED.length));
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  return isObject(first) && typeof first.text === 'string' ? first.text : '';
}

/**
 * Lays the rows of a session out as a tree with one live path. Rows that were taken back (`active` 0, `compacted` 0) hang
 * beside it. A compaction in place writes rows of the old context again, around its summary: those before the summary
 * are told as kept (`copyOf`), those behind it go on from it, and what they repeat leaves the path. So each message
 * stands on the path once, and behind the last summary stands what Hermes sends.
 *
 * @param continued the session goes on from another one, so what comes before its first summary was kept from there
 */
export function placeRows(rows: readonly Outline[], continued: boolean): Placement[] {
  const placements: Placement[] = [];
  let live: number[] = [];
  let tip: number | null = null;
  let first = continued;
  /** rows of old that stand for copies in the live context */
  let standing: number[] = [];
  // What was summed up is history where a summary is sent in its place; else nothing of it is left.
  const lastSummary = rows.findLastIndex(({ summary, active }) => summary && active);
  for (const [at, row] of rows.entries()) {
    const isLive = row.active || (row.compacted && at < lastSummary);
    if (!isLive || !row.summary) {
      const before = at - 1;
      const beside: boolean = !isLive && before >= 0 && placements[before]!.live === false;
      // A result goes with the call that it hangs on, so one that was taken back alone hangs on nothing.
      const above = !isLive && row.role === 'tool' ? null : tip;
      placements.push({ parent: beside ? before : above, live: isLive });
      if (!isLive) continue;
      live.push(at);
      tip = at;
      continue;
    }
    const head = first ? live.length : headLength(rows, live, row.active, standing);
    first = false;
    const old = live.slice(0, live.length - head);
    const kept: number[] = [];
    for (const [copy, originals] of copiesOf(rows, live.slice(live.length - head), old)) {
      kept.push(...originals);
      if (originals[0] === copy) continue;
      placements[copy] = { parent: placements[copy]!.parent, live: false, copyOf: originals };
    }
    const own = kept.filter((one) => !old.includes(one));
    const staying = old.slice(0, old.length - tailLength(rows, at, old));
    const replaced = old.slice(staying.length);
    const parent: number | null = own.at(-1) ?? staying.at(-1) ?? null;
    placements.push({ parent, live: true, kept, replaced });
    live = [...kept, at];
    standing = row.active ? kept : [];
    tip = at;
  }
  return placements;
}

/** How many of the live rows before a summary belong to it. The flags say so for the last one, the texts for earlier ones. */
function headLength(
  rows: readonly Outline[],
  live: readonly number[],
  active: boolean,
  standing: readonly number[],
): number {
  if (active) {
    const from = live.findLastIndex((at) => !rows[at]!.active && !standing.includes(at));
    return live.length - 1 - from;
  }
  for (let from = 1; from < live.length; from++) {
    if (groupOf(rows, rows[live[from]!]!, live, 0) === null) continue;
    if (matching(rows, live.slice(from), live.slice(0, from)) !== null) return live.length - from;
  }
  return 0;
}

/** Each head row with what it repeats; one that repeats nothing stands for itself. */
function copiesOf(rows: readonly Outline[], head: readonly number[], old: readonly number[]): [number, number[]][] {
  const found = matching(rows, head, old);
  return head.map((copy, i) => [copy, found?.[i] ?? [copy]]);
}

/** How many of the old rows are written again right behind the summary at `at`. */
function tailLength(rows: readonly Outline[], at: number, old: readonly number[]): number {
  const behind: number[] = [];
  for (let i = at + 1; i < rows.length && behind.length < old.length; i++)
    if (rows[i]!.active || rows[i]!.compacted) behind.push(i);
  const copy = behind[0] === undefined ? undefined : rows[behind[0]];
  if (copy === undefined) return 0;
  for (let from = 0; from < old.length; from++) {
    if (groupOf(rows, copy, old, from) === null) continue;
    if (repeats(rows, behind, old.slice(from))) return old.length - from;
  }
  return 0;
}

/** What each copy repeats when the copies are the beginning of the old rows; null when they are not. */
function matching(rows: readonly Outline[], copies: readonly number[], old: readonly number[]): number[][] | null {
  if (copies.length === 0) return [];
  const groups: number[][] = [];
  let at = 0;
  for (const copy of copies) {
    const group = groupOf(rows, rows[copy]!, old, at);
    if (group === null) return null;
    groups.push(group);
    at += group.length;
  }
  return groups;
}

/** Whether the rows behind begin with copies of all of `tail`. */
function repeats(rows: readonly Outline[], behind: readonly number[], tail: readonly number[]): boolean {
  let at = 0;
  for (const copy of behind) {
    if (at === tail.length) return true;
    const group = groupOf(rows, rows[copy]!, tail, at);
    if (group === null) return false;
    at += group.length;
  }
  return at === tail.length;
}

/** One row, or neighbours that Hermes has merged: prompts by a blank line, answers by a line break. */
function groupOf(rows: readonly Outline[], copy: Outline, old: readonly number[], from: number): number[] | null {
  const first = old[from] === undefined ? undefined : rows[old[from]];
  if (first === undefined || first.role !== copy.role) return null;
  if (same(copy, first)) return [old[from]!];
  if (typeof copy.content !== 'string' || typeof first.content !== 'string') return null;
  const between = copy.role === 'user' ? '\n\n' : '\n';
  let text = first.content;
  for (let i = from + 1; i < old.length && text.length < copy.content.length; i++) {
    const next = rows[old[i]!]!;
    if (next.role !== copy.role || typeof next.content !== 'string' || next.tool_calls !== null) return null;
    text += between + next.content;
    if (text === copy.content) return old.slice(from, i + 1);
  }
  return null;
}

function same(a: Outline, b: Outline): boolean {
  return (
    a.content === b.content &&
    (a.tool_calls ?? null) === (b.tool_calls ?? null) &&
    (a.tool_call_id ?? null) === (b.tool_call_id ?? null)
  );
}
