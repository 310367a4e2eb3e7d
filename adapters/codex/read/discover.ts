import { stat } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { fail, ok, type Result } from '../../../src/shared/errors.ts';
import type { AgentEnv, Discovery, NativeSource } from '../../contract.ts';
import { type FoundFile, walkFiles } from '../../io/files.ts';
import { errnoOf, sourceError } from '../../io/source-error.ts';
import { codexHome, parseRolloutName } from '../home.ts';

/** Folders of a Codex home that hold rollouts; the second one is flat. */
const FOLDERS = [
  { name: 'sessions', depth: 4, archived: false },
  { name: 'archived_sessions', depth: 0, archived: true },
] as const;

/**
 * Finds the threads of a Codex home by file names. A thread is one source, named by the file that Codex goes on with:
 * the one with the latest name. The plain file wins over its compressed twin.
 */
export async function discoverRollouts(env: AgentEnv): Promise<Discovery> {
  const home = codexHome(env);
  const discovery: Discovery = {
    roots: [{ agent: 'codex', path: home, exists: await isFolder(home) }],
    sources: [],
    warnings: [],
  };
  const newest = new Map<string, { source: NativeSource; rank: string }>();
  for (const { name, depth, archived } of FOLDERS) {
    const { files, warnings } = await walkFiles(join(home, name), {
      maxDepth: depth,
      file: (file) => parseRolloutName(file) !== null,
    });
    discovery.warnings.push(...warnings);
    const names = new Set(files.map((file) => file.path));
    for (const file of files) {
      const rollout = parseRolloutName(basename(file.path));
      if (rollout === null || (rollout.compressed && names.has(file.path.slice(0, -4)))) continue;
      const rank = `${rollout.stamp} ${rollout.rolloutId} ${archived ? 0 : 1}${rollout.compressed ? 0 : 1}`;
      const known = newest.get(rollout.threadId);
      if (known === undefined || known.rank < rank)
        newest.set(rollout.threadId, { source: sourceOf(file, rollout.threadId, archived), rank });
    }
  }
  discovery.sources = [...newest.values()].map(({ source }) => source);
  return discovery;
}

function sourceOf(file: FoundFile, threadId: string, archived: boolean): NativeSource {
  return {
    agent: 'codex',
    path: file.path,
    native_id: threadId,
    bytes: file.bytes,
    mtime_ms: file.mtime_ms,
    ...(archived ? { archived } : {}),
  };
}

/** A rollout that the user points at, wherever it lies. */
export async function recogniseRollout(path: string): Promise<Result<NativeSource>> {
  const rollout = parseRolloutName(basename(path));
  try {
    const info = await stat(path);
    if (rollout === null || !info.isFile()) {
      return fail(
        'not_a_session',
        `${path} is no Codex session: those are named rollout-<time>-<id>.jsonl or .jsonl.zst.`,
        { path },
      );
    }
    const archived = path.split(sep).includes('archived_sessions');
    return ok(
      sourceOf(
        { path, relative: basename(path), bytes: info.size, mtime_ms: info.mtimeMs },
        rollout.threadId,
        archived,
      ),
    );
  } catch (error) {
    return { ok: false, error: sourceError(path, error) };
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    return errnoOf(error) === 'EACCES';
  }
}
