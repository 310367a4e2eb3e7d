import type { z } from 'zod';
import type { jumpsSchema } from '../../../shared/api.ts';

export type Jumps = z.infer<typeof jumpsSchema>;
export type JumpKind = 'prompts' | 'tools' | 'errors';
export const JUMP_KINDS: readonly JumpKind[] = ['prompts', 'tools', 'errors'];

/** How many of the ascending ordinals stand at or before `ordinal`: the i of "i/n". */
export function placeAmong(ordinals: readonly number[], ordinal: number): number {
  let low = 0;
  let high = ordinals.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ordinals[middle] ?? 0) <= ordinal) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The next or previous of the ordinals from `ordinal`; null at either end. */
export function jumpFrom(ordinals: readonly number[], ordinal: number, direction: 1 | -1): number | null {
  const place = placeAmong(ordinals, ordinal);
  if (direction === 1) return ordinals[place] ?? null;
  const here = ordinals[place - 1] === ordinal;
  return ordinals[place - (here ? 2 : 1)] ?? null;
}
