import { eventText } from '../core/search/event-text.ts';
import type { Matcher } from '../core/search/match.ts';
import { snippetOf } from '../core/search/snippet.ts';
import type { SessionEvent } from '../shared/events.ts';
import type { Call } from './tool.ts';

/**
 * What is shown of an event that matches. The piece that the search itself cuts out may be the middle of a secret, which is
 * not known as one: the whole event is redacted first, then cut. '' when nothing can be shown.
 */
export async function hitText(call: Call, session: string, seq: number, matcher: Matcher): Promise<string> {
  const read = await call.connection.engine.call('events.get', { id: session, seq }, call.signal);
  if (!read.ok) return '';
  const event = read.value as unknown as SessionEvent;
  const said = eventText({ ...event, payload: call.clean.record(event.payload) });
  if (said === null) return '';
  const { text, more_before, more_after } = snippetOf(said.texts, matcher.match(said.texts) ?? []);
  return `${more_before ? '…' : ''}${text.trim()}${more_after ? '…' : ''}`;
}
