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

const kept = (how: string): Carry => ({ outcome: 'kept', how });
const converted = (how: string): Carry => ({ outcome: 'converted', how });
const dropped = (how: string): Carry => ({ outcome: 'dropped', how });

/** What Gemini CLI does with one event of the model view. Pure; it must say exactly what messages.ts does. */
export function carryToGemini(event: SessionEvent, from: string): Carry {
  if (DERIVED_TYPES.has(event.type)) return dropped('carried by its call');
  if (!isConversation(event.type)) return dropped(`state of ${from}, not part of the conversation`);
  switch (event.type) {
    case 'message.thinking':
      return thinking(event);
    case 'message.system':
      return reachesModel(event)
        ? content(event, 'context for the model, never shown as a prompt')
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

function thinking(event: SessionEvent): Carry {
  const { text } = event.payload;
  if (typeof text === 'string' && text.trim() !== '')
    return dropped(
      'belongs to its provider: shown in the transcript (by versions from 0.52 on), never sent to the model',
    );
  return dropped('encrypted by its provider, stays at home');
}

function call(event: SessionEvent): Carry {
  const { name, arguments: args } = event.payload as unknown as ToolCall;
  const written = toolName(String(name));
  if (typeof args === 'string') return converted('real call, its free text as the argument input');
  return written === name
    ? kept('real call, name and arguments as they are')
    : converted(`real call, name written as ${written}`);
}

function result(event: SessionEvent): Carry {
  const { closed } = event.payload as unknown as ToolResult;
  const left = leftOut(event);
  if (left !== null) return left;
  if (!hasContent(event) && closed !== 'ran') return converted('→ error that says the call was not run');
  return kept('result of its call, with its error flag');
}

function content(event: SessionEvent, how: string): Carry {
  if (!hasContent(event)) return dropped('empty');
  return leftOut(event) ?? kept(how);
}

/** A part that Gemini CLI has no place for is named in a text where it stood. */
function leftOut(event: SessionEvent): Carry | null {
  for (const block of blocksOf(event)) {
    if (block.kind === 'document') return converted(`document (${block.media_type}) → its name alone`);
    if (block.kind === 'image' && !supportedImage(block.media_type))
      return converted(`image (${block.media_type}) → a note: only png, jpeg, gif and webp are carried`);
    if (block.kind === 'image' && event.type === 'message.assistant')
      return converted('image → a note: a reply takes text alone');
  }
  return null;
}
