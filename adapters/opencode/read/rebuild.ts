import type { SessionEvent } from '../../../src/shared/events.ts';
import { isObject, type Json, objectOf } from '../json.ts';
import { expand, type ReadArtifact } from './shrink.ts';

/** The records of a session as the agent keeps them. */
export interface NativeRecords {
  session: Json | null;
  todos: Json[];
  messages: { id: string; data: Json; parts: { id: string; data: Json }[] }[];
}

/**
 * Writes the native records of a session from its events: the proof that capture loses nothing, and the way back to the
 * same agent. What redaction replaced stays replaced. Messages come in the order in which they were first seen.
 */
export async function rebuildRecords(
  events: AsyncIterable<SessionEvent> | Iterable<SessionEvent>,
  read: ReadArtifact,
): Promise<NativeRecords> {
  const closings = new Map<string, Json>();
  const tables = new Map<string, unknown>();
  for await (const { type, payload } of events) {
    const { key, value, native } = payload;
    if (type !== 'meta') continue;
    if (isObject(native)) closings.set(messageOf(value), native);
    else if (key === 'record' && isObject(value)) tables.set(String(value.table), value.rows);
  }
  const records: NativeRecords = {
    session: isObject(tables.get('session')) ? objectOf(await expand(tables.get('session'), read)) : null,
    todos: ((await expand(tables.get('todo') ?? [], read)) as Json[]) ?? [],
    messages: [],
  };
  for (const [id, native] of closings) {
    const parts = (native.parts as [string, unknown][]).map(async ([part, stored]) => ({
      id: part,
      data: await partOf(stored, read),
    }));
    records.messages.push({
      id,
      data: objectOf(await expand(native.message, read)),
      parts: await Promise.all(parts),
    });
  }
  return records;
}

const messageOf = (value: unknown): string => String(objectOf(value).response ?? objectOf(value).id);

async function partOf(stored: unknown, read: ReadArtifact): Promise<Json> {
  const data = objectOf(await expand(stored, read));
  const state = objectOf(data.state);
  const metadata = objectOf(state.metadata);
  if (objectOf(metadata.output).$same === 'output') metadata.output = state.output;
  return data;
}
