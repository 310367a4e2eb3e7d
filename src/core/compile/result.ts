import type { CompiledContext } from '../../shared/compiled.ts';
import { sizeOf } from './budget.ts';
import { type Candidate, type Excluded, RECORD_SECTIONS, USER_SECTIONS } from './item.ts';
import { cut } from './sentences.ts';

/** What is on a page, by priority and in the order of its sections. */
export function itemsOf(
  kept: readonly Candidate[],
  tokens: (text: string) => number,
  active: Uint8Array | null,
): CompiledContext['items'] {
  const order: readonly string[] = [...USER_SECTIONS, ...RECORD_SECTIONS];
  return kept
    .map(({ weight: _, isWithin, ...item }) => ({
      ...item,
      tokens: isWithin ? 0 : tokens(item.text),
      ...inactiveOf(item, active),
    }))
    .toSorted(
      (a, b) =>
        (a.priority < b.priority ? -1 : a.priority > b.priority ? 1 : 0) ||
        order.indexOf(a.kind) - order.indexOf(b.kind),
    );
}

/** What is not on it, and why: no room, or no reason to be there. Their tokens are estimated. */
export function droppedOf(
  left: readonly Candidate[],
  excluded: readonly Excluded[],
  factor: number,
  active: Uint8Array | null,
): CompiledContext['dropped'] {
  const row = (item: Omit<Excluded, 'reason'>, reason: string) => ({
    id: item.id,
    kind: item.kind,
    text: cut(item.text, 200),
    tokens: Math.ceil(sizeOf(item) * factor),
    reason,
    provenance: item.provenance,
    ...inactiveOf(item, active),
  });
  return [...left.map((item) => row(item, 'over budget')), ...excluded.map((item) => row(item, item.reason))];
}

/** Events of a provenance that are no longer on the active branch. */
function inactiveOf({ provenance }: Pick<Excluded, 'provenance'>, active: Uint8Array | null): { inactive?: number[] } {
  const inactive = active === null ? [] : provenance.filter((seq) => active[seq] === 0);
  return inactive.length === 0 ? {} : { inactive };
}

/** Tokens by priority for a budget bar; the frame counts with P0. */
export function partsOf(compiled: CompiledContext): { name: 'p0' | 'p1' | 'p2'; tokens: number }[] {
  const sum = (name: 'p1' | 'p2'): number =>
    compiled.items.filter(({ priority }) => priority === name).reduce((total, { tokens }) => total + tokens, 0);
  const p1 = sum('p1');
  const p2 = sum('p2');
  return [
    { name: 'p0', tokens: Math.max(0, compiled.tokens - p1 - p2) },
    { name: 'p1', tokens: p1 },
    { name: 'p2', tokens: p2 },
  ];
}
