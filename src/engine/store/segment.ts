import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Chain } from '../../core/log/chain.ts';

/** A segment holds at most so many events and, unless one event is larger, so many bytes. */
export const SEGMENT_EVENTS = 512;
export const SEGMENT_BYTES = 1 << 20;

/** Segments with fewer events keep their columns behind the bytes in one frame. */
const OWN_INDEX = 64;

const COLUMN_BYTES = 18;

/** Columns of some events in a row, one entry each. */
export interface Columns {
  /** seconds; NaN = unknown */
  ts: Float64Array;
  /** length of the event's bytes */
  len: Uint32Array;
  /** parent_seq; -1 = root */
  parent: Int32Array;
  type: Uint8Array;
  flags: Uint8Array;
}

/** Events in a row: canonical JSON without checksums, one behind the other, and their columns. */
export interface Run extends Columns {
  n: number;
  bytes: Uint8Array;
}

/** A run as the store keeps it. `first` is the number of its first event; `start` and `head` are chain values. */
export interface Segment {
  first: number;
  n: number;
  raw: number;
  start: Buffer;
  head: Buffer;
  idx: Buffer | null;
  data: Buffer;
}

const LARGE = 64 << 10;
const FAST = 1;
const TIGHT = 3;

/** Level 3 for what is small, 1 for the rest: measured. */
export function compress(bytes: Uint8Array): Buffer {
  const level = bytes.length > LARGE ? FAST : TIGHT;
  const packed = zstdCompressSync(bytes, {
    params: { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 0 },
    // room for the worst case, so that one pass is enough and small inputs get small buffers
    chunkSize: bytes.length + (bytes.length >> 8) + 128,
  });
  // zlib gives a view of its whole working buffer, which would stay in memory while this waits to be written
  const exact = Buffer.allocUnsafeSlow(packed.length);
  packed.copy(exact);
  return exact;
}

/** Undoes `compress`; `size` is the length of what comes out. */
export function decompress(bytes: Uint8Array, size: number): Buffer {
  return zstdDecompressSync(bytes, { chunkSize: Math.max(64, size), maxOutputLength: Math.max(64, size) });
}

/** Adds the run to the chain and packs it. */
export function packSegment(run: Run, first: number, chain: Chain): Segment {
  const start = Buffer.from(chain.sync(), 'hex');
  let offset = 0;
  for (let i = 0; i < run.n; i++) {
    const end = offset + (run.len[i] as number);
    chain.addBulk(run.bytes.subarray(offset, end));
    offset = end;
  }
  const head = Buffer.from(chain.sync(), 'hex');
  const columns = packColumns(run, first);
  if (run.n < OWN_INDEX) {
    const data = compress(Buffer.concat([run.bytes, columns]));
    return { first, n: run.n, raw: run.bytes.length, start, head, idx: null, data };
  }
  return { first, n: run.n, raw: run.bytes.length, start, head, idx: compress(columns), data: compress(run.bytes) };
}

/** Bytes and columns of a stored segment. */
export function unpackSegment(segment: Segment): Run {
  const { n, raw, idx, first } = segment;
  if (idx !== null) return { n, bytes: decompress(segment.data, raw), ...unpackColumns(idx, n, first, true) };
  const both = decompress(segment.data, raw + n * COLUMN_BYTES);
  return { n, bytes: both.subarray(0, raw), ...unpackColumns(both.subarray(raw), n, first, false) };
}

/** Only the columns; the bytes stay packed where they can. */
export function segmentColumns(segment: Segment): Columns {
  return segment.idx === null ? unpackSegment(segment) : unpackColumns(segment.idx, segment.n, segment.first, true);
}

/** Parents are kept as distance to their child (0 = root), which is nearly always 1. */
function packColumns(run: Run, first: number): Buffer {
  const { n } = run;
  const out = Buffer.allocUnsafeSlow(n * COLUMN_BYTES);
  const parent = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    const at = run.parent[i] as number;
    parent[i] = at < 0 ? 0 : first + i - at;
  }
  out.set(bytesOf(run.ts, n), 0);
  out.set(bytesOf(run.len, n), n * 8);
  out.set(bytesOf(parent, n), n * 12);
  out.set(run.type.subarray(0, n), n * 16);
  out.set(run.flags.subarray(0, n), n * 17);
  return out;
}

function unpackColumns(packed: Buffer, n: number, first: number, compressed: boolean): Columns {
  const plain = compressed ? decompress(packed, n * COLUMN_BYTES) : packed;
  const bytes = new Uint8Array(plain).buffer;
  const parent = new Int32Array(bytes, n * 12, n);
  for (let i = 0; i < n; i++) parent[i] = parent[i] === 0 ? -1 : first + i - (parent[i] as number);
  return {
    ts: new Float64Array(bytes, 0, n),
    len: new Uint32Array(bytes, n * 8, n),
    parent,
    type: new Uint8Array(bytes, n * 16, n),
    flags: new Uint8Array(bytes, n * 17, n),
  };
}

function bytesOf(column: Float64Array | Uint32Array | Int32Array, n: number): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, n * column.BYTES_PER_ELEMENT);
}
