import { Chain, GENESIS } from '../../core/log/chain.ts';
import type { Database } from './database.ts';
import { packSegment, type Run, SEGMENT_BYTES, SEGMENT_EVENTS, type Segment } from './segment.ts';

/** Segments and tail rows of session `id` have the numbers `id * SPAN + seq`. */
export const SPAN = 2 ** 32;

/** Batches of fewer events go to the tail, one row each; the others become segments at once. */
const SMALL_BATCH = 64;
const SMALL_BYTES = 128 << 10;

/** What a batch becomes. Packing is the expensive part and needs no transaction. */
export type Packed = { kind: 'segment'; segment: Segment } | { kind: 'tail'; first: number; run: Run; head: Buffer };

/**
 * Packs a run of at most 512 events for a log with `before` events stored in it already.
 * @param chain stands at the log's head; afterwards behind the run
 */
export function packRun(run: Run, first: number, before: number, chain: Chain): Packed {
  const small = before > 0 && run.n < SMALL_BATCH && run.bytes.length < SMALL_BYTES;
  if (!small) return { kind: 'segment', segment: packSegment(run, first, chain) };
  let offset = 0;
  for (let i = 0; i < run.n; i++) {
    chain.addBulk(run.bytes.subarray(offset, offset + (run.len[i] as number)));
    offset += run.len[i] as number;
  }
  return { kind: 'tail', first, run: ownRun(run), head: Buffer.from(chain.sync(), 'hex') };
}

/** Writes logs. All methods run inside the caller's transaction. */
export class LogWriter {
  private readonly insertSegment;
  private readonly insertTail;
  private readonly clearSegments;
  private readonly tailRows;
  private readonly dropTail;
  private readonly lastHead;
  private readonly tailSize;

  constructor(db: Database) {
    this.insertSegment = db.prepare(
      'INSERT INTO segment(id, n, raw, start, head, idx, data) VALUES(?, ?, ?, ?, ?, ?, ?)',
    );
    this.insertTail = db.prepare('INSERT INTO tail(id, type, flags, ts, parent, body) VALUES(?, ?, ?, ?, ?, ?)');
    this.clearSegments = db.prepare('DELETE FROM segment WHERE id >= ? AND id < ?');
    this.tailRows = db.prepare<[number, number, number], TailRow>(
      'SELECT id, type, flags, ts, parent, body FROM tail WHERE id >= ? AND id < ? ORDER BY id LIMIT ?',
    );
    this.dropTail = db.prepare('DELETE FROM tail WHERE id >= ? AND id <= ?');
    this.lastHead = db
      .prepare<[number, number], Buffer>('SELECT head FROM segment WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1')
      .pluck();
    this.tailSize = db.prepare<[number, number], { n: number; raw: number }>(
      'SELECT count(*) AS n, coalesce(sum(length(body)), 0) AS raw FROM tail WHERE id >= ? AND id < ?',
    );
  }

  /** Removes what a killed capture left behind the end of a log. */
  clearBehind(id: number, events: number): void {
    this.clearSegments.run(id * SPAN + events, (id + 1) * SPAN);
  }

  add(id: number, packed: readonly Packed[]): void {
    for (const piece of packed) {
      if (piece.kind === 'tail') this.addTail(id, piece.first, piece.run);
      else {
        const { first, n, raw, start, head, idx, data } = piece.segment;
        this.seal(id, true);
        this.insertSegment.run(id * SPAN + first, n, raw, start, head, idx, data);
      }
    }
  }

  /** Turns full stretches of the tail (all of it when `all`) into segments; true when there was something to do. */
  seal(id: number, all = false): boolean {
    let sealed = false;
    for (;;) {
      const { n, raw } = this.tailSize.get(id * SPAN, (id + 1) * SPAN) as { n: number; raw: number };
      if (n === 0 || (!all && !isFull(n, raw))) return sealed;
      this.sealOnce(id);
      sealed = true;
    }
  }

  /** True when `seal` has something to do. */
  isTailFull(id: number): boolean {
    const { n, raw } = this.tailSize.get(id * SPAN, (id + 1) * SPAN) as { n: number; raw: number };
    return isFull(n, raw);
  }

  private addTail(id: number, first: number, run: Run): void {
    let offset = 0;
    for (let i = 0; i < run.n; i++) {
      const end = offset + (run.len[i] as number);
      const ts = run.ts[i] as number;
      this.insertTail.run(
        id * SPAN + first + i,
        run.type[i],
        run.flags[i],
        Number.isNaN(ts) ? null : ts,
        run.parent[i],
        run.bytes.subarray(offset, end),
      );
      offset = end;
    }
  }

  private sealOnce(id: number): void {
    const rows: TailRow[] = [];
    let raw = 0;
    for (const row of this.tailRows.all(id * SPAN, (id + 1) * SPAN, SEGMENT_EVENTS)) {
      if (rows.length > 0 && raw + row.body.length > SEGMENT_BYTES) break;
      rows.push(row);
      raw += row.body.length;
    }
    const from = (rows[0] as TailRow).id;
    const before = this.lastHead.get(id * SPAN, from);
    const { first, n, start, head, idx, data } = packSegment(
      runOfRows(rows),
      from - id * SPAN,
      new Chain(before?.toString('hex') ?? GENESIS),
    );
    this.dropTail.run(from, (rows.at(-1) as TailRow).id);
    this.insertSegment.run(id * SPAN + first, n, raw, start, head, idx, data);
  }
}

const isFull = (n: number, raw: number): boolean => n >= SEGMENT_EVENTS || (n > 1 && raw >= SEGMENT_BYTES);

/** A row of the open end of a log. */
export interface TailRow {
  id: number;
  type: number;
  flags: number;
  ts: number | null;
  parent: number;
  body: Buffer;
}

export function runOfRows(rows: readonly TailRow[]): Run {
  return {
    n: rows.length,
    bytes: Buffer.concat(rows.map((row) => row.body)),
    ts: Float64Array.from(rows, (row) => row.ts ?? Number.NaN),
    len: Uint32Array.from(rows, (row) => row.body.length),
    parent: Int32Array.from(rows, (row) => row.parent),
    type: Uint8Array.from(rows, (row) => row.type),
    flags: Uint8Array.from(rows, (row) => row.flags),
  };
}

/** A copy that does not share the buffer of the message it came in. */
function ownRun(run: Run): Run {
  return {
    n: run.n,
    bytes: new Uint8Array(run.bytes),
    ts: run.ts.slice(0, run.n),
    len: run.len.slice(0, run.n),
    parent: run.parent.slice(0, run.n),
    type: run.type.slice(0, run.n),
    flags: run.flags.slice(0, run.n),
  };
}
