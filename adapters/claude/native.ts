import { type Json, type NativeRecord, setOwn } from './record.ts';

/** Envelope fields that are kept once for the session. */
export const DEFAULT_FIELDS = [
  'agentId',
  'cwd',
  'entrypoint',
  'gitBranch',
  'isSidechain',
  'sessionId',
  'slug',
  'userType',
  'version',
] as const;

/** Fields that every mapped record gives back by its event: type, id, parent, time. */
export const COMMON: readonly string[] = ['type', 'uuid', 'parentUuid', 'timestamp'];

/** The defaults that a record brings. */
export function defaultsOf(record: NativeRecord): Json {
  const defaults: Json = {};
  for (const field of DEFAULT_FIELDS) {
    const value = record[field];
    if (typeof value === 'string' || typeof value === 'boolean') defaults[field] = value;
  }
  return defaults;
}

/**
 * What of a record is neither mapped (`handled`) nor equal to the session's defaults; undefined when nothing is left.
 * `$absent` names the defaults that the record does not have. With the events it gives the record back (rebuild.ts).
 */
export function remainder(
  record: NativeRecord,
  handled: ReadonlySet<string>,
  defaults: Json,
  defaultCount: number,
): Json | undefined {
  let native: Json | undefined;
  let present = 0;
  for (const key in record) {
    if (handled.has(key)) continue;
    const usual = defaults[key];
    if (usual !== undefined) {
      present++;
      if (usual === record[key]) continue;
    }
    native ??= {};
    setOwn(native, key, record[key]);
  }
  if (present === defaultCount) return native;
  const absent: string[] = [];
  for (const key in defaults) if (!Object.hasOwn(record, key)) absent.push(key);
  native ??= {};
  native.$absent = absent;
  return native;
}

/** What of an object is not in `known`; undefined when nothing is. */
export function extras(object: Json, known: ReadonlySet<string>): Json | undefined {
  let rest: Json | undefined;
  for (const key in object) {
    if (known.has(key)) continue;
    rest ??= {};
    setOwn(rest, key, object[key]);
  }
  return rest;
}
