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
import { failed } from '../../conversation/stand-in.ts';

const kept = (how: string): Carry => ({ outcome: 'kept', how });
const converted = (how: string): Carry => ({ outcome: 'converted', how });
const dropped = (how: string): Carry => ({ outcome: 'dropped', how });

/** What OpenCode does with one event of the model view. Pure; it must say exactly what export.ts writes. */
export function carryToOpenCode(event: SessionEvent, from: string): Carry {
  if (DERIVED_TYPES.has(event.type)) return dropped('carried by its call');
  if (!isConversation(event.type)) return dropped(`state of ${from}, not part of the conversation`);
  switch (event.type) {
    case 'message.thinking':
      return carriesThinking(event)
        ? kept('goes home with what its provider signed')
        : dropped('belongs to its provider: OpenCode would send it as a part of the answer');
    case 'message.system':
      return reachesModel(event)
        ? content(event, 'context for the model, hidden from the person')
        : dropped(`not sent to the model by ${from} itself`);
    case 'context.compacted':
      return hasContent(event) ? converted('→ compaction with its summary') : dropped('empty');
    case 'message.assistant':
      return (event.payload as unknown as MessageAssistant).synthetic === true
        ? dropped(`written by ${from}'s client, not by a model`)
        : content(event, 'kept');
    case 'tool.call':
      return call(event);
    case 'tool.result':
      return result(event);
    default:
      return content(event, 'kept');
  }
}

/** OpenCode sends the reasoning of another model as plain text, so only its own goes back. */
export function carriesThinking(event: SessionEvent): boolean {
  return event.agent === 'opencode';
}

/** A command that ended with a code is no failed tool to OpenCode: its own calls stay as they were. */
export function isErrorState(result: SessionEvent | null): boolean {
  if (result?.agent === 'opencode' && (result.payload as unknown as ToolResult).exit_code !== undefined) return false;
  return failed(result);
}

function call(event: SessionEvent): Carry {
  const { name, arguments: args } = event.payload as unknown as ToolCall;
  const written = toolName(String(name));
  if (typeof args === 'string') return converted('real call, its free text as the argument `input`');
  return written === name
    ? kept('real call, name and arguments as they are')
    : converted(`real call, name written as ${written}`);
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

function content(event: SessionEvent, how: string): Carry {
  if (!hasContent(event)) return dropped('empty');
  return leftOut(event) ?? kept(how);
}

/** A part that OpenCode has no place for is named in a text where it stood. */
function leftOut(event: SessionEvent): Carry | null {
  for (const block of blocksOf(event)) {
    if (block.kind === 'document') return converted(`document (${block.media_type}) → its name alone`);
    if (block.kind === 'image' && !supportedImage(block.media_type))
      return converted(`image (${block.media_type}) → a note: models take png, jpeg, gif and webp`);
    if (block.kind === 'image' && event.type === 'message.assistant')
      return converted('image → a note: a reply takes text alone');
  }
  return null;
}
