import type { SessionEvent, ToolResult } from '../../../src/shared/events.ts';
import type { Carry } from '../../contract.ts';
import { reachesModel } from '../../conversation/arrange.ts';
import { hasContent } from '../../conversation/blocks.ts';
import {
  callOfObject,
  carryBy,
  content,
  converted,
  dropped,
  foreignThinking,
  kept,
  leftOut,
} from '../../conversation/carry.ts';
import { needsErrorMark } from './output.ts';
import { isRecalled } from './recalled.ts';

/** What Hermes does with one event of the model view. Pure; it must say exactly what write/ does. */
export const carryToHermes = carryBy({
  thinking: (event) =>
    event.agent === 'hermes'
      ? kept('its own reasoning, with what its provider signed')
      : foreignThinking(event, 'belongs to its provider: shown in the transcript of an answer, not sent to the model'),
  context: (event, from) => {
    if (isRecalled(event)) return dropped('memory of Hermes, which recalls it afresh');
    return reachesModel(event)
      ? content(event, 'context for the model, hidden from the transcript')
      : dropped(`not sent to the model by ${from} itself`);
  },
  summary: '→ message in front with the summary',
  call: callOfObject,
  result,
});

function result(event: SessionEvent): Carry {
  const { closed } = event.payload as unknown as ToolResult;
  const left = leftOut(event);
  if (left !== null) return left;
  if (!hasContent(event) && closed !== 'ran') return converted('→ result that says the call was not run');
  if (needsErrorMark(event)) return converted('result of its call, with a line that says it failed');
  return kept('result of its call');
}
