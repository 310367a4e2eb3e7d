import { DERIVED_TYPES, type SessionEvent, type ToolCall } from '../../src/shared/events.ts';
import type { Carry } from '../contract.ts';
import { isConversation } from './arrange.ts';
import { blocksOf, hasContent, supportedImage } from './blocks.ts';
import { toolName } from './ids.ts';

export const kept = (how: string): Carry => ({ outcome: 'kept', how });
export const converted = (how: string): Carry => ({ outcome: 'converted', how });
export const dropped = (how: string): Carry => ({ outcome: 'dropped', how });

/** Where targets differ. Each rule must say exactly what the target's writer does. */
export interface CarryRules {
  thinking(event: SessionEvent): Carry;
  /** notes of the harness; `from` names the source agent */
  context(event: SessionEvent, from: string): Carry;
  /** what becomes of a summary */
  summary: string;
  call(event: SessionEvent): Carry;
  result(event: SessionEvent): Carry;
}

/** `TargetAdapter.carry` of a target that is written by way of `writeSession`. */
export function carryBy(rules: CarryRules): (event: SessionEvent, from: string) => Carry {
  return (event, from) => {
    if (DERIVED_TYPES.has(event.type)) return dropped('carried by its call');
    if (!isConversation(event.type)) return dropped(`state of ${from}, not part of the conversation`);
    switch (event.type) {
      case 'message.thinking':
        return rules.thinking(event);
      case 'message.system':
        return rules.context(event, from);
      case 'context.compacted':
        return hasContent(event) ? converted(rules.summary) : nothing(event);
      case 'message.assistant':
        return event.payload.synthetic === true
          ? dropped(`written by ${from}'s client, not by a model`)
          : content(event, 'kept');
      case 'tool.call':
        return rules.call(event);
      case 'tool.result':
        return rules.result(event);
      default:
        return content(event, 'kept');
    }
  };
}

/** A message that is written as it is, but for parts that have no place in any target. */
export function content(event: SessionEvent, how: string): Carry {
  return hasContent(event) ? (leftOut(event) ?? kept(how)) : nothing(event);
}

/** Why an event without content is not written. */
function nothing(event: SessionEvent): Carry {
  return dropped(isUnreadable(event) ? 'in a form that its own agent alone reads' : 'empty');
}

const isUnreadable = (event: SessionEvent): boolean => blocksOf(event).some(({ kind }) => kind === 'opaque');

/** What becomes of a part that targets have no place for; null = there is none. */
export function leftOut(event: SessionEvent): Carry | null {
  for (const block of blocksOf(event)) {
    if (block.kind === 'document') return converted(`document (${block.media_type}) → its name alone`);
    if (block.kind === 'image' && !supportedImage(block.media_type))
      return converted(`image (${block.media_type}) → a note: models take png, jpeg, gif and webp`);
    if (block.kind === 'image' && event.type === 'message.assistant')
      return converted('image → a note: a reply takes text alone');
  }
  return isUnreadable(event) ? converted('without a part that its own agent alone reads') : null;
}

/** A call of a target whose calls have their arguments as an object: free text becomes the argument `input`. */
export function callOfObject(event: SessionEvent): Carry {
  if (typeof (event.payload as unknown as ToolCall).arguments === 'string')
    return converted('real call, its free text as the argument "input"');
  return callAsItIs(event);
}

export function callAsItIs(event: SessionEvent): Carry {
  const { name } = event.payload as unknown as ToolCall;
  const written = toolName(String(name));
  return written === name
    ? kept('real call, name and arguments as they are')
    : converted(`real call, name written as ${written}`);
}

/** Reasoning of another provider, for a target that does not send it. `shown`: what it does with text that can be read. */
export function foreignThinking({ payload: { text } }: SessionEvent, shown: string): Carry {
  return dropped(typeof text === 'string' && text.trim() !== '' ? shown : 'encrypted by its provider, stays at home');
}
