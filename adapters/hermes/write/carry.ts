import {
  DERIVED_TYPES,
  type MessageAssistant,
  type SessionEvent,
  type ToolCall,
  type ToolResult,
} from '../../../src/shared/events.ts';
import type { Carry } from '../../contract.ts';
import { isConversation, reachesModel } from '../../conversation/arrange.ts';
import { blocksOf, hasContent, supportedImage } from '../../conversation/blocks.ts';
import { toolName } from '../../conversation/ids.ts';
import { needsErrorMark } from './output.ts';
import { isRecalled } from './recalled.ts';

const kept = (how: string): Carry => ({ outcome: 'kept', how });
const converted = (how: string): Carry => ({ outcome: 'converted', how });
const dropped = (how: string): Carry => ({ outcome: 'dropped', how });

/** What Hermes does with one event of the model view. Pure; it must say exactly what write/ does. */
export function carryToHermes(event: SessionEvent, from: string): Carry {
  if (DERIVED_TYPES.has(event.type)) return dropped('carried by its call');
  if (!isConversation(event.type)) return dropped(`state of ${from}, not part of the conversation`);
  switch (event.type) {
    case 'message.thinking':
      return thinking(event);
    case 'message.system':
      if (isRecalled(event)) return dropped('memory of Hermes, which recalls it afresh');
      return reachesModel(event)
        ? content(event, 'context for the model, hidden from the transcript')
        : dropped(`not sent to the model by ${from} itself`);
    case 'context.compacted':
      return converted('→ message in front with the summary');
    case 'message.assistant':
      if ((event.payload as unknown as MessageAssistant).synthetic === true)
        return dropped(`written by ${from}'s client, not by a model`);
      return content(event, 'kept');
    case 'tool.call':
      return call(event);
    case 'tool.result':
      return result(event);
    default:
      return content(event, 'kept');
  }
}

function thinking({ agent, payload }: SessionEvent): Carry {
  if (agent === 'hermes') return kept('its own reasoning, with what its provider signed');
  if (typeof payload.text === 'string' && payload.text.trim() !== '')
    return dropped('belongs to its provider: shown in the transcript of an answer, not sent to the model');
  return dropped('encrypted by its provider, stays at home');
}

function call(event: SessionEvent): Carry {
  const { name, arguments: args } = event.payload as unknown as ToolCall;
  const written = toolName(String(name));
  if (written !== name) return converted(`real call, name written as ${written}`);
  if (typeof args === 'string') return converted('real call, its text as the argument "input"');
  return kept('real call, name and arguments as they are');
}

function result(event: SessionEvent): Carry {
  const { closed } = event.payload as unknown as ToolResult;
  const left = leftOut(event);
  if (left !== null) return left;
  if (!hasContent(event) && closed !== 'ran') return converted('→ result that says the call was not run');
  if (needsErrorMark(event)) return converted('result of its call, with a line that says it failed');
  return kept('result of its call');
}

function content(event: SessionEvent, how: string): Carry {
  if (!hasContent(event)) return dropped('empty');
  return leftOut(event) ?? kept(how);
}

/** A part that Hermes has no place for is named in a text where it stood. */
function leftOut(event: SessionEvent): Carry | null {
  for (const block of blocksOf(event)) {
    if (block.kind === 'document') return converted(`document (${block.media_type}) → its name alone`);
    if (block.kind === 'image' && !supportedImage(block.media_type))
      return converted(`image (${block.media_type}) → a note: Hermes takes png, jpeg, gif and webp`);
    if (block.kind === 'image' && event.type === 'message.assistant')
      return converted('image → a note: a reply takes text alone');
  }
  return null;
}
