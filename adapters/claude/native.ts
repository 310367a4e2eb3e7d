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

/** The defaults that a record brings. */
export function defaultsOf(record: NativeRecord): Json {
  const defaults: Json = {};
  for (const field of DEFAULT_FIELDS) {
    const value = record[field];
    if (typeof value === 'string' || typeof value === 'boolean') defaults[field] = value;
  }
  return defaults;
}

const MAPPED = Symbol('mapped');

/** The members that need not be kept of an object: those that are mapped, and those that have their default value. */
export class Usual {
  private readonly members = new Map<string, unknown>();
  private readonly defaults: readonly string[];

  constructor(mapped: Iterable<string>, defaults: Json) {
    for (const name of Object.keys(defaults)) this.members.set(name, defaults[name]);
    for (const name of mapped) this.members.set(name, MAPPED);
    this.defaults = [...this.members].filter(([, value]) => value !== MAPPED).map(([name]) => name);
  }

  /**
   * What else an object has; undefined when nothing. `$absent` names the defaults that it does not have. With the event
   * and the defaults it gives the object back (rebuild.ts).
   */
  rest(object: Json): Json | undefined {
    let rest: Json | undefined;
    let present = 0;
    for (const key in object) {
      const usual = this.members.get(key);
      if (usual === MAPPED) continue;
      const value = object[key];
      if (usual !== undefined) {
        present++;
        if (usual === value) continue;
      }
      rest ??= {};
      keep(rest, key, value);
    }
    if (present === this.defaults.length) return rest;
    rest ??= {};
    rest.$absent = this.defaults.filter((name) => !Object.hasOwn(object, name));
    return rest;
  }
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
  log: { usual(handled: ReadonlySet<string>): Usual },
  exact: boolean,
  more: Json | undefined,
): Json | undefined {
  const rest = withOdd(log.usual(handled).rest(record), record);
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
