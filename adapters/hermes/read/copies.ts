import type { Json } from '../json.ts';
import { isSummary } from './place.ts';

/** Clocks of the two writes differ by milliseconds. */
const SLACK_S = 1;

/**
 * Ids of the rows that a session copied from the one it was branched off, or goes on from, when it began. The copies have ids
 * of their own, and times of their own too since 0.19; they stand at the beginning in the order of the originals. Behind a
 * compression some are left out, and its summary stands between them.
 *
 * @param began when the session began, seconds: what the other one said later was not copied
 */
export function copiedRows(rows: readonly Json[], originals: readonly Json[], began: unknown): Set<number> {
  const until = typeof began === 'number' ? began + SLACK_S : Number.POSITIVE_INFINITY;
  const candidates = originals.filter(({ timestamp }) => typeof timestamp !== 'number' || timestamp <= until);
  const copies = new Set<number>();
  let next = 0;
  for (const row of rows) {
    if (isSummary(row)) continue;
    while (next < candidates.length && !repeats(row, candidates[next]!)) next++;
    if (next === candidates.length) break;
    copies.add(row.id as number);
    next++;
  }
  return copies;
}

function repeats(copy: Json, original: Json): boolean {
  return SAID.every((column) => (copy[column] ?? null) === (original[column] ?? null));
}

const SAID = ['role', 'content', 'tool_calls', 'tool_call_id'] as const;
