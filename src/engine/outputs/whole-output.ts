import type { SessionEvent } from '../../shared/events.ts';
import type { OutgoingRedactor } from '../handoff/outgoing.ts';
import type { StoreReader } from '../store/contract.ts';

/** Outputs up to this size are written whole; of longer ones beginning and end stand in the log, with a note between. */
const WHOLE_BYTES = 64 * 1024;

/** The event with its whole output, where the log holds beginning and end alone and the whole is not too long. */
export async function wholeOutput(
  event: SessionEvent,
  reader: StoreReader,
  redactor: OutgoingRedactor,
): Promise<SessionEvent> {
  const { truncated, content } = event.payload as {
    truncated?: { bytes?: unknown; artifact?: unknown };
    content?: unknown;
  };
  if (event.type !== 'tool.result' || !truncated || !Array.isArray(content)) return event;
  if (typeof truncated.bytes !== 'number' || truncated.bytes > WHOLE_BYTES) return event;
  const note = `of ${truncated.bytes} bytes left out here …]`;
  const at = content.findIndex((block) => typeof block?.text === 'string' && block.text.includes(note));
  const artifact = at < 0 ? null : await reader.artifact(String(truncated.artifact));
  if (artifact === null) return event;
  const text = new TextDecoder().decode(redactor.artifact(artifact));
  const { truncated: _, ...payload } = event.payload;
  return { ...event, payload: { ...payload, content: content.with(at, { kind: 'text', text }) } };
}
