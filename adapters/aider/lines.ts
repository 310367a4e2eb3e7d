import { readSync } from 'node:fs';
import { AppFailure } from '../../src/shared/errors.ts';
import { openFile } from '../io/open-file.ts';
import { sourceError } from '../io/source-error.ts';

/** The parts of a file are read whole, so there is a limit. */
const CHUNK = 1 << 24;

/** Opens a history to read it. @throws AppFailure `source_unreadable` */
export function openHistory(path: string): number {
  try {
    return openFile(path);
  } catch (thrown) {
    throw new AppFailure(sourceError(path, thrown));
  }
}

/** The next lines that are whole; null = there are none. A last line without its end waits. */
export function wholeLines(
  fd: number,
  offset: number,
  path: string,
): { value: string; bytes: number; lines: number } | null {
  const buffer = Buffer.allocUnsafe(CHUNK);
  let read: number;
  try {
    read = readSync(fd, buffer, 0, CHUNK, offset);
  } catch (thrown) {
    throw new AppFailure(sourceError(path, thrown));
  }
  const part = buffer.subarray(0, read);
  const end = read === CHUNK ? borderIn(part) : part.lastIndexOf(0x0a) + 1;
  if (end === 0) return null;
  const value = part.toString('utf8', 0, end);
  return { value, bytes: end, lines: value.split('\n').length - 1 };
}

/** Of a part that is not the last one: where a block begins for certain, else the end of its last line, else all of it. */
function borderIn(part: Buffer): number {
  const start = part.lastIndexOf('\n#### ');
  if (start > 0) return start + 1;
  const line = part.lastIndexOf(0x0a);
  return line < 0 ? part.length : line + 1;
}
