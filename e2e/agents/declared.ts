/** Which losses the product itself admitted: a loss that the fidelity report names is honest, any other is a failure. */
import type { Difference } from './compare.ts';
import type { FactKind } from './facts.ts';
import type { FidelityRow } from './handoff.ts';

/** Rows that are not about a tool. Every other kind (shell, read, edit, …) is one. */
const NO_TOOLS = new Set([
  'prompt',
  'reply',
  'thinking',
  'image',
  'attachment',
  'context',
  'compaction',
  'unknown',
  'state',
]);

/** Kinds of rows under which a lost fact may be declared, besides those of tools. */
const ROWS: Record<FactKind, readonly string[]> = {
  prompt: ['prompt', 'compaction', 'context'],
  reply: ['reply'],
  image: ['image'],
  call: [],
  result: ['image'],
  failure: ['image'],
  shell: ['prompt', 'context'],
  attachment: ['attachment', 'context'],
  notification: ['prompt', 'context'],
  interruption: ['prompt', 'context'],
};
/** A picture can stand in a result. */
const TOOL_FACTS = new Set<FactKind>(['call', 'result', 'failure', 'image']);

/**
 * Splits losses into declared and undeclared ones. A row stands for as many losses as it counts. A row that says `kept`
 * declares nothing, nor does one without tokens: it is about what the source agent does not send either.
 */
export function splitLosses(
  losses: readonly Difference[],
  rows: readonly FidelityRow[],
): { declared: Difference[]; undeclared: Difference[] } {
  const left = rows
    .filter((row) => row.outcome !== 'kept' && row.tokens > 0)
    .map((row) => ({ kind: row.kind, count: row.count }));
  const declared: Difference[] = [];
  const undeclared: Difference[] = [];
  for (const loss of losses) {
    const row = left.find((candidate) => candidate.count > 0 && covers(candidate.kind, loss.kind));
    if (row) row.count -= 1;
    (row ? declared : undeclared).push(loss);
  }
  return { declared, undeclared };
}

function covers(rowKind: string, fact: FactKind): boolean {
  return ROWS[fact].includes(rowKind) || (TOOL_FACTS.has(fact) && !NO_TOOLS.has(rowKind));
}

/** Whether the report says that reasoning stays behind. */
export function declaresThinking(rows: readonly FidelityRow[]): boolean {
  return rows.some((row) => row.kind === 'thinking' && row.outcome !== 'kept' && row.count > 0);
}
