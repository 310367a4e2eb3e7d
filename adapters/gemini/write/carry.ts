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

/** What Gemini CLI does with one event of the model view. Pure; it must say exactly what messages.ts does. */
export const carryToGemini = carryBy({
  thinking: (event) =>
    foreignThinking(
      event,
      'belongs to its provider: shown in the transcript (by versions from 0.52 on), never sent to the model',
    ),
  context: (event, from) =>
    reachesModel(event)
      ? content(event, 'context for the model, never shown as a prompt')
      : dropped(`not sent to the model by ${from} itself`),
  summary: '→ message in front with the summary',
  call: callOfObject,
  result,
});

function result(event: SessionEvent): Carry {
  const { closed } = event.payload as unknown as ToolResult;
  const left = leftOut(event);
  if (left !== null) return left;
  if (!hasContent(event) && closed !== 'ran') return converted('→ error that says the call was not run');
  return kept('result of its call, with its error flag');
}
