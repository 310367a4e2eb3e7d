import { createHash } from 'node:crypto';
import { ok, type Result } from '../../../src/shared/errors.ts';
import { compareFile, type FileChange, type FileMark, markFile } from '../../io/files.ts';
import type { JsonlCursor } from '../../io/jsonl.ts';

/** How far a rollout was read. Plain JSON: part of the cursor. */
export interface FileState {
  path: string;
  at: JsonlCursor;
  /** of what the file holds: of a packed one, what is packed in it */
  mark: FileMark;
  torn: number | null;
}

const HEAD = 4096;
const isPacked = (path: string): boolean => path.endsWith('.zst');

/** Marks a rollout by what it holds, so that the mark still fits when Codex packs or unpacks it. */
export function markOf(path: string, content: Uint8Array | undefined): Result<FileMark> {
  const mark = markFile(path);
  if (!mark.ok || content === undefined || !isPacked(path)) return mark;
  const head_bytes = Math.min(HEAD, content.length);
  return ok({ ...mark.value, size: content.length, head_bytes, head_sha256: headOf(content, head_bytes) });
}

/** What became of a rollout since it was read; one that was packed or unpacked meanwhile is the same when it holds the same. */
export function changeOf(known: FileState, path: string, content: Uint8Array | undefined): FileChange {
  // a document of the first client is written anew each time it grows, its end with it
  if (path.endsWith('.json')) return 'grown';
  const { size, head_bytes, head_sha256 } = known.mark;
  if (isPacked(path) && content !== undefined) {
    if (content.length < size) return 'truncated';
    if (headOf(content, head_bytes) !== head_sha256) return 'replaced';
    return content.length > size ? 'grown' : 'same';
  }
  const change = compareFile(known.mark, path);
  if (!change.ok) return 'replaced';
  if (change.value !== 'replaced' || !isPacked(known.path)) return change.value;
  // another file by its number, as unpacking makes one
  const now = markFile(path);
  return now.ok && now.value.size === size && now.value.head_sha256 === head_sha256 ? 'same' : 'replaced';
}

const headOf = (content: Uint8Array, bytes: number): string =>
  createHash('sha256').update(content.subarray(0, bytes)).digest('hex');
