import { createHash } from 'node:crypto';
import { closeSync, fstatSync, readSync, statSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fail, ok, type Result } from '../../src/shared/errors.ts';
import type { Warning } from '../../src/shared/events.ts';
import { openFile } from './open-file.ts';
import { errnoOf, sourceError } from './source-error.ts';

/** What a file looked like when it was last read. Plain JSON, fit for a capture cursor. */
export interface FileMark {
  size: number;
  mtime_ms: number;
  /** as strings, since they can pass 2^53 */
  ino: string;
  dev: string;
  /** sha256 (hex) of the first `head_bytes` bytes, at most 4096 */
  head_sha256: string;
  head_bytes: number;
}

/**
 * same: nothing to do. grown: the old bytes are still there, read on. truncated, replaced: read all again. gone: the file
 * is not there (any more).
 */
export type FileChange = 'same' | 'grown' | 'replaced' | 'truncated' | 'gone';

const HEAD = 4096;

/** Marks a file as it is now. Read-only. */
export function markFile(path: string): Result<FileMark> {
  try {
    return ok(measure(path, HEAD));
  } catch (thrown) {
    return { ok: false, error: sourceError(path, thrown) };
  }
}

/** Compares a file with an earlier mark. A file of equal size and time is believed to be the same without reading it. */
export function compareFile(mark: FileMark, path: string): Result<FileChange> {
  try {
    const now = measure(path, mark.head_bytes, mark);
    if (now === 'same') return ok('same');
    if (now.size < mark.size) return ok('truncated');
    if (now.head_sha256 !== mark.head_sha256) return ok('replaced');
    if (now.size > mark.size) return ok('grown');
    return ok(now.ino === mark.ino && now.dev === mark.dev && now.mtime_ms === mark.mtime_ms ? 'same' : 'replaced');
  } catch (thrown) {
    const errno = errnoOf(thrown);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return ok('gone');
    return { ok: false, error: sourceError(path, thrown) };
  }
}

function measure(path: string, head: number): FileMark;
function measure(path: string, head: number, unless: FileMark): FileMark | 'same';
function measure(path: string, head: number, unless?: FileMark): FileMark | 'same' {
  const fd = openFile(path);
  try {
    const { size, mtimeMs, ino, dev } = fstatSync(fd, { bigint: true });
    const mark = { size: Number(size), mtime_ms: Number(mtimeMs), ino: String(ino), dev: String(dev) };
    if (
      unless !== undefined &&
      mark.size === unless.size &&
      mark.mtime_ms === unless.mtime_ms &&
      mark.ino === unless.ino &&
      mark.dev === unless.dev
    )
      return 'same';
    const bytes = Buffer.alloc(head);
    const read = readSync(fd, bytes, 0, head, 0);
    const hash = createHash('sha256').update(bytes.subarray(0, read)).digest('hex');
    return { ...mark, head_sha256: hash, head_bytes: read };
  } finally {
    closeSync(fd);
  }
}

export interface FoundFile {
  /** as reached from the root, links not resolved */
  path: string;
  /** path below the root, with the system's separator */
  relative: string;
  bytes: number;
  mtime_ms: number;
}

export interface WalkOptions {
  /** folders below the root that are entered; 0 = the root's own files only */
  maxDepth: number;
  /** which files are wanted, by name and path below the root */
  file: (name: string, relative: string) => boolean;
  /** which folders are entered; default all */
  folder?: (name: string, relative: string) => boolean;
}

/**
 * Files are looked at synchronously, which costs a quarter of asking a thread for each (measured over 20,000), and this
 * long at most until others have their turn.
 */
const TURN_MS = 5;

/**
 * Lists files below a folder by name and stat alone. A folder that cannot be read, or that leads back to one already
 * walked, is a warning and does not end the walk. A root that does not exist gives nothing. Sorted by path.
 */
export async function walkFiles(
  root: string,
  options: WalkOptions,
): Promise<{ files: FoundFile[]; warnings: Warning[] }> {
  const files: FoundFile[] = [];
  const warnings: Warning[] = [];
  const visited = new Set<string>();

  const unreadable = (path: string, thrown: unknown): void => {
    warnings.push({ about: 'unreadable-file', file: path, detail: sourceError(path, thrown).message });
  };

  let turn = performance.now();
  const otherWork = async (): Promise<void> => {
    await nextTurn();
    turn = performance.now();
  };

  async function enter(folder: string, relative: string, depth: number): Promise<void> {
    const real = await realpath(folder);
    if (visited.has(real)) {
      warnings.push({
        about: 'unreadable-file',
        file: folder,
        detail: `${folder} leads to a folder that was already read. It was passed over.`,
      });
      return;
    }
    visited.add(real);
    const entries = await readdir(folder, { withFileTypes: true });
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const path = join(folder, entry.name);
      const below = relative === '' ? entry.name : join(relative, entry.name);
      try {
        if (entry.isFile() && !options.file(entry.name, below)) continue;
        if (performance.now() - turn > TURN_MS) await otherWork();
        const info = entry.isDirectory() ? null : statSync(path);
        if (info === null || info.isDirectory()) {
          if (depth < options.maxDepth && (options.folder?.(entry.name, below) ?? true))
            await enter(path, below, depth + 1);
        } else if (info.isFile() && options.file(entry.name, below)) {
          files.push({ path, relative: below, bytes: info.size, mtime_ms: info.mtimeMs });
        }
      } catch (thrown) {
        unreadable(path, thrown);
      }
    }
  }

  try {
    await enter(root, '', 0);
  } catch (thrown) {
    if (errnoOf(thrown) !== 'ENOENT') unreadable(root, thrown);
  }
  return { files, warnings };
}

/** Whole text of a small side file, or why not; larger ones than `maxBytes` are refused. */
export function readSmallFile(path: string, maxBytes: number): Result<Uint8Array> {
  try {
    const fd = openFile(path);
    try {
      const { size } = fstatSync(fd);
      if (size > maxBytes)
        return fail('source_unreadable', `${path} has ${size} bytes; at most ${maxBytes} are read here.`, { path });
      const bytes = Buffer.alloc(size);
      return ok(bytes.subarray(0, readSync(fd, bytes, 0, size, 0)));
    } finally {
      closeSync(fd);
    }
  } catch (thrown) {
    return { ok: false, error: sourceError(path, thrown) };
  }
}
