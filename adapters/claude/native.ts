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

/** A copy that has no other members than its own, so that any name can be looked up. */
export function bare(object: Json): Json {
  return Object.assign(Object.create(null) as Json, object);
}

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
    keep(native, key, record[key]);
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
    keep(rest, key, object[key]);
  }
  return rest;
}

/** Names with `$` are ours; the agent's own ones go into `$own`. */
function keep(into: Json, key: string, value: unknown): void {
  if (!key.startsWith('$')) setOwn(into, key, value);
  else {
    const own: Json = { ...(into.$own as Json | undefined) };
    setOwn(own, key, value);
    into.$own = own;
  }
}

/** The agent's members among what was kept. */
export function ownMembers(kept: Json): Json {
  const members: Json = {};
  for (const key in kept) if (!key.startsWith('$')) setOwn(members, key, kept[key]);
  return kept.$own === undefined ? members : { ...members, ...(kept.$own as Json) };
}

/**
 * The `native` part of an event: what of its record is left over, and `more` that the mapping found. Keeps the parent
 * that the record names where its place in the tree (`exact`) does not give it back.
 */
export function leftOver(
  record: NativeRecord,
  handled: ReadonlySet<string>,
  log: { defaults: Json; defaultCount: number },
  exact: boolean,
  more: Json | undefined,
): Json | undefined {
  const rest = withOdd(remainder(record, handled, log.defaults, log.defaultCount), record);
  const native = rest !== undefined && more !== undefined ? { ...more, ...rest } : (rest ?? more);
  return exact ? native : withParent(native, record);
}

/** Keeps a time or an id of a form that the event has no place for. */
export function withOdd(native: Json | undefined, record: NativeRecord): Json | undefined {
  const { timestamp, uuid } = record;
  const oddTime = timestamp !== undefined && typeof timestamp !== 'string' && typeof timestamp !== 'number';
  const oddId = uuid !== undefined && (typeof uuid !== 'string' || uuid === '');
  if (!oddTime && !oddId) return native;
  return { ...native, ...(oddTime ? { timestamp } : {}), ...(oddId ? { uuid } : {}) };
}

function withParent(native: Json | undefined, record: NativeRecord): Json {
  if (Object.hasOwn(record, 'parentUuid')) return { ...native, parentUuid: record.parentUuid };
  const absent = Array.isArray(native?.$absent) ? (native.$absent as string[]) : [];
  return { ...native, $absent: [...absent, 'parentUuid'] };
}
