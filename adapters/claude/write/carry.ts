import type { MessageSystem, MessageThinking, SessionEvent } from '../../../src/shared/events.ts';
import { hasContent } from '../../conversation/blocks.ts';
import { callOfObject, carryBy, content, converted, dropped, kept, leftOut } from '../../conversation/carry.ts';
import { standIn } from '../../conversation/stand-in.ts';

/** A signature shorter than this was cut or made up; the API would refuse the whole request. */
const SHORTEST_SIGNATURE = 40;

/** What Claude Code does with one event of the model view. Pure; it says exactly what `lines.ts` writes. */
export const carryToClaude = carryBy({
  thinking: (event) =>
    carriesThinking(event)
      ? kept('goes home with its signature')
      : dropped('belongs to another provider, or its signature is not whole'),
  context: (event, from) =>
    carriesContext(event)
      ? content(event, 'context for the model, hidden from the person')
      : dropped(`instructions of ${from}; Claude Code brings its own`),
  summary: '→ summary in front',
  call: callOfObject,
  result: (event) =>
    leftOut(event) ??
    (hasContent(event) || standIn(event) === ''
      ? kept('result of its call')
      : converted('→ result that says what happened')),
});

/** Signed thinking of Claude's own goes back; nothing else may, since the API checks the signature. */
export function carriesThinking(event: SessionEvent): boolean {
  const { form, opaque } = event.payload as unknown as MessageThinking;
  return event.agent === 'claude' && form === 'signed' && signatureOf(opaque).length >= SHORTEST_SIGNATURE;
}

export function signatureOf(opaque: unknown): string {
  if (typeof opaque === 'string') return opaque;
  const { signature } = (opaque ?? {}) as { signature?: unknown };
  return typeof signature === 'string' ? signature : '';
}

/** Files and command output are part of the conversation; instructions and reminders are the other client's own. */
export function carriesContext(event: SessionEvent): boolean {
  const { role, about, to_model } = event.payload as unknown as MessageSystem;
  return to_model === true && role === 'user' && (about === 'file' || about === 'command_output' || about === 'notice');
}
