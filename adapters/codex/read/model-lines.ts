import { createHash, type Hash } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import { AppFailure } from '../../../src/shared/errors.ts';
import { openFile } from '../../io/open-file.ts';
import { sourceError } from '../../io/source-error.ts';

const CHUNK = 256 * 1024;
const LF = 10;
const END = 0x7d;
/** The type of a record stands in front of its payload, behind time and ordinal. */
const TYPE_WITHIN = 96;
/** So does the beginning of a compaction's items. */
const ITEMS_WITHIN = 192;
const ITEMS = '"replacement_history":[';

/** A line: its text (null = no whole record), or, for a compaction, its beginning and the hash of its items and all behind. */
export interface ModelLine {
  line: number;
  text: string | null;
  compaction?: { head: string; sha256: string };
}

/**
 * Lines of a rollout of ours that the model sees, and its header: two thirds of such a file are for the eye, and are only
 * looked at for being whole. A compaction repeats all items before it, so it is hashed and never held.
 */
export function* modelLines(path: string): Generator<ModelLine, undefined> {
  const fd = attempt(path, () => openFile(path));
  try {
    let bytes = Buffer.allocUnsafeSlow(2 * CHUNK);
    /** bytes of a line that is not whole yet */
    let rest = 0;
    let line = 1;
    let long: Compaction | null = null;
    for (;;) {
      if (bytes.length - rest < CHUNK) bytes = grown(bytes);
      const read = attempt(path, () => readSync(fd, bytes, rest, CHUNK, null));
      if (read === 0) break;
      const filled = bytes.subarray(0, rest + read);
      let start = 0;
      for (let end = filled.indexOf(LF, rest); end >= 0; end = filled.indexOf(LF, start), line++) {
        const part = filled.subarray(start, end);
        long ??= Compaction.of(part);
        const one: ModelLine | null = long === null ? wanted(part, line) : long.end(part, line);
        if (one !== null) yield one;
        long = null;
        start = end + 1;
      }
      rest = filled.length - start;
      if (long === null && rest >= ITEMS_WITHIN) long = Compaction.of(filled.subarray(start));
      if (long === null) filled.copyWithin(0, start);
      else {
        long.take(filled.subarray(start));
        rest = 0;
      }
    }
    if (rest > 0 || long !== null) yield { line, text: null };
    return undefined;
  } finally {
    closeSync(fd);
  }
}

function grown(bytes: Buffer): Buffer<ArrayBuffer> {
  const twice = Buffer.allocUnsafeSlow(2 * bytes.length);
  bytes.copy(twice);
  return twice;
}

/** null = a whole line that no model sees. */
function wanted(bytes: Buffer, line: number): ModelLine | null {
  if (bytes.at(-1) !== END) return { line, text: null };
  const model = line === 1 || bytes.subarray(0, TYPE_WITHIN).includes('"type":"response_item"');
  return model ? { line, text: bytes.toString('utf8') } : null;
}

/** A compaction's line that is being read, in parts. */
class Compaction {
  readonly #hash: Hash = createHash('sha256');
  #head: string | null = null;
  #last = 0;

  /** null = the line is none. */
  static of(start: Buffer): Compaction | null {
    return start.subarray(0, TYPE_WITHIN).includes('"type":"compacted"') ? new Compaction() : null;
  }

  /** Takes a part of the line. */
  take(part: Buffer): void {
    let items = part;
    if (this.#head === null) {
      const at = part.subarray(0, ITEMS_WITHIN).indexOf(ITEMS);
      const from = at < 0 ? 0 : at + ITEMS.length;
      this.#head = part.toString('utf8', 0, from);
      items = part.subarray(from);
    }
    this.#hash.update(items);
    this.#last = part.at(-1) ?? this.#last;
  }

  end(part: Buffer, line: number): ModelLine {
    this.take(part);
    if (this.#last !== END) return { line, text: null };
    return { line, text: '', compaction: { head: this.#head ?? '', sha256: this.#hash.digest('hex') } };
  }
}

function attempt<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (thrown) {
    throw new AppFailure(sourceError(path, thrown));
  }
}
