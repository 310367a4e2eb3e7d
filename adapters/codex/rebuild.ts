import type { SessionEvent } from '../../src/shared/events.ts';
import type { NativeRecord } from '../home/jsonl.ts';
import { isObject } from './read/item.ts';

type Json = Record<string, unknown>;
type ReadArtifact = (ref: string) => Promise<Uint8Array>;

/**
 * Writes the records of a thread's own files from its log, in their order: the proof that capture loses nothing, and the way
 * back to Codex. What redaction replaced stays replaced; damaged lines do not come back.
 */
export async function* rebuildRecords(
  log: AsyncIterable<SessionEvent>,
  read: ReadArtifact,
): AsyncGenerator<NativeRecord> {
  let line = 0;
  for await (const { type, payload, origin } of log) {
    if (type !== 'meta' || payload.key !== 'records' || !Array.isArray(payload.value)) continue;
    const file = origin?.source === undefined ? {} : { file: origin.source };
    for (const record of payload.value as unknown[])
      yield { ...file, line: line++, record: await expand(record, read) };
  }
}

async function expand(value: unknown, read: ReadArtifact): Promise<unknown> {
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) items.push(await expand(item, read));
    return items;
  }
  if (!isObject(value)) return value;
  if (typeof value.$text === 'string') return textOf(await read(value.$text));
  if (typeof value.$json === 'string') return expand(JSON.parse(textOf(await read(value.$json))), read);
  if (typeof value.$data === 'string')
    return String(value.head) + Buffer.from(await read(value.$data)).toString('base64');
  const whole: Json = {};
  const members = Array.isArray(value.$own) ? (value.$own as [string, unknown][]) : Object.entries(value);
  for (const [key, item] of members)
    Object.defineProperty(whole, key, {
      value: await expand(item, read),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  return whole;
}

const textOf = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
