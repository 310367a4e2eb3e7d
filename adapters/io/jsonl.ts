import { isUtf8 } from 'node:buffer';
import { closeSync, readSync } from 'node:fs';
import { parseJson } from '../../src/core/json-depth.ts';
import type { LineHits } from '../../src/core/redact/prefilter.ts';
import type { Redactor } from '../../src/core/redact/redactor.ts';
import { ALL_RULES, type RuleHits } from '../../src/core/redact/rules.ts';
import { AppFailure } from '../../src/shared/errors.ts';
import { type Damage, readDamagedLine, repairSurrogates } from './damaged-line.ts';
import { LineMemory } from './line-memory.ts';
import { openFile } from './open-file.ts';
import { sourceError } from './source-error.ts';

/** Where reading goes on: a byte offset and the number of line feeds before it. Plain JSON, fit for a capture cursor. */
export interface JsonlCursor {
  offset: number;
  line: number;
}

export interface JsonlOptions {
  from?: JsonlCursor | undefined;
  /** null switches redaction off (tests on data without secrets) */
  redactor: Redactor | null;
  /** longer lines are reported and skipped, never held in memory; default 256 MB (a string holds at most 512 MB) */
  maxLineBytes?: number | undefined;
  /** bytes read at a time; default 128 KB */
  chunkBytes?: number | undefined;
  /** what the file holds, where it had to be unpacked first; the file itself is then not opened */
  content?: Uint8Array | undefined;
  signal?: AbortSignal | undefined;
}

/** One physical line that holds something: its records (one, unless the line is damaged) and what is wrong with it. */
export interface JsonlLine {
  /** redacted, in order; empty when nothing of the line could be read */
  records: unknown[];
  /** 1-based number of the physical line */
  line: number;
  /** byte range of the line without its line feed */
  offset: number;
  end: number;
  /** something was replaced by a placeholder */
  redacted: boolean;
  /** how many placeholders were put in */
  replaced: number;
  /** empty for a sound line; `raw` of each is redacted */
  damage: readonly Damage[];
}

/** A last line without line feed that is no complete record (yet): its writer is at work, or died. */
export interface PendingLine extends Damage {
  about: 'truncated-line';
  line: number;
  offset: number;
  bytes: number;
  /** redacted text of it */
  raw: string;
}

/** What a finished read returns. Reading on from `cursor` later sees the pending line again, complete or not. */
export interface JsonlEnd {
  cursor: JsonlCursor;
  pending: PendingLine | null;
}

const DEFAULT_CHUNK = 128 * 1024;
const DEFAULT_MAX_LINE = 256 * 1024 * 1024;
const LF = 10;
const SOUND: readonly Damage[] = [];
/** Of a line that no prefilter can judge: look for everything. */
const UNSOUND: LineHits = { rules: ALL_RULES, surrogate: true };
/** Of a line that is not scanned, since nothing is to be redacted. */
const UNREDACTED: LineHits = { rules: null, surrogate: false };
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;

/**
 * Streams the records of a JSONL file, batch by batch (about `chunkBytes` each), in bounded memory. Damage never ends the
 * read: each damaged line yields what can be recovered and says what is wrong. Lines are split on LF bytes alone and
 * decoded one by one. A byte order mark, CRLF and blank lines are tolerated silently.
 * @throws AppFailure `source_unreadable` when the file cannot be opened or read, `cancelled` when the signal fires
 */
export function* readJsonl(path: string, options: JsonlOptions): Generator<JsonlLine[], JsonlEnd, void> {
  const reader = new Reader(path, options);
  try {
    for (;;) {
      if (options.signal?.aborted === true)
        throw new AppFailure({ code: 'cancelled', message: 'Reading was cancelled. Nothing was changed.' });
      const step = reader.step();
      if (step.batch.length > 0) yield step.batch;
      if (step.end !== null) return step.end;
    }
  } finally {
    reader.close();
  }
}

interface Step {
  batch: JsonlLine[];
  end: JsonlEnd | null;
}

class Reader {
  private readonly path: string;
  private readonly fd: number | null;
  private readonly content: Uint8Array | null;
  private readonly redactor: Redactor | null;
  private readonly chunk: number;
  private readonly maxLine: number;
  private readonly memory: LineMemory;
  /** bytes of the memory in use; they hold no line feed between steps */
  private used = 0;
  /** file offset of the memory's first byte */
  private base: number;
  /** line feeds before it */
  private lines: number;

  constructor(path: string, options: JsonlOptions) {
    this.path = path;
    this.redactor = options.redactor;
    this.chunk = options.chunkBytes ?? DEFAULT_CHUNK;
    this.maxLine = options.maxLineBytes ?? DEFAULT_MAX_LINE;
    this.base = options.from?.offset ?? 0;
    this.lines = options.from?.line ?? 0;
    this.content = options.content ?? null;
    this.fd = this.content === null ? this.attempt(() => openFile(path)) : null;
    this.memory = new LineMemory(2 * this.chunk);
  }

  close(): void {
    if (this.fd !== null) closeSync(this.fd);
    this.memory.release();
  }

  /** Reads one chunk and takes the lines that it completes. */
  step(): Step {
    if (this.used > this.maxLine) return this.skipLine();
    const read = this.fill();
    if (read === 0) return this.last();
    const end = this.memory.bytes.subarray(0, this.used).lastIndexOf(LF) + 1;
    if (end === 0) return { batch: [], end: null };
    const batch = this.take(end);
    this.drop(end);
    return { batch, end: null };
  }

  private attempt<T>(action: () => T): T {
    try {
      return action();
    } catch (thrown) {
      throw new AppFailure(sourceError(this.path, thrown));
    }
  }

  private fill(): number {
    const { memory } = this;
    if (memory.bytes.length - this.used < this.chunk) memory.grow(2 * (this.used + this.chunk));
    const at = this.base + this.used;
    const read = this.readAt(at);
    this.used += read;
    return read;
  }

  private readAt(at: number): number {
    const { fd, content, memory } = this;
    if (fd !== null) return this.attempt(() => readSync(fd, memory.bytes, this.used, this.chunk, at));
    const part = (content as Uint8Array).subarray(at, at + this.chunk);
    memory.bytes.set(part, this.used);
    return part.length;
  }

  /** Forgets the first `count` bytes. */
  private drop(count: number): void {
    this.memory.bytes.copyWithin(0, count, this.used);
    this.base += count;
    this.used -= count;
  }

  /** The lines of the first `end` bytes, which end in a line feed. */
  private take(end: number): JsonlLine[] {
    const batch: JsonlLine[] = [];
    const block = this.memory.bytes.subarray(0, end);
    const sound = isUtf8(block);
    if (this.redactor !== null) this.memory.scan(end);
    for (let start = 0; start < end; ) {
      const lf = block.indexOf(LF, start);
      const hits = this.redactor === null ? UNREDACTED : this.memory.hits(lf);
      this.lines++;
      if (lf > start) {
        const one = this.read(start, lf, sound ? hits : UNSOUND);
        if (one !== null) batch.push(one);
      }
      start = lf + 1;
    }
    return batch;
  }

  /** The line that `lines` counts; null when it is blank. */
  private read(start: number, end: number, hits: LineHits): JsonlLine | null {
    const { bytes } = this.memory;
    const place = { line: this.lines, offset: this.base + start, end: this.base + end };
    if (hits !== UNSOUND || isUtf8(bytes.subarray(start, end))) {
      const text = bytes.toString('utf8', start, end);
      const record = parseLine(text);
      if (record !== undefined) {
        const damage: Damage[] = [];
        const maybe = hits === UNREDACTED ? ESCAPED_SURROGATE.test(text) : hits.surrogate;
        const whole = maybe ? repairSurrogates(record, damage) : record;
        return { ...place, ...this.redact([whole], hits.rules), damage: damage.length > 0 ? damage : SOUND };
      }
      if (text.trim() === '') return null;
    }
    const { records, damage } = readDamagedLine(bytes.subarray(start, end));
    if (records.length === 0 && damage.length === 0) return null;
    return { ...place, ...this.redact(records, ALL_RULES), damage: damage.map((one) => this.redactDamage(one)) };
  }

  private redact(records: unknown[], rules: RuleHits | null): Pick<JsonlLine, 'records' | 'redacted' | 'replaced'> {
    if (this.redactor === null || rules === null) return { records, redacted: false, replaced: 0 };
    const before = this.redactor.replaced;
    for (let i = 0; i < records.length; i++) records[i] = this.redactor.record(records[i], rules);
    const replaced = this.redactor.replaced - before;
    return { records, redacted: replaced > 0, replaced };
  }

  private redactDamage(damage: Damage): Damage {
    return damage.raw === undefined || this.redactor === null
      ? damage
      : { ...damage, raw: this.redactor.text(damage.raw) };
  }

  /** The rest behind the last line feed: taken when it is a complete record, else it waits. */
  private last(): Step {
    const text = this.memory.bytes.toString('utf8', 0, this.used);
    if (text.trim() === '') return { batch: [], end: this.endAt(null) };
    if (parseLine(text) !== undefined || this.isGlued()) {
      this.lines++;
      const one = this.read(0, this.used, UNSOUND);
      // The line is counted when its line feed comes.
      this.lines--;
      this.drop(this.used);
      return { batch: one === null ? [] : [one], end: this.endAt(null) };
    }
    const line = this.lines + 1;
    const detail = `The last line is cut off after ${this.used} bytes; its record is not complete.`;
    const raw = this.redactor === null ? text : this.redactor.text(text);
    return {
      batch: [],
      end: this.endAt({ about: 'truncated-line', detail, line, offset: this.base, bytes: this.used, raw }),
    };
  }

  /** Whether the rest is nothing but complete records, on one line by mistake: a line feed may never come. */
  private isGlued(): boolean {
    const { records, damage } = readDamagedLine(this.memory.bytes.subarray(0, this.used));
    return records.length > 0 && damage.every(({ raw }) => raw === undefined);
  }

  private endAt(pending: PendingLine | null): JsonlEnd {
    return { cursor: { offset: this.base, line: this.lines }, pending };
  }

  /** Passes over a line that is longer than the limit. */
  private skipLine(): Step {
    const offset = this.base;
    const line = this.lines + 1;
    for (;;) {
      this.drop(this.used);
      const read = this.fill();
      const lf = this.memory.bytes.subarray(0, this.used).indexOf(LF);
      if (lf < 0 && read > 0) continue;
      const end = this.base + (lf < 0 ? this.used : lf);
      this.drop(lf < 0 ? this.used : lf + 1);
      if (lf >= 0) this.lines++;
      const damage: Damage[] = [
        {
          about: 'malformed-line',
          detail: `The line has ${end - offset} bytes, more than the ${this.maxLine} that are read.`,
        },
      ];
      return { batch: [{ records: [], line, offset, end, redacted: false, replaced: 0, damage }], end: null };
    }
  }
}

/** The record of a sound line; undefined when it is not plain JSON, or nested too deep. A byte order mark in front is passed over. */
function parseLine(text: string): unknown {
  try {
    return parseJson(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}
