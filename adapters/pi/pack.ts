import { isLong, type StoreArtifact } from '../io/cut-text.ts';
import { isObject, type Json, setOwn } from './json.ts';

/** Reads an artifact back. */
export type ReadArtifact = (ref: string) => Promise<Uint8Array>;

/** Shorter repetitions of a text are not worth a reference. */
const WORTH = 64;

/** Ours: `$text` an artifact of text, `$same` the beginning of the result's own text, `$raw` an object that has such names. */
const STANDS_IN = ['$text', '$same', '$raw'];

/** A copy in which long strings are artifacts and repetitions of `same` are references; the value itself when there are none. */
export function pack(value: unknown, store: StoreArtifact, same = ''): unknown {
  if (typeof value === 'string') {
    if (value.length > WORTH && same.startsWith(value)) return { $same: value.length };
    return isLong(value) ? { $text: store(Buffer.from(value), 'text/plain') } : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => pack(item, store, same));
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  const object = value as Json;
  if (STANDS_IN.some((name) => Object.hasOwn(object, name))) return { $raw: object };
  let copy: Json | undefined;
  for (const key of Object.keys(object)) {
    const after = pack(object[key], store, same);
    if (after === object[key]) continue;
    copy ??= { ...object };
    setOwn(copy, key, after);
  }
  return copy ?? object;
}

/** The inverse of `pack`. */
export async function unpack(value: unknown, read: ReadArtifact, same = ''): Promise<unknown> {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Promise.all(value.map((item) => unpack(item, read, same)));
  const object = value as Json;
  if (typeof object.$text === 'string') return textOf(await read(object.$text));
  if (typeof object.$same === 'number') return same.slice(0, object.$same);
  if (isObject(object.$raw)) return object.$raw;
  const copy: Json = {};
  for (const key of Object.keys(object)) setOwn(copy, key, await unpack(object[key], read, same));
  return copy;
}

export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/**
 * What of an object is not in `known`; undefined when nothing is. Names with `$` are ours, so the agent's own such members
 * go into `$own`.
 */
export function leftOver(object: Json, known: ReadonlySet<string>): Json | undefined {
  let rest: Json | undefined;
  let own: Json | undefined;
  for (const key of Object.keys(object)) {
    if (known.has(key)) continue;
    if (key.startsWith('$')) {
      own ??= {};
      setOwn(own, key, object[key]);
    } else {
      rest ??= {};
      setOwn(rest, key, object[key]);
    }
  }
  return own === undefined ? rest : { ...rest, $own: own };
}

/** The agent's own members among what `leftOver` kept. */
export function ownMembers(kept: unknown): Json {
  const members: Json = {};
  if (!isObject(kept)) return members;
  for (const key of Object.keys(kept)) if (!key.startsWith('$')) setOwn(members, key, kept[key]);
  if (isObject(kept.$own)) for (const key of Object.keys(kept.$own)) setOwn(members, key, kept.$own[key]);
  return members;
}
