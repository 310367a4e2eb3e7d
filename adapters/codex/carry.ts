import type { SessionEvent, ToolResult } from '../../src/shared/events.ts';
import type { Carry } from '../contract.ts';
import { reachesModel } from '../conversation/arrange.ts';
import { hasContent } from '../conversation/blocks.ts';
import {
  callAsItIs,
  carryBy,
  content,
  converted,
  dropped,
  foreignThinking,
  kept,
  leftOut,
} from '../conversation/carry.ts';
import { needsErrorMark } from './write/output.ts';

/** What Codex does with one event of the model view. Pure; it must say exactly what write/ does. */
export const carryToCodex = carryBy({
  thinking: (event) =>
    foreignThinking(event, 'belongs to its provider: shown in the transcript, not sent to the model'),
  context: (event, from) =>
    reachesModel(event)
      ? content(event, 'context for the model, never shown as a prompt')
      : dropped(`not sent to the model by ${from} itself`),
  summary: '→ message in front with the summary',
  call: callAsItIs,
  result,
});

function result(event: SessionEvent): Carry {
  const { closed } = event.payload as unknown as ToolResult;
  const left = leftOut(event);
  if (left !== null) return left;
  if (!hasContent(event) && closed !== 'ran') return converted('→ output that says the call was not run');
  if (needsErrorMark(event)) return converted('output of its call, with a line that says it failed');
  return kept('output of its call');
}
