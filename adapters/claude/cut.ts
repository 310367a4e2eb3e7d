import { isLong, type StoreArtifact } from '../io/cut-text.ts';
import { isObject, type Json, setOwn } from './record.ts';

/**
 * Stand-ins for what is stored elsewhere: `$same` = the result's own text (with a prefix), `$text` = an artifact of
 * text, `$base64` = an artifact of the bytes that were written as base64, `$json` = an artifact of JSON,
 * `$raw` = an object of the agent that happens to have one of these names.
 */
const STANDS_IN: ReadonlySet<string> = new Set(['$same', '$text', '$base64', '$json', '$raw']);

const DOLLAR = 36;

export interface CompactOptions {
  store: StoreArtifact;
  /** a text that is stored already; equal strings refer to it */
  same?: string | undefined;
}

/** A copy of a JSON value in which long strings are artifacts and repeated ones are references; itself when none. */
export function compact(value: unknown, options: CompactOptions): unknown {
  if (typeof value === 'string') return compactString(value, options);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return compactArray(value, options);
  return compactObject(value as Json, options);
}

function compactString(value: string, { store, same }: CompactOptions): unknown {
  if (same !== undefined && value.length >= same.length && value.length > 32 && value.endsWith(same) && same !== '') {
    const prefix = value.slice(0, value.length - same.length);
    if (prefix.length <= 16) return { $same: prefix };
  }
  if (!isLong(value)) return value;
  const bytes = Buffer.from(value);
  return { $text: store(bytes, 'text/plain'), bytes: bytes.length };
}

function compactArray(list: unknown[], options: CompactOptions): unknown {
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const before = list[i];
    const after = compact(before, options);
    if (after === before) continue;
    copy ??= list.slice();
    copy[i] = after;
  }
  return copy ?? list;
}

function compactObject(object: Json, options: CompactOptions): unknown {
  let copy: Json | undefined;
  for (const key in object) {
    if (key.charCodeAt(0) === DOLLAR && STANDS_IN.has(key)) return { $raw: object };
    const before = object[key];
    const after =
      key === 'base64' || (key === 'data' && object.type === 'base64')
        ? compactBase64(before, object, options)
        : compact(before, options);
    if (after === before) continue;
    copy ??= { ...object };
    setOwn(copy, key, after);
  }
  return copy ?? object;
}

function compactBase64(value: unknown, holder: Json, options: CompactOptions): unknown {
  if (typeof value !== 'string') return compact(value, options);
  const bytes = decodeBase64(value);
  if (bytes === undefined) return compact(value, options);
  const type = holder.media_type ?? holder.type;
  return {
    $base64: options.store(bytes, typeof type === 'string' && type.includes('/') ? type : 'application/octet-stream'),
  };
}

/** The bytes of canonical base64, undefined when writing them back would give another string. */
export function decodeBase64(value: string): Buffer | undefined {
  if (value.length < 16 || value.length % 4 !== 0) return undefined;
  const bytes = Buffer.from(value, 'base64');
  return bytes.toString('base64') === value ? bytes : undefined;
}

/** A whole value as an artifact of JSON when it is long: tool schemas and system prompts repeat across sessions. */
export function asArtifact(value: unknown, store: StoreArtifact): unknown {
  if (typeof value !== 'object' || value === null) return compact(value, { store });
  const json = JSON.stringify(value);
  if (!isLong(json)) return compact(value, { store });
  const bytes = Buffer.from(json);
  return { $json: store(bytes, 'application/json'), bytes: bytes.length };
}

/** Reads an artifact back. */
export type ReadArtifact = (ref: string) => Promise<Uint8Array>;

/** The inverse of `compact`. */
export async function expand(value: unknown, read: ReadArtifact, same: string | undefined): Promise<unknown> {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Promise.all(value.map((item) => expand(item, read, same)));
  const object = value as Json;
  if (typeof object.$same === 'string') return object.$same + (same ?? '');
  if (typeof object.$text === 'string') return textOf(await read(object.$text));
  if (typeof object.$base64 === 'string') return Buffer.from(await read(object.$base64)).toString('base64');
  if (typeof object.$json === 'string') return JSON.parse(textOf(await read(object.$json))) as unknown;
  if (isObject(object.$raw)) return object.$raw;
  const copy: Json = {};
  for (const key in object) setOwn(copy, key, await expand(object[key], read, same));
  return copy;
}

export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
