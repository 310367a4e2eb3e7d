import type { SessionEvent, ToolResult } from '../../../src/shared/events.ts';
import { type Artifacts, type Part, partsOf, shownText } from './content.ts';

/** What stands in place of a result that does not exist. Never an invented output. */
export const NOT_RUN = 'Not run: the session was interrupted before this call had a result.';
const DENIED = 'Not run: the user denied this call.';
/** Codex has no error flag on an output, so a failure whose text does not say so gets this line in front. */
export const ERROR_MARK = '[The tool reported an error]\n';

/** Outputs that stand for a result without content. */
export const STANDING_IN: ReadonlySet<string> = new Set([NOT_RUN, DENIED, ERROR_MARK.trimEnd()]);

const SAYS_SO =
  /error|fail|exit(ed)?( with)?( code)? [1-9-]|denied|reject|refus|not found|no such|cannot|can't|could not|unable|invalid|exception|traceback|panic|abort|interrupt|cancel|timed? ?out|not run|doesn't want/i;
/** Failures speak up at the start or, for commands, in the last lines. */
const LOOK_AT = 2000;

/** The `output` of a call: a string, or parts where there is more than text. */
export function outputOf(result: SessionEvent | null, artifacts: Artifacts): string | Part[] {
  if (result === null) return NOT_RUN;
  const payload = result.payload as unknown as ToolResult;
  const parts = partsOf(result, artifacts);
  const only = parts.length === 1 ? parts[0] : undefined;
  if (parts.length === 0) return emptyOutput(payload);
  const mark = needsErrorMark(result) ? ERROR_MARK : '';
  if (only?.type === 'input_text') return mark + only.text;
  return mark === '' ? parts : [{ type: 'input_text', text: mark.trimEnd() }, ...parts];
}

/** A failure that nobody could tell from its text. */
export function needsErrorMark(result: SessionEvent): boolean {
  return result.payload.is_error === true && !saysSo(shownText(result));
}

function emptyOutput(payload: ToolResult): string {
  if (payload.closed === 'denied') return DENIED;
  if (payload.closed === 'missing' || payload.closed === 'interrupted') return NOT_RUN;
  return payload.is_error === true ? ERROR_MARK.trimEnd() : '';
}

function saysSo(text: string): boolean {
  return SAYS_SO.test(text.slice(0, LOOK_AT)) || (text.length > LOOK_AT && SAYS_SO.test(text.slice(-LOOK_AT)));
}

export function failed(result: SessionEvent | null): boolean {
  if (result === null) return true;
  const { is_error, closed } = result.payload as unknown as ToolResult;
  return is_error === true || closed === 'missing' || closed === 'interrupted' || closed === 'denied';
}
