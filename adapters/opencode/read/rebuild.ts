import type { SessionEvent } from '../../../src/shared/events.ts';
import { isObject, type Json, objectOf } from '../json.ts';
import { expand, type ReadArtifact } from './shrink.ts';

/** What a session's rows or files hold. `times`: those of the row, when it was made and changed; empty for files. */
export type Rebuilt =
  | { kind: 'session'; record: Json }
  | { kind: 'todos'; rows: Json[] }
  | ({ kind: 'message'; parts: RebuiltRow[] } & RebuiltRow);

export interface RebuiltRow {
  id: string;
  times: unknown[];
  data: Json;
}

/**
 * Writes the native records of a session from its events: the proof that capture loses nothing, and the way back to the
 * same agent. What redaction replaced stays replaced. Rows change in place, so the log is read twice: what was told last
 * about a message counts, and it comes where that stands.
 */
export async function* rebuildRecords(
  log: AsyncIterable<SessionEvent> | Iterable<SessionEvent>,
  read: ReadArtifact,
): AsyncGenerator<Rebuilt> {
  const last = new Map<string, number>();
  for await (const event of log) {
    const key = keyOf(event);
    if (key !== null) last.set(key, event.seq);
  }
  for await (const event of log) {
    const key = keyOf(event);
    if (key === null || last.get(key) !== event.seq) continue;
    const { value, native } = event.payload;
    if (isObject(native)) yield await messageOf(idOf(value), native, read);
    else if (key === 'session') yield { kind: 'session', record: objectOf(await expand(objectOf(value).rows, read)) };
    else if (key === 'todo')
      yield { kind: 'todos', rows: ((await expand(objectOf(value).rows, read)) ?? []) as Json[] };
  }
}

/** What of a session an event tells anew; null = nothing of its records. */
function keyOf({ type, payload: { key, value, native } }: SessionEvent): string | null {
  if (type !== 'meta') return null;
  if (isObject(native)) return `message ${idOf(value)}`;
  return key === 'record' && isObject(value) ? String(value.table) : null;
}

const idOf = (value: unknown): string => String(objectOf(value).response ?? objectOf(value).id);

async function messageOf(id: string, native: Json, read: ReadArtifact): Promise<Rebuilt> {
  const parts: RebuiltRow[] = [];
  for (const [part, stored, ...times] of native.parts as [string, unknown, ...unknown[]][])
    parts.push({ id: part, times, data: await partOf(stored, read) });
  const times = (native.times ?? []) as unknown[];
  return { kind: 'message', id, times, data: objectOf(await expand(native.message, read)), parts };
}

async function partOf(stored: unknown, read: ReadArtifact): Promise<Json> {
  const data = objectOf(await expand(stored, read));
  const state = objectOf(data.state);
  const metadata = objectOf(state.metadata);
  if (objectOf(metadata.output).$same === 'output') metadata.output = state.output;
  return data;
}
