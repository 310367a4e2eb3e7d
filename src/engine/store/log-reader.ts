import { Chain, GENESIS } from '../../core/log/chain.ts';
import type { SessionIndex } from '../../core/view/flags.ts';
import type { Database } from './database.ts';
import type { EventChunk, PickedChunk } from './event-chunk.ts';
import type { LogHead } from './log-head.ts';
import { runOfRows, SPAN, type TailRow } from './log-writer.ts';
import { type Columns, decompress, type Run, type Segment, segmentColumns, unpackSegment } from './segment.ts';

interface SegmentRow extends Omit<Segment, 'first'> {
  id: number;
}

/** A stretch of a log ready to be read: a segment, or the tail. */
interface Stretch {
  first: number;
  run: Run;
  /** where each event begins in the bytes, and where the last ends */
  offsets: Uint32Array;
  /** 32 bytes an event, computed as far as they were asked for */
  sums: Buffer;
  summed: number;
  /** chain value before the first event */
  start: Buffer;
  /** and after the last, of a segment */
  head: Buffer | null;
}

/** Unpacked segments kept for the next page, where nothing else is said. */
const KEPT = 8;
/** For each of them so many segments' columns are kept, 9 KB at most: who reads an index reads events of it next. */
const KEPT_COLUMNS = 32;

/** Reads logs. Events behind `LogHead.events` do not exist for it. */
export class LogReader {
  private readonly segmentAt;
  private readonly segmentsOf;
  private readonly tailFrom;
  private readonly tailColumns;
  private readonly chain = new Chain();
  private readonly kept = new Map<number, Stretch>();
  private readonly columns = new Map<number, { head: Buffer; columns: Columns }>();
  private readonly most: number;

  /** @param most unpacked segments that are kept, about 1 MB each at most */
  constructor(db: Database, most = KEPT) {
    this.most = most;
    this.segmentAt = db.prepare<[number, number], SegmentRow>(
      'SELECT id, n, raw, start, head, idx, data FROM segment WHERE id <= ? AND id >= ? ORDER BY id DESC LIMIT 1',
    );
    // the bytes lie behind the columns and are not read where the columns stand by themselves
    this.segmentsOf = db.prepare<[number, number], SegmentRow>(
      `SELECT id, n, raw, start, head, idx, CASE WHEN idx IS NULL THEN data END AS data
       FROM segment WHERE id >= ? AND id < ? ORDER BY id`,
    );
    this.tailColumns = db.prepare<[number, number], Omit<TailRow, 'body'>>(
      'SELECT id, type, flags, ts, parent FROM tail WHERE id >= ? AND id < ?',
    );
    this.tailFrom = db.prepare<[number, number], TailRow>(
      'SELECT id, type, flags, ts, parent, body FROM tail WHERE id >= ? AND id < ? ORDER BY id',
    );
  }

  /** Events from `from` to the end of their stretch, at most `max`; null behind the end of the log. */
  chunk(log: LogHead, from: number, max = Number.POSITIVE_INFINITY): EventChunk | null {
    if (from < 0 || from >= log.events) return null;
    const stretch = this.stretch(log, from);
    const start = from - stretch.first;
    const n = Math.min(stretch.run.n - start, max, log.events - from);
    this.sum(stretch, start + n);
    const [a, b] = [stretch.offsets[start] as number, stretch.offsets[start + n] as number];
    return {
      first: from,
      lens: stretch.run.len.slice(start, start + n),
      bytes: new Uint8Array(stretch.run.bytes.subarray(a, b)),
      sums: new Uint8Array(stretch.sums.subarray(start * 32, (start + n) * 32)),
    };
  }

  /**
   * The first of some events, as many as lie in the stretch of the first one; null when that one is behind the end of the
   * log. Nothing is hashed.
   */
  pick(log: LogHead, seqs: Uint32Array): PickedChunk | null {
    const [from] = seqs;
    if (from === undefined || from >= log.events) return null;
    const { first, run, offsets } = this.stretch(log, from);
    const end = Math.min(first + run.n, log.events);
    let n = 0;
    let size = 0;
    for (let seq = from; n < seqs.length && seq >= first && seq < end; seq = seqs[++n] as number)
      size += run.len[seq - first] as number;
    const lens = new Uint32Array(n);
    const bytes = new Uint8Array(new ArrayBuffer(size));
    for (let i = 0, at = 0; i < n; i++) {
      const place = (seqs[i] as number) - first;
      bytes.set(run.bytes.subarray(offsets[place], offsets[place + 1]), at);
      lens[i] = run.len[place] as number;
      at += lens[i] as number;
    }
    return { lens, bytes };
  }

  /** One entry an event for the whole log. */
  index(log: LogHead): SessionIndex {
    const n = log.events;
    const index: SessionIndex = {
      n,
      ts: new Float64Array(n),
      type: new Uint8Array(n),
      flags: new Uint8Array(n),
      parent: new Int32Array(n),
    };
    // a log that is read up to an earlier end than its own can end inside a segment
    const put = (first: number, columns: Omit<Run, 'n' | 'bytes'>) => {
      index.ts.set(columns.ts.subarray(0, n - first), first);
      index.type.set(columns.type.subarray(0, n - first), first);
      index.flags.set(columns.flags.subarray(0, n - first), first);
      index.parent.set(columns.parent.subarray(0, n - first), first);
    };
    for (const row of this.segmentsOf.iterate(log.id * SPAN, log.id * SPAN + n)) {
      const segment = { ...row, first: row.id - log.id * SPAN };
      put(segment.first, this.columnsOf(row, segment));
    }
    for (const row of this.tailColumns.iterate(log.id * SPAN, log.id * SPAN + n)) {
      const seq = row.id - log.id * SPAN;
      index.ts[seq] = row.ts ?? Number.NaN;
      index.type[seq] = row.type;
      index.flags[seq] = row.flags;
      index.parent[seq] = row.parent;
    }
    return index;
  }

  /** Hashes everything again; null when all is as stored, else the first event that is not. */
  findBreak(log: LogHead): { seq: number; reason: string } | null {
    const chain = new Chain();
    let next = 0;
    while (next < log.events) {
      let stretch: Stretch;
      try {
        stretch = this.load(log, next, chain);
      } catch (thrown) {
        return { seq: next, reason: thrown instanceof Error ? thrown.message : String(thrown) };
      }
      const wrong = numberedWrongly(stretch, next);
      if (wrong !== null) return wrong;
      next = stretch.first + stretch.run.n;
    }
    if (next !== log.events || chain.sync() !== log.head.toString('hex'))
      return { seq: Math.max(0, log.events - 1), reason: 'the log does not end where the session says it does' };
    return null;
  }

  /** Makes the checksums of the first `n` events of a stretch known. */
  private sum(stretch: Stretch, n: number): void {
    if (stretch.summed >= n) return;
    const { sums, offsets, run } = stretch;
    const before = stretch.summed === 0 ? stretch.start : sums.subarray((stretch.summed - 1) * 32, stretch.summed * 32);
    this.chain.reset(before.toString('hex'));
    for (let i = stretch.summed; i < n; i++)
      this.chain.addInto(run.bytes.subarray(offsets[i], offsets[i + 1]), sums, i * 32);
    stretch.summed = n;
  }

  private stretch(log: LogHead, from: number): Stretch {
    const row = this.segmentAt.get(log.id * SPAN + from, log.id * SPAN);
    if (row === undefined || row.id + row.n <= log.id * SPAN + from) return this.readTail(log, row?.head);
    const known = this.kept.get(row.id);
    // the log of another session can have taken the place of a removed one
    if (known?.head?.equals(row.head)) {
      this.kept.delete(row.id);
      this.kept.set(row.id, known);
      return known;
    }
    const segment = { ...row, first: row.id - log.id * SPAN };
    const run =
      row.idx === null
        ? unpackSegment(segment)
        : { n: row.n, bytes: decompress(row.data, row.raw), ...this.columnsOf(row, segment) };
    const stretch = stretchOf(segment.first, run, row.start, row.head);
    keep(this.kept, row.id, stretch, this.most);
    return stretch;
  }

  private columnsOf(row: SegmentRow, segment: Segment): Columns {
    const known = this.columns.get(row.id);
    if (known?.head.equals(row.head)) return known.columns;
    const columns = segmentColumns(segment);
    keep(this.columns, row.id, { head: row.head, columns }, this.most * KEPT_COLUMNS);
    return columns;
  }

  private readTail(log: LogHead, before: Buffer | undefined): Stretch {
    const rows = this.tailFrom.all(log.id * SPAN, log.id * SPAN + log.events);
    const first = (rows[0]?.id ?? Number.NaN) - log.id * SPAN;
    if (rows.length === 0) throw new Error('events of this session are missing in the store');
    return stretchOf(first, runOfRows(rows), before ?? Buffer.from(GENESIS, 'hex'));
  }

  /** The stretch at `from`, past the cache, checked link by link against `chain`, which stands before it. */
  private load(log: LogHead, from: number, chain: Chain): Stretch {
    const row = this.segmentAt.get(log.id * SPAN + from, log.id * SPAN);
    const isSegment = row !== undefined && row.id === log.id * SPAN + from;
    const before = chain.sync();
    if (isSegment && row.start.toString('hex') !== before) throw new Error(`the link to event ${from} is broken`);
    const stretch = isSegment
      ? stretchOf(from, unpackSegment({ ...row, first: from }), row.start)
      : this.readTail(log, Buffer.from(before, 'hex'));
    if (stretch.first !== from) throw new Error(`event ${from} is missing`);
    this.sum(stretch, stretch.run.n);
    const head = stretch.sums.toString('hex', stretch.sums.length - 32);
    if (isSegment && row.head.toString('hex') !== head)
      throw new Error(`an event from ${from} to ${from + row.n - 1} was changed`);
    chain.reset(head);
    return stretch;
  }
}

/** Puts an entry last; the one that was put in longest ago goes. */
function keep<T>(entries: Map<number, T>, id: number, entry: T, most: number): void {
  entries.delete(id);
  entries.set(id, entry);
  if (entries.size > most) entries.delete(entries.keys().next().value as number);
}

function stretchOf(first: number, run: Run, start: Buffer, head: Buffer | null = null): Stretch {
  const offsets = new Uint32Array(run.n + 1);
  for (let i = 0; i < run.n; i++) offsets[i + 1] = (offsets[i] as number) + (run.len[i] as number);
  return { first, run, offsets, sums: Buffer.allocUnsafe(run.n * 32), summed: 0, start, head };
}

/** The chain covers the bytes; this makes sure that the bytes are events that know their own number. */
function numberedWrongly({ first, run, offsets }: Stretch, next: number): { seq: number; reason: string } | null {
  const bytes = Buffer.from(run.bytes.buffer, run.bytes.byteOffset, run.bytes.length);
  for (let i = 0; i < run.n; i++) {
    const seq = first + i;
    if (seq !== next + i || !bytes.subarray(offsets[i], offsets[i + 1]).includes(`"seq":${seq},`))
      return { seq, reason: `event ${seq} does not carry its number` };
  }
  return null;
}
