import type { SessionIndex } from '../../core/view/flags.ts';
import type { EventChunk, PickedChunk } from './event-chunk.ts';
import { parentAsRead, shiftOf } from './inheritance.ts';
import type { LogHead } from './log-head.ts';
import type { LogReader } from './log-reader.ts';

/** Reads sessions whole: what a fork goes on from, then its own log, numbered in one row. */
export class WholeLogs {
  private readonly logs: LogReader;

  constructor(logs: LogReader) {
    this.logs = logs;
  }

  /** As `LogReader.index`. */
  index(log: LogHead): SessionIndex {
    const own = this.logs.index(log);
    const { base } = log;
    if (!base) return own;
    const { n: by, tip } = base;
    const before = this.index(base.log);
    const n = by + own.n;
    const index: SessionIndex = {
      n,
      ts: joined(before.ts, own.ts, new Float64Array(n), by),
      type: joined(before.type, own.type, new Uint8Array(n), by),
      flags: joined(before.flags, own.flags, new Uint8Array(n), by),
      parent: joined(before.parent, own.parent, new Int32Array(n), by),
    };
    for (let seq = 0; seq < own.n; seq++) {
      const parent = own.parent[seq] as number;
      index.parent[by + seq] = parentAsRead(seq, parent < 0 ? null : parent, { by, tip }) ?? -1;
    }
    return index;
  }

  /** As `LogReader.chunk`. */
  chunk(log: LogHead, from: number, max = Number.POSITIVE_INFINITY): EventChunk | null {
    const { base } = log;
    if (!base) return this.logs.chunk(log, from, max);
    if (from < base.n) {
      const chunk = this.chunk(base.log, from, max);
      return chunk && { ...chunk, copyOf: chunk.copyOf ?? base.log.native_id };
    }
    const chunk = this.logs.chunk(log, from - base.n, max);
    return chunk && { ...chunk, first: from, ...shiftOf(log) };
  }

  /** As `LogReader.pick`. */
  pick(log: LogHead, seqs: Uint32Array): PickedChunk | null {
    const { base } = log;
    const [first] = seqs;
    if (!base || first === undefined) return this.logs.pick(log, seqs);
    const isOwn = first >= base.n;
    const other = seqs.findIndex((seq) => seq >= base.n !== isOwn);
    const run = other < 0 ? seqs : seqs.subarray(0, other);
    if (!isOwn) {
      const picked = this.pick(base.log, run);
      return picked && { ...picked, copyOf: picked.copyOf ?? base.log.native_id };
    }
    const picked = this.logs.pick(
      log,
      run.map((seq) => seq - base.n),
    );
    return picked && { ...picked, ...shiftOf(log) };
  }
}

function joined<T extends Float64Array | Uint8Array | Int32Array>(before: T, own: T, both: T, at: number): T {
  both.set(before as never);
  both.set(own as never, at);
  return both;
}
