import { closeSync, openSync, readSync } from 'node:fs';
import { AppFailure } from '../../../src/shared/errors.ts';
import { sourceError } from '../../io/source-error.ts';

const CHUNK = 1 << 20;
const LF = 10;
const END = 0x7d;
/** The type of a record stands in front of its payload, behind time and ordinal. */
const TYPE_WITHIN = 96;

/**
 * Lines of a rollout of ours that the model sees, and its header: two thirds of such a file are for the eye, and are only
 * looked at for being whole. `text` null = a line that is no whole record.
 */
export function* modelLines(path: string): Generator<{ line: number; text: string | null }, undefined> {
  const fd = attempt(path, () => openSync(path, 'r'));
  try {
    let rest = Buffer.alloc(0);
    let line = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK);
      const read = attempt(path, () => readSync(fd, chunk, 0, CHUNK, null));
      if (read === 0) break;
      const bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
      let start = 0;
      for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
        line++;
        const text = wanted(bytes.subarray(start, end), line);
        if (text !== undefined) yield { line, text };
        start = end + 1;
      }
      rest = bytes.subarray(start);
    }
    if (rest.length > 0) yield { line: line + 1, text: null };
    return undefined;
  } finally {
    closeSync(fd);
  }
}

/** undefined = a whole line that no model sees. */
function wanted(bytes: Buffer, line: number): string | null | undefined {
  if (bytes.at(-1) !== END) return null;
  const model = line === 1 || bytes.subarray(0, TYPE_WITHIN).includes('"type":"response_item"');
  return model ? bytes.toString('utf8') : undefined;
}

function attempt<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (thrown) {
    throw new AppFailure(sourceError(path, thrown));
  }
}
