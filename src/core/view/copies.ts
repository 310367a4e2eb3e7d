import type { EventDraft, SessionEvent } from '../../shared/events.ts';

/**
 * Agents fork a session by copying what was said so far into a new one. Such a record is in two logs. Its origin names the
 * native session that it comes from, however its agent's format lets the adapter tell it, so it is known for a copy whichever
 * of the two was read first, or alone: it is counted there, and shown once where both are shown together.
 */
export function isCopy({ origin }: Pick<EventDraft, 'origin'>): boolean {
  return origin !== null && origin.session !== undefined;
}

/** Marks what stands in a session and was said in another one; a copy of a copy keeps its first mark. */
export function asCopyOf<E extends Pick<SessionEvent, 'origin' | 'agent' | 'seq'>>(event: E, session: string): E {
  const { origin, agent, seq } = event;
  if (isCopy(event)) return event;
  return { ...event, origin: { ...(origin ?? { agent, native_id: null, native_seq: seq }), session } };
}
