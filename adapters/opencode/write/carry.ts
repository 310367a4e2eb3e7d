import type { SessionEvent, ToolResult } from '../../../src/shared/events.ts';
import type { Carry } from '../../contract.ts';
import { reachesModel } from '../../conversation/arrange.ts';
import { blocksOf, hasContent } from '../../conversation/blocks.ts';
import { callOfObject, carryBy, content, converted, dropped, kept, leftOut } from '../../conversation/carry.ts';
import { failed } from '../../conversation/stand-in.ts';

/** What OpenCode does with one event of the model view. Pure; it must say exactly what export.ts writes. */
export const carryToOpenCode = carryBy({
  thinking: (event) =>
    carriesThinking(event)
      ? kept('goes home with what its provider signed')
      : dropped('belongs to its provider: OpenCode would send it as a part of the answer'),
  context: (event, from) =>
    reachesModel(event)
      ? content(event, 'context for the model, hidden from the person')
      : dropped(`not sent to the model by ${from} itself`),
  summary: '→ compaction with its summary',
  call: callOfObject,
  result,
});

/** OpenCode sends the reasoning of another model as plain text, so only its own goes back. */
export function carriesThinking(event: SessionEvent): boolean {
  return event.agent === 'opencode';
}

/** A command that ended with a code is no failed tool to OpenCode: its own calls stay as they were. */
export function isErrorState(result: SessionEvent | null): boolean {
  if (result?.agent === 'opencode' && (result.payload as unknown as ToolResult).exit_code !== undefined) return false;
  return failed(result);
}

function result(event: SessionEvent): Carry {
  const left = leftOut(event);
  if (left !== null) return left;
  if (!hasContent(event) && (event.payload as unknown as ToolResult).closed !== 'ran')
    return converted('→ error that says the call was not run');
  if (isErrorState(event) && blocksOf(event).some(({ kind }) => kind === 'image'))
    return converted('image → a note: a failed call holds text alone');
  return kept('result of its call');
}
