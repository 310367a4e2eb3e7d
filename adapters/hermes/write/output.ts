import type { SessionEvent } from '../../../src/shared/events.ts';
import { type Artifacts, blocksOf, type Part, partsOf } from '../../conversation/blocks.ts';
import { FAILED, standIn } from '../../conversation/stand-in.ts';
import { endingOf } from '../read/results.ts';

/** Hermes has no error flag on a result, so a failure whose text does not say so gets this line in front. */
export const ERROR_MARK = `${FAILED}\n`;

/** The parts of a result's content. An empty one stays empty where the call ran well. */
export function outputParts(result: SessionEvent | null, artifacts: Artifacts): Part[] {
  const parts = result === null ? [] : partsOf(result, artifacts);
  const first = parts[0];
  if (first === undefined) {
    const text = standIn(result);
    return text === '' ? [] : [{ text }];
  }
  if (result === null || !needsErrorMark(result)) return parts;
  return 'text' in first ? [{ text: ERROR_MARK + first.text }, ...parts.slice(1)] : [{ text: FAILED }, ...parts];
}

/** A failure that Hermes' own reading of the text (and ours) would take for a success. */
export function needsErrorMark(result: SessionEvent): boolean {
  if (result.payload.is_error !== true) return false;
  const text = blocksOf(result)
    .flatMap((block) => (block.kind === 'text' ? [block.text] : []))
    .join('\n');
  return !endingOf(text, undefined).isError;
}
