import { DERIVED_TYPES, type MessageSystem, type SessionEvent, type ToolCall } from '../../../src/shared/events.ts';
import type { Carry } from '../../contract.ts';
import { isConversation } from '../../conversation/arrange.ts';
import { blocksOf, hasContent, supportedImage } from '../../conversation/blocks.ts';
import { toolName } from '../../conversation/ids.ts';
import { standIn } from '../../conversation/stand-in.ts';

const kept = (how: string): Carry => ({ outcome: 'kept', how });
const converted = (how: string): Carry => ({ outcome: 'converted', how });
const dropped = (how: string): Carry => ({ outcome: 'dropped', how });

/** What Pi does with one event of the model view. Pure; it says exactly what `lines.ts` writes. */
export function carryToPi(event: SessionEvent, from: string): Carry {
  if (DERIVED_TYPES.has(event.type)) return dropped('carried by its call');
  if (!isConversation(event.type)) return dropped(`state of ${from}, not part of the conversation`);
  switch (event.type) {
    case 'message.thinking':
      return carriesThinking(event)
        ? kept('goes home with its signature')
        : dropped('belongs to another provider; Pi sends the reasoning of the same model alone');
    case 'message.system':
      return carriesContext(event)
        ? content(event, 'context for the model, not shown as a prompt')
        : dropped(`instructions of ${from}; Pi brings its own`);
    case 'context.compacted':
      return hasContent(event) ? converted('→ compaction with the summary') : dropped('empty');
    case 'message.assistant':
      return event.payload.synthetic === true
        ? dropped(`${from} does not send it to its model`)
        : content(event, 'kept');
    case 'tool.call':
      return call(event);
    case 'tool.result':
      return hasContent(event) || standIn(event) === ''
        ? (leftOut(event) ?? kept('result of its call'))
        : converted('→ result that says what happened');
    default:
      return content(event, 'kept');
  }
}

/** Reasoning of a session that Pi itself wrote goes back; any other provider's would be refused or shown as an answer. */
export function carriesThinking(event: SessionEvent): boolean {
  const { opaque, form, text } = event.payload;
  if (event.agent !== 'pi') return false;
  return typeof opaque === 'string' || (form === 'plain' && typeof text === 'string' && text.trim() !== '');
}

/** Files, command output and notes are part of the conversation; instructions and reminders are the other client's own. */
export function carriesContext(event: SessionEvent): boolean {
  const { role, about, to_model } = event.payload as unknown as MessageSystem;
  return to_model === true && role === 'user' && (about === 'file' || about === 'command_output' || about === 'notice');
}

function call(event: SessionEvent): Carry {
  const { name, arguments: args } = event.payload as unknown as ToolCall;
  const written = toolName(String(name));
  if (written !== name) return converted(`real call, name written as ${written}`);
  return typeof args === 'string'
    ? converted('real call, its text as the field "input"')
    : kept('real call, name and arguments as they are');
}

function content(event: SessionEvent, how: string): Carry {
  return hasContent(event) ? (leftOut(event) ?? kept(how)) : dropped('empty');
}

/** A part that Pi has no place for is named in a text where it stood. */
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
