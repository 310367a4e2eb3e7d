import type { MessageSystem, SessionEvent } from '../../../src/shared/events.ts';
import { hasContent } from '../../conversation/blocks.ts';
import { callOfObject, carryBy, content, converted, dropped, kept, leftOut } from '../../conversation/carry.ts';
import { standIn } from '../../conversation/stand-in.ts';

/** What Pi does with one event of the model view. Pure; it says exactly what `lines.ts` writes. */
export const carryToPi = carryBy({
  thinking: (event) =>
    carriesThinking(event)
      ? kept('goes home with its signature')
      : dropped('belongs to another provider; Pi sends the reasoning of the same model alone'),
  context: (event, from) =>
    carriesContext(event)
      ? content(event, 'context for the model, not shown as a prompt')
      : dropped(`instructions of ${from}; Pi brings its own`),
  summary: '→ compaction with the summary',
  call: callOfObject,
  result: (event) =>
    leftOut(event) ??
    (hasContent(event) || standIn(event) === ''
      ? kept('result of its call')
      : converted('→ result that says what happened')),
});

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
