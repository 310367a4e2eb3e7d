import type { SessionEvent, ToolResult } from '../../src/shared/events.ts';

/** What stands in place of a result that does not exist. Never an invented output. */
export const NOT_RUN = 'Not run: the session was interrupted before this call had a result.';
const DENIED = 'Not run: the user denied this call.';
export const FAILED = '[The tool reported an error]';

/** All texts that stand for a result without content. */
export const STANDING_IN: ReadonlySet<string> = new Set([NOT_RUN, DENIED, FAILED]);

/** Text for a result without content; empty where the call ran well and said nothing. `null` = there is no result. */
export function standIn(result: SessionEvent | null): string {
  if (result === null) return NOT_RUN;
  const { closed, is_error } = result.payload as unknown as ToolResult;
  if (closed === 'denied') return DENIED;
  if (closed === 'missing' || closed === 'interrupted') return NOT_RUN;
  return is_error === true ? FAILED : '';
}

/** Whether the model has to take the result as a failure. */
export function failed(result: SessionEvent | null): boolean {
  if (result === null) return true;
  const { is_error, closed } = result.payload as unknown as ToolResult;
  return is_error === true || closed === 'missing' || closed === 'interrupted' || closed === 'denied';
}
