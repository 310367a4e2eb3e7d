import type { SessionEvent } from '../../shared/events.ts';
import { asRead, type Reading } from './inheritance.ts';

/** Events in a row on their way from the store's thread: bytes instead of objects, so that nothing is cloned twice. */
export interface EventChunk extends Reading {
  /** seq of the first */
  first: number;
  /** length of each event's bytes */
  lens: Uint32Array;
  /** canonical JSON without checksums, one behind the other */
  bytes: Uint8Array;
  /** 32 bytes an event */
  sums: Uint8Array;
}

/** Chosen events, without their checksums. */
export type PickedChunk = Omit<EventChunk, 'first' | 'sums'>;

/** Parses picked events; in place of a checksum stands ''. */
export function pickedOf({ lens, bytes, ...reading }: PickedChunk): SessionEvent[] {
  const texts = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const events = new Array<SessionEvent>(lens.length);
  for (let i = 0, at = 0; i < lens.length; i++) {
    const end = at + (lens[i] as number);
    const event = JSON.parse(texts.toString('utf8', at, end)) as SessionEvent;
    event.checksum = '';
    events[i] = asRead(event, reading);
    at = end;
  }
  return events;
}

/** Parses a chunk. */
export function eventsOf(chunk: EventChunk): SessionEvent[] {
  const bytes = Buffer.from(chunk.bytes.buffer, chunk.bytes.byteOffset, chunk.bytes.length);
  const sums = Buffer.from(chunk.sums.buffer, chunk.sums.byteOffset, chunk.sums.length);
  const events: SessionEvent[] = [];
  let offset = 0;
  for (let i = 0; i < chunk.lens.length; i++) {
    const end = offset + (chunk.lens[i] as number);
    const event = JSON.parse(bytes.toString('utf8', offset, end)) as SessionEvent;
    event.checksum = `sha256:${sums.toString('hex', i * 32, i * 32 + 32)}`;
    events.push(asRead(event, chunk));
    offset = end;
  }
  return events;
}
