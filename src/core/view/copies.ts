import type { EventDraft } from '../../shared/events.ts';

/**
 * Agents fork a session by copying what was said so far into a new one. Such a record is in two logs. Its origin names the
 * native session that it comes from, however its agent's format lets the adapter tell it, so it is known for a copy whichever
 * of the two was read first, or alone: it is counted there, and shown once where both are shown together.
 */
export function isCopy({ origin }: Pick<EventDraft, 'origin'>): boolean {
  return origin !== null && origin.session !== undefined;
}
