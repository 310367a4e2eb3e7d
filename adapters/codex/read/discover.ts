import { stat } from 'node:fs/promises';
import { basename, sep } from 'node:path';
import { fail, ok, type Result } from '../../../src/shared/errors.ts';
import type { AgentEnv, Discovery, NativeSource } from '../../contract.ts';
import { errnoOf, sourceError } from '../../io/source-error.ts';
import { codexHome, firstPath, parseRolloutName } from '../home.ts';
import { FOLDERS, homeOf, listRollouts, type Rollout, threadsOf } from './rollouts.ts';

/**
 * A thread as a source. Its path is the thread's first file and stays the same when a rewind adds files; size and time
 * are those of all of them.
 */
export interface CodexSource extends NativeSource {
  /** all files of the thread, oldest first; absent = not looked up yet */
  files?: string[];
}

/** Finds the threads of a Codex home by file names. */
export async function discoverRollouts(env: AgentEnv): Promise<Discovery> {
  const home = codexHome(env);
  const { rollouts, warnings } = await listRollouts(home);
  const sources = [...threadsOf(rollouts).values()].map(sourceOf);
  const folders = FOLDERS.map(({ name }) => name);
  return { roots: [{ agent: 'codex', path: home, exists: await isFolder(home), folders }], sources, warnings };
}

function sourceOf(files: Rollout[]): CodexSource {
  const first = files[0]!;
  return {
    agent: 'codex',
    path: first.file.path,
    home_path: firstPath(first.file.path, first),
    native_id: first.threadId,
    bytes: files.reduce((sum, { file }) => sum + file.bytes, 0),
    mtime_ms: Math.max(...files.map(({ file }) => file.mtime_ms)),
    archived: files.at(-1)!.archived,
    files: files.map(({ file }) => file.path),
  };
}

/** A rollout that the user points at, wherever it lies. Each file of a thread that was rewound stands for the whole of it. */
export async function recogniseRollout(path: string, env: AgentEnv): Promise<Result<NativeSource>> {
  const name = parseRolloutName(basename(path));
  try {
    const info = await stat(path);
    if (name === null || !info.isFile()) {
      return fail(
        'not_a_session',
        `${path} is no Codex session: those are named rollout-<time>-<id>.jsonl, .jsonl.zst or .json.`,
        { path },
      );
    }
    const file = { path, relative: basename(path), bytes: info.size, mtime_ms: info.mtimeMs };
    const archived = path.split(sep).includes('archived_sessions');
    const { thread } = await filesOfThread(path, name.threadId, env);
    return ok(sourceOf(thread ?? [{ ...name, file, archived }]));
  } catch (error) {
    return { ok: false, error: sourceError(path, error) };
  }
}

/** Where a thread lies now whose first file is not at `path`: it was archived, packed, unpacked or taken up again. */
export async function movedThread(path: string, env: AgentEnv): Promise<string | null> {
  const name = parseRolloutName(basename(path));
  if (name === null) return null;
  const { rollouts } = await listRollouts(homeOf(path, env));
  return threadsOf(rollouts).get(name.threadId)?.[0]?.file.path ?? null;
}

/** Looks through the home that `path` lies in. `thread` undefined = it is not among its files. */
export async function filesOfThread(
  path: string,
  threadId: string,
  env: AgentEnv,
): Promise<{ thread: Rollout[] | undefined; all: Rollout[] }> {
  const { rollouts } = await listRollouts(homeOf(path, env));
  const thread = threadsOf(rollouts).get(threadId);
  return { thread: thread?.some(({ file }) => file.path === path) ? thread : undefined, all: rollouts };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    return errnoOf(error) === 'EACCES';
  }
}
