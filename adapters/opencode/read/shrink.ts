import type { StoreArtifact } from '../../io/cut-text.ts';
import { isObject, type Json } from '../json.ts';

export type ReadArtifact = (ref: string) => Promise<Uint8Array>;

/** What stands for the bytes of a data URL: `head` and the base64 of the bytes are the URL again. */
export interface Lifted {
  $data: string;
  head: string;
  bytes: number;
}

/** Fields of ours in which nothing is to be redacted. */
export const LIFTED_FIELDS: ReadonlySet<string> = new Set(['$data', 'head']);

/** Texts longer than this go to an artifact; equal ones (prompts, patches) are then stored once. */
const LONGEST = 4096;
/** Our marks begin with this; an object that has such a key itself is kept as pairs in `$own`. */
const MARK = '$';

/** Moves the bytes of attached files out of a part, in place, so that no text rule looks through base64. */
export function liftFiles(part: Json, store: StoreArtifact): void {
  const state = isObject(part.state) ? part.state : {};
  const files = [part, ...(Array.isArray(state.attachments) ? (state.attachments as unknown[]) : [])];
  for (const file of files) {
    if (!isObject(file) || typeof file.url !== 'string') continue;
    const data = dataUrl(file.url);
    if (data !== null) file.url = lifted(data, store);
  }
}

function lifted({ head, mediaType, bytes }: DataUrl, store: StoreArtifact): Lifted {
  return { $data: store(bytes, mediaType), head, bytes: bytes.length };
}

export function isLifted(value: unknown): value is Lifted {
  return isObject(value) && typeof value.$data === 'string' && typeof value.head === 'string' && 'bytes' in value;
}

/** A copy of a record with its long texts as artifacts. `expand` gives back what went in. */
export function shrink(value: unknown, store: StoreArtifact): unknown {
  if (typeof value === 'string')
    return value.length <= LONGEST || !value.isWellFormed()
      ? value
      : { $text: store(Buffer.from(value), 'text/plain') };
  if (Array.isArray(value)) return value.map((item) => shrink(item, store));
  if (!isObject(value) || isLifted(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, shrink(item, store)] as const);
  if (entries.every(([key]) => !key.startsWith(MARK))) return Object.fromEntries(entries);
  return { [`${MARK}own`]: entries };
}

/** Gives a record back that `shrink` and `liftFiles` made small. */
export async function expand(value: unknown, read: ReadArtifact): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((item) => expand(item, read)));
  if (!isObject(value)) return value;
  if (typeof value.$text === 'string')
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await read(value.$text));
  if (isLifted(value)) return value.head + Buffer.from(await read(value.$data)).toString('base64');
  const pairs = Array.isArray(value.$own) ? (value.$own as [string, unknown][]) : Object.entries(value);
  const whole: Json = {};
  for (const [key, item] of pairs) Object.defineProperty(whole, key, { value: await expand(item, read), ...PLAIN });
  return whole;
}

const PLAIN = { enumerable: true, writable: true, configurable: true };

export interface DataUrl {
  head: string;
  mediaType: string;
  bytes: Buffer;
}

/** A base64 data URL whose bytes give the very same text back; null for everything else. */
export function dataUrl(text: string): DataUrl | null {
  if (!text.startsWith('data:')) return null;
  const head = /^data:([a-z]+\/[a-z0-9.+-]+)(?:;[a-z0-9=_-]+)*;base64,/i.exec(text);
  if (head === null) return null;
  const bytes = Buffer.from(text.slice(head[0].length), 'base64');
  if (head[0] + bytes.toString('base64') !== text) return null;
  return { head: head[0], mediaType: head[1]!.toLowerCase(), bytes };
}
