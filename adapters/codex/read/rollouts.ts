import { readFileSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { AppFailure } from '../../../src/shared/errors.ts';
import type { Warning } from '../../../src/shared/events.ts';
import type { AgentEnv, NativeParent } from '../../contract.ts';
import { type FoundFile, readSmallFile, walkFiles } from '../../io/files.ts';
import { readJsonl } from '../../io/jsonl.ts';
import { sourceError } from '../../io/source-error.ts';
import { codexHome, parseRolloutName, type RolloutName } from '../home.ts';
import { documentLines } from './document.ts';
import { isObject } from './item.ts';

/** One rollout file found by name. */
export interface Rollout extends RolloutName {
  file: FoundFile;
  archived: boolean;
}

/** Folders of a Codex home that hold rollouts; the second one is flat. */
export const FOLDERS = [
  { name: 'sessions', depth: 4, archived: false },
  { name: 'archived_sessions', depth: 0, archived: true },
] as const;

/** All rollouts of a home, by name and stat alone. The plain file wins over its compressed twin. */
export async function listRollouts(home: string): Promise<{ rollouts: Rollout[]; warnings: Warning[] }> {
  const rollouts = new Map<string, Rollout>();
  const warnings: Warning[] = [];
  for (const { name, depth, archived } of FOLDERS) {
    const found = await walkFiles(join(home, name), {
      maxDepth: depth,
      file: (file) => parseRolloutName(file) !== null,
    });
    warnings.push(...found.warnings);
    for (const file of found.files) {
      const parsed = parseRolloutName(basename(file.path))!;
      const known = rollouts.get(parsed.rolloutId);
      if (known === undefined || (known.compressed && !parsed.compressed))
        rollouts.set(parsed.rolloutId, { ...parsed, file, archived });
    }
  }
  return { rollouts: [...rollouts.values()], warnings };
}

/** Rollouts by thread, in the order in which Codex made them: the last one is what it goes on with. */
export function threadsOf(rollouts: readonly Rollout[]): Map<string, Rollout[]> {
  const threads = new Map<string, Rollout[]>();
  for (const rollout of rollouts) threads.set(rollout.threadId, [...(threads.get(rollout.threadId) ?? []), rollout]);
  for (const files of threads.values()) files.sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  return threads;
}

const rank = ({ stamp, rolloutId }: Rollout): string => `${stamp} ${rolloutId}`;

/** The home that a rollout lies in; the configured one for a file that was moved elsewhere. */
export function homeOf(path: string, env: AgentEnv): string {
  const parts = path.split(sep);
  const at = parts.findLastIndex((part) => part === 'sessions' || part === 'archived_sessions');
  return at > 0 ? parts.slice(0, at).join(sep) : codexHome(env);
}

/** Unpacked files are held whole, so there is a limit: idle threads are compressed, and those are seldom this large. */
const MAX_UNPACKED = 1 << 29;
/** The client itself held a document whole and wrote it anew each time. */
const MAX_DOCUMENT = 1 << 27;

/**
 * Lines of a rollout that does not have them on disk: a compressed one, a document of the first client. undefined = a plain
 * file. Errors: `source_unreadable`.
 */
export function unpacked(path: string): Uint8Array | undefined {
  if (path.endsWith('.json')) {
    const bytes = readSmallFile(path, MAX_DOCUMENT);
    if (!bytes.ok) throw new AppFailure(bytes.error);
    return documentLines(bytes.value);
  }
  if (!path.endsWith('.zst')) return undefined;
  let packed: Buffer;
  try {
    packed = readFileSync(path);
  } catch (error) {
    throw new AppFailure(sourceError(path, error));
  }
  try {
    return zstdDecompressSync(packed, { maxOutputLength: MAX_UNPACKED });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppFailure({
      code: 'source_unreadable',
      message: `${path} cannot be unpacked (${reason}). If Codex can open it, start it once; else the file is damaged.`,
      details: { path, reason },
    });
  }
}

/** The session_meta of a rollout: its first record, or null where that is something else. */
export function headerOf(path: string, content: Uint8Array | undefined): Record<string, unknown> | null {
  const lines = readJsonl(path, { redactor: null, content });
  try {
    for (let step = lines.next(); step.done !== true; step = lines.next()) {
      for (const { records } of step.value) {
        const first = records.find(isObject);
        if (first !== undefined) return first.type === 'session_meta' && isObject(first.payload) ? first.payload : null;
      }
    }
    return null;
  } finally {
    lines.return({ cursor: { offset: 0, line: 0 }, pending: null });
  }
}

/** Where a continuation begins in another rollout. */
export interface Base {
  rolloutId: string;
  /** first ordinal that is not shared */
  end: number;
}

export function baseOf(header: Record<string, unknown> | null): Base | null {
  const base = header?.history_base;
  if (!isObject(base) || typeof base.thread_id !== 'string' || typeof base.end_ordinal_exclusive !== 'number')
    return null;
  return { rolloutId: base.thread_id, end: base.end_ordinal_exclusive };
}

/** Place of a record in its thread; `line`, from 0, where it names none. */
export function ordinalOf(record: unknown, line: number): number {
  return isObject(record) && typeof record.ordinal === 'number' ? record.ordinal : line;
}

/** A sub-agent's parent is the thread that started it; a review's, the thread that asked for it. */
export function parentOf(header: Record<string, unknown> | null): NativeParent | null {
  if (header === null) return null;
  const source = isObject(header.source) ? header.source.subagent : undefined;
  const spawn = isObject(source) && isObject(source.thread_spawn) ? source.thread_spawn.parent_thread_id : undefined;
  const started = [spawn, header.parent_thread_id, source === undefined ? undefined : header.session_id].find(
    (id) => typeof id === 'string' && id !== header.id,
  );
  if (typeof started === 'string') return { kind: 'subagent', native_id: started };
  return typeof header.forked_from_id === 'string' ? { kind: 'fork', native_id: header.forked_from_id } : null;
}
