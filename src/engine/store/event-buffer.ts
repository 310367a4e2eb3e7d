import { codeOf } from '../../core/view/codes.ts';
import { type EventParts, writeEvent } from './event-bytes.ts';
import { type Run, SEGMENT_BYTES, SEGMENT_EVENTS } from './segment.ts';

const COLUMNS = SEGMENT_EVENTS * (8 + 4 + 4 + 1 + 1);

/**
 * Events in one transferable ArrayBuffer: the columns for 512 events, then room for their bytes. It is how events travel
 * from the thread that reads them to the thread that stores them; one buffer becomes one segment, or a few small ones.
 */
export class EventBuffer {
  readonly memory: ArrayBuffer;
  /** events in it */
  n = 0;
  /** bytes of events in it */
  used = 0;
  private readonly bytes: Buffer;
  private readonly ts: Float64Array;
  private readonly len: Uint32Array;
  private readonly parent: Int32Array;
  private readonly type: Uint8Array;
  private readonly flags: Uint8Array;

  /** Lays the columns over memory made by `memoryFor`; what is in it stays. */
  constructor(memory: ArrayBuffer) {
    const n = SEGMENT_EVENTS;
    this.memory = memory;
    this.ts = new Float64Array(memory, 0, n);
    this.len = new Uint32Array(memory, n * 8, n);
    this.parent = new Int32Array(memory, n * 12, n);
    this.type = new Uint8Array(memory, n * 16, n);
    this.flags = new Uint8Array(memory, n * 17, n);
    this.bytes = Buffer.from(memory, COLUMNS);
  }

  /** Adds an event; false when it does not fit any more. */
  add(parts: EventParts, flags: number): boolean {
    const i = this.n;
    const room = this.bytes.length - this.used;
    if (i === SEGMENT_EVENTS || (parts.most > room && sizeOf(parts) > room)) return false;
    const end = writeEvent(this.bytes, this.used, parts);
    const { ts, type, parent_seq } = parts.draft;
    this.len[i] = end - this.used;
    this.ts[i] = ts ?? Number.NaN;
    this.type[i] = codeOf(type);
    this.flags[i] = flags;
    this.parent[i] = parent_seq ?? -1;
    this.used = end;
    this.n = i + 1;
    return true;
  }

  /** Appends all events of another buffer; false when they do not fit. */
  append(other: EventBuffer): boolean {
    if (this.n + other.n > SEGMENT_EVENTS || this.used + other.used > this.bytes.length) return false;
    const from = other.run(0, 0, other.n);
    this.bytes.set(from.bytes, this.used);
    this.ts.set(from.ts, this.n);
    this.len.set(from.len, this.n);
    this.parent.set(from.parent, this.n);
    this.type.set(from.type, this.n);
    this.flags.set(from.flags, this.n);
    this.n += other.n;
    this.used += other.used;
    return true;
  }

  /** Views of `n` events from number `first`, whose bytes begin at `offset`. */
  run(first: number, offset: number, n: number): Run {
    const end = first + n;
    let size = 0;
    for (let i = first; i < end; i++) size += this.len[i] as number;
    return {
      n,
      bytes: this.bytes.subarray(offset, offset + size),
      ts: this.ts.subarray(first, end),
      len: this.len.subarray(first, end),
      parent: this.parent.subarray(first, end),
      type: this.type.subarray(first, end),
      flags: this.flags.subarray(first, end),
    };
  }

  clear(): void {
    this.n = 0;
    this.used = 0;
  }
}

/** A buffer with one event in it that is too large for others. */
export function bufferFor(parts: EventParts, flags: number): EventBuffer {
  const buffer = new EventBuffer(memoryFor(sizeOf(parts)));
  buffer.add(parts, flags);
  return buffer;
}

/** Bytes that an event takes. Writes it to find out: for the few that come near a buffer's end. */
function sizeOf(parts: EventParts): number {
  return writeEvent(Buffer.allocUnsafe(parts.most), 0, parts);
}

/** Memory for a buffer that holds `bytes` bytes of events. */
export function memoryFor(bytes = SEGMENT_BYTES): ArrayBuffer {
  return new ArrayBuffer(COLUMNS + bytes);
}
