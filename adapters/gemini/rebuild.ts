import type { SessionEvent } from '../../src/shared/events.ts';
import { fill, type ReadArtifact, type Slot, slotsOf } from './native.ts';
import { isObject, type Json } from './read/record.ts';

/**
 * Writes the native records again from a session's events: JSON-equal to what was read, by line (from 0). Damaged lines and
 * what redaction replaced do not come back. A document that is written anew each time comes once a writing; the last one counts.
 */
export async function* rebuildRecords(
  events: Iterable<SessionEvent> | AsyncIterable<SessionEvent>,
  read: ReadArtifact,
): AsyncGenerator<{ line: number; record: Json }> {
  const last = new Map<string, unknown>();
  let line = -1;
  let group: SessionEvent[] = [];
  for await (const event of events) {
    if (event.origin === null) continue;
    if (event.origin.native_seq !== line) {
      yield* recordsOf(group, read, last);
      group = [];
      line = event.origin.native_seq;
    }
    group.push(event);
  }
  yield* recordsOf(group, read, last);
}

async function* recordsOf(
  events: readonly SessionEvent[],
  read: ReadArtifact,
  last: Map<string, unknown>,
): AsyncGenerator<{ line: number; record: Json }> {
  const slots: Slot[] = [...slotsOf(events)];
  for (const { type, payload, origin } of events) {
    const kept =
      type !== 'meta'
        ? payload.native
        : payload.key === 'record' || payload.key === 'unknown'
          ? payload.value
          : undefined;
    if (kept === undefined) continue;
    const record = (await fill(kept, slots, read, (id) => last.get(id))) as Json;
    for (const message of messagesOf(record)) last.set(String(message.id), message);
    yield { line: origin!.native_seq, record };
  }
}

function messagesOf(record: Json): Json[] {
  const list = isObject(record.$set) ? record.$set.messages : record.messages;
  if (typeof record.id === 'string') return [record];
  return Array.isArray(list) ? list.filter(isObject) : [];
}
