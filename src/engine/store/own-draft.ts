import type { EventDraft } from '../../shared/events.ts';

/**
 * An event that we ourselves write, with what such events have in common. It hangs on nothing; `hang` of a decision puts it
 * behind what the session ended with.
 * @param event `ts` in seconds, by default now; `level` by default 1, part of the conversation
 */
export function ownDraft(
  event: Pick<EventDraft, 'agent' | 'actor' | 'type'> & { payload: object; ts?: number; level?: EventDraft['level'] },
): EventDraft {
  const { ts = Date.now() / 1000, level = 1, payload, ...said } = event;
  return { ts, ...said, level, payload: { ...payload }, refs: [], parent_seq: null, origin: null };
}
