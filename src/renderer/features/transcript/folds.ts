import type { ToolCard, TranscriptRow } from '../../../shared/transcript.ts';
import { failed, toolLines } from '../../blocks/tool-groups.ts';

/** What is folded differently than it is by itself. Keys are of parts of rows and outlive their elements. */
export interface Folds {
  toggled: ReadonlySet<string>;
  allTools: boolean;
  thinking: boolean;
}
export const NO_FOLDS: Folds = { toggled: new Set(), allTools: false, thinking: false };

/** Diffs of at most this many changed lines are open by themselves. */
const SMALL_DIFF = 40;

const openByItself = (call: ToolCard): boolean =>
  failed(call) || (call.diff !== undefined && (call.added ?? 0) + (call.removed ?? 0) <= SMALL_DIFF);

export const callKey = (seq: number): string => `call ${seq}`;
export const partKey = (row: TranscriptRow): string => `row ${row.seq}`;

export const isCallOpen = (folds: Folds, key: string, call: ToolCard | null): boolean =>
  (folds.allTools || (call !== null && openByItself(call))) !== folds.toggled.has(key);

/** Thinking, client notes and compaction summaries: closed by themselves. */
export const isPartOpen = (folds: Folds, row: TranscriptRow): boolean =>
  (row.kind === 'thinking' && folds.thinking) !== folds.toggled.has(partKey(row));

export function toggle(folds: Folds, keys: readonly string[]): Folds {
  const toggled = new Set(folds.toggled);
  for (const key of keys) if (!toggled.delete(key)) toggled.add(key);
  return { ...folds, toggled };
}

/** The keys of everything in a row that can be folded. */
export function keysOf(row: TranscriptRow): string[] {
  if (row.kind !== 'tools') return [partKey(row)];
  return toolLines(row.calls).map((line) => callKey(line.kind === 'group' ? (line.calls[0]?.seq ?? 0) : line.call.seq));
}

/** The keys that must be toggled so that an event of a row can be seen. */
export function closedAround(folds: Folds, row: TranscriptRow, seq: number): string[] {
  if (row.kind !== 'tools') return isPartOpen(folds, row) ? [] : [partKey(row)];
  const holds = (call: ToolCard): boolean => call.seq === seq || call.result?.seq === seq;
  return toolLines(row.calls).flatMap((line) => {
    const calls = line.kind === 'group' ? line.calls : [line.call];
    const key = callKey(calls[0]?.seq ?? 0);
    return calls.some(holds) && !isCallOpen(folds, key, line.kind === 'call' ? line.call : null) ? [key] : [];
  });
}
