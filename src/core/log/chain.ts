import { hash } from 'node:crypto';
import type { SessionEvent } from '../../shared/events.ts';
import { sha256Hex } from '../hash.ts';
import { canonicalJson } from './canonical-json.ts';

/**
 * The hash chain of a log: checksum n = sha256(32 raw bytes of checksum n-1, then the UTF-8 bytes of the canonical JSON
 * of event n without its `checksum`). The first event stands on 32 zero bytes.
 */
export const GENESIS = '0'.repeat(64);

/** Every so many events an anchor is written beside an exported log. */
export const ANCHOR_EVERY = 512;

/** Canonical text of an event without its checksum: what is hashed and stored. */
export function eventText(event: Omit<SessionEvent, 'checksum'> & { checksum?: unknown }): string {
  if (event.checksum === undefined) return canonicalJson(event);
  const { checksum: _checksum, ...rest } = event;
  return canonicalJson(rest);
}

/** Hex of the next link. `previous` is hex, `text` as from `eventText`. */
export function nextLink(previous: string, text: string | Uint8Array): string {
  return sha256Hex(Buffer.concat([Buffer.from(previous, 'hex'), typeof text === 'string' ? Buffer.from(text) : text]));
}

/**
 * Computes links over many events without an allocation each: one scratch buffer [previous 32 | event].
 * The state is the chain value after the last event.
 */
export class Chain {
  private scratch: Buffer = Buffer.alloc(32 + 65536);
  private head: string;

  /** @param head hex of the checksum to go on from */
  constructor(head: string = GENESIS) {
    this.head = head;
    this.scratch.write(head, 0, 'hex');
  }

  get hex(): string {
    return this.head;
  }

  /** Goes on from another head, with the same scratch buffer. */
  reset(head: string): void {
    this.head = head;
    this.scratch.write(head, 0, 'hex');
  }

  /** Adds one event given by its bytes and returns the new head as hex. */
  add(bytes: Uint8Array): string {
    if (bytes.length + 32 > this.scratch.length) {
      const grown = Buffer.alloc(32 + bytes.length * 2);
      this.scratch.copy(grown, 0, 0, 32);
      this.scratch = grown;
    }
    this.scratch.set(bytes, 32);
    this.head = hash('sha256', this.scratch.subarray(0, 32 + bytes.length), 'hex');
    this.scratch.write(this.head, 0, 'hex');
    return this.head;
  }

  /** As `add`, but the new head is only known as bytes; half the cost in bulk. Call `sync` before reading `hex`. */
  addBulk(bytes: Uint8Array): void {
    if (bytes.length + 32 > this.scratch.length) {
      const grown = Buffer.alloc(32 + bytes.length * 2);
      this.scratch.copy(grown, 0, 0, 32);
      this.scratch = grown;
    }
    this.scratch.set(bytes, 32);
    // a latin1 string of 32 characters is the cheapest form in which the digest comes back
    this.scratch.write(hash('sha256', this.scratch.subarray(0, 32 + bytes.length), 'latin1' as 'binary'), 0, 'latin1');
  }

  /** As `addBulk`, and copies the new head's 32 bytes to a place in `out`. */
  addInto(bytes: Uint8Array, out: Buffer, at: number): void {
    this.addBulk(bytes);
    this.scratch.copy(out, at, 0, 32);
  }

  sync(): string {
    this.head = this.scratch.toString('hex', 0, 32);
    return this.head;
  }
}

/** The first event whose link or number is wrong, or null. `head` is the chain value before the first event. */
export function findBreak(
  events: Iterable<SessionEvent>,
  head: string = GENESIS,
  from = 0,
): { seq: number; reason: string } | null {
  const chain = new Chain(head);
  let expected = from;
  for (const event of events) {
    if (event.seq !== expected)
      return { seq: expected, reason: `event ${expected} is missing, ${event.seq} stands in its place` };
    const link = `sha256:${chain.add(Buffer.from(eventText(event)))}`;
    if (link !== event.checksum)
      return {
        seq: event.seq,
        reason: `the checksum of event ${event.seq} (${event.type}) does not match its content`,
      };
    expected++;
  }
  return null;
}
