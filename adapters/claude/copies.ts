import { closeSync, readSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { NativeSource } from '../contract.ts';
import { openFile } from '../io/open-file.ts';
import { namesIn } from './side-files.ts';

/** Session files by name, one list a projects folder, looked up again after a moment. */
interface Listing {
  at: number;
  paths: Map<string, string[]>;
}

const listings = new Map<string, Listing>();
const FRESH_MS = 2000;
const CHUNK = 256 * 1024;

/**
 * Whether a file is nothing but the beginning of another file of the same id in another project folder (a worktree, a
 * project that was moved). The longer one is then the session. Files with different ends both stay.
 */
export function isCopyOfLonger({ path }: NativeSource): boolean {
  const root = dirname(dirname(path));
  if (basename(root) !== 'projects') return false;
  const twins = (list(root).get(basename(path)) ?? []).filter((other) => other !== path);
  if (twins.length === 0) return false;
  const { size, mtimeMs } = statSync(path);
  return twins.some((other) => {
    try {
      const twin = statSync(other);
      const first = twin.mtimeMs === mtimeMs ? other < path : twin.mtimeMs > mtimeMs;
      return size > 0 && (twin.size > size || (twin.size === size && first)) && startsWith(other, path, size);
    } catch {
      return false;
    }
  });
}

function list(root: string): Map<string, string[]> {
  const now = Date.now();
  const known = listings.get(root);
  if (known !== undefined && now - known.at < FRESH_MS) return known.paths;
  const paths = new Map<string, string[]>();
  for (const folder of namesIn(root)) {
    for (const name of namesIn(join(root, folder))) {
      if (!name.endsWith('.jsonl')) continue;
      const found = paths.get(name);
      if (found === undefined) paths.set(name, [join(root, folder, name)]);
      else found.push(join(root, folder, name));
    }
  }
  listings.set(root, { at: now, paths });
  return paths;
}

/** Whether the first `size` bytes of two files are equal. */
function startsWith(long: string, short: string, size: number): boolean {
  const a = openFile(long);
  const b = openFile(short);
  const left = Buffer.alloc(CHUNK);
  const right = Buffer.alloc(CHUNK);
  try {
    for (let at = 0; at < size; ) {
      const want = Math.min(CHUNK, size - at);
      const got = Math.min(readSync(a, left, 0, want, at), readSync(b, right, 0, want, at));
      if (got === 0 || !left.subarray(0, got).equals(right.subarray(0, got))) return false;
      at += got;
    }
    return true;
  } finally {
    closeSync(a);
    closeSync(b);
  }
}
