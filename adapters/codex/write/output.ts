import type { SessionEvent } from '../../../src/shared/events.ts';
import { type Artifacts, blocksOf, partsOf } from '../../conversation/blocks.ts';
import { FAILED, standIn } from '../../conversation/stand-in.ts';
import { type InputPart, inputParts } from './input.ts';

/** Codex has no error flag on an output, so a failure whose text does not say so gets this line in front. */
export const ERROR_MARK = `${FAILED}\n`;

const SAYS_SO =
  /error|fail|exit(ed)?( with)?( code)? [1-9-]|denied|reject|refus|not found|no such|cannot|can't|could not|unable|invalid|exception|traceback|panic|abort|interrupt|cancel|timed? ?out|not run|doesn't want/i;
/** Failures speak up at the start or, for commands, in the last lines. */
const LOOK_AT = 2000;

/** The `output` of a call: a string, or parts where there is more than text. */
export function outputOf(result: SessionEvent | null, artifacts: Artifacts): string | InputPart[] {
  if (result === null) return standIn(null);
  const parts = inputParts(partsOf(result, artifacts));
  const only = parts.length === 1 ? parts[0] : undefined;
  if (parts.length === 0) return standIn(result);
  const mark = needsErrorMark(result) ? ERROR_MARK : '';
  if (only?.type === 'input_text') return mark + only.text;
  return mark === '' ? parts : [{ type: 'input_text', text: FAILED }, ...parts];
}

/** A failure that nobody could tell from its text. */
export function needsErrorMark(result: SessionEvent): boolean {
  return result.payload.is_error === true && !saysSo(shownText(result));
}

function saysSo(text: string): boolean {
  return SAYS_SO.test(text.slice(0, LOOK_AT)) || (text.length > LOOK_AT && SAYS_SO.test(text.slice(-LOOK_AT)));
}

/** What is shown to a person: the event's own text, head and tail where it was cut. */
export function shownText(event: SessionEvent): string {
  return blocksOf(event)
    .flatMap((block) => (block.kind === 'text' ? [block.text] : block.kind === 'image' ? ['[image]'] : []))
    .join('\n');
}
