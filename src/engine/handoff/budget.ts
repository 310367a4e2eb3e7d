import type { TargetAdapter } from '../../../adapters/contract.ts';
import { ESTIMATE_MARGIN } from '../../core/tokens/estimate.ts';
import type { Budget } from '../../shared/handoff.ts';
import type { Compiled } from './compile.ts';
import type { Delta } from './delta.ts';
import type { Measure } from './measure.ts';
import type { Choice, Space } from './modes.ts';

/** The session in the target's tokens, and the room that the target has. */
export interface Measured {
  measure: Measure;
  space: Space;
  window: Awaited<ReturnType<TargetAdapter['window']>>;
}

/** What a handoff puts into the target's window. */
export function budgetOf(
  { measure, space, window }: Measured,
  choice: Choice,
  compiled: Compiled | null,
  delta: Delta | null,
): Budget {
  const history = (delta?.own ?? measure.arriving(choice.from)) + space.note;
  const parts: Budget['parts'] = compiled
    ? [...compiled.parts, { name: 'history', tokens: history }]
    : [{ name: 'history', tokens: history }];
  const used = parts.reduce((sum, part) => sum + part.tokens, 0);
  return {
    model: window.model,
    window: space.window,
    reserve: space.reserve,
    used,
    margin: Math.ceil(history * ESTIMATE_MARGIN),
    tokenizer: window.tokenizer,
    parts,
  };
}
