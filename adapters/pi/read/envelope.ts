import { isObject, type Json } from '../json.ts';
import { leftOver } from '../pack.ts';
import type { SessionLog } from './log.ts';

const ENVELOPE: ReadonlySet<string> = new Set(['type', 'id', 'parentId', 'timestamp']);

/**
 * What of a record beside `mapped` has no place in its event: the `native` part. `$env` holds id, parent and time where
 * the event does not give them back (rebuild.ts).
 */
export function nativeOf(record: Json, log: SessionLog, mapped: readonly string[] = []): Json {
  const known = new Set([...ENVELOPE, ...mapped]);
  const odd = oddEnvelope(record, log);
  return { ...leftOver(record, known), ...(odd === undefined ? {} : { $env: odd }) };
}

/** The same for the message in a record. */
export function nativeMessage(record: Json, log: SessionLog, mapped: readonly string[]): Json {
  const message = isObject(record.message) ? leftOver(record.message, new Set(mapped)) : undefined;
  return { ...nativeOf(record, log, ['message']), ...(message === undefined ? {} : { message }) };
}

function oddEnvelope(record: Json, log: SessionLog): Json | undefined {
  const { id, timestamp } = record;
  const odd: Json = {};
  if (id !== undefined && log.place.id === null) odd.id = id;
  if (!hangsAsNamed(record, log)) {
    if (Object.hasOwn(record, 'parentId')) odd.parentId = record.parentId;
    else odd.$orphan = true;
  }
  if (timestamp !== undefined && typeof timestamp !== 'string' && typeof timestamp !== 'number')
    odd.timestamp = timestamp;
  return Object.keys(odd).length > 0 ? odd : undefined;
}

/** Whether the event's place in the tree gives the record's `parentId` back. */
function hangsAsNamed(record: Json, { place, graph }: SessionLog): boolean {
  if (place.id === null) return !Object.hasOwn(record, 'parentId');
  if (record.parentId === null) return place.parent === graph.root;
  const parent = typeof record.parentId === 'string' ? graph.records.get(record.parentId) : undefined;
  return parent !== undefined && parent.end === place.parent;
}
