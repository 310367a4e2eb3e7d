import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { fail, ok, type Result } from '../../src/shared/errors.ts';
import type { Warning } from '../../src/shared/events.ts';
import type { AgentEnv, Discovery, NativeSource } from '../contract.ts';
import { sourceError } from '../io/source-error.ts';

export const HISTORY = '.aider.chat.history.md';

/** Aider writes its history into the project. Projects lie this deep below the home folder, seldom deeper. */
const DEPTH = 3;
const MOST_FOLDERS = 4000;
/** Folders that hold no projects of a person. */
const PASSED_OVER = /^(?:\.|node_modules$|Library$|snap$|go$|venv$|__pycache__$)/;

/** Finds histories in the projects below the home folder, and the one that AIDER_CHAT_HISTORY_FILE names, by name alone. */
export async function discoverHistories(env: AgentEnv): Promise<Discovery> {
  const warnings: Warning[] = [];
  const paths = await historiesBelow(env.home, warnings);
  const named = env.env.AIDER_CHAT_HISTORY_FILE;
  if (named !== undefined && named !== '') paths.add(isAbsolute(named) ? named : resolve(env.home, named));
  const sources: NativeSource[] = [];
  for (const path of [...paths].sort()) {
    const info = await stat(path).catch(() => null);
    if (info?.isFile() === true) sources.push(sourceOf(path, info.size, info.mtimeMs));
  }
  const roots = sources.map(({ path }) => ({
    agent: 'aider' as const,
    path: dirname(path),
    exists: true,
    flat: true as const,
  }));
  if (roots.length > 0) return { roots, sources, warnings };
  return { roots: [{ agent: 'aider', path: join(env.home, HISTORY), exists: false, flat: true }], sources, warnings };
}

async function historiesBelow(home: string, warnings: Warning[]): Promise<Set<string>> {
  const found = new Set<string>();
  let folders = [home];
  let seen = 0;
  for (let depth = 0; depth <= DEPTH && folders.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of folders) {
      if (++seen > MOST_FOLDERS) {
        const detail = `More than ${MOST_FOLDERS} folders lie in ${home}, so not all were looked through. Import other histories by --path.`;
        warnings.push({ about: 'unreadable-file', file: home, detail });
        return found;
      }
      for (const entry of await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => [])) {
        if (entry.name === HISTORY) found.add(join(folder, entry.name));
        else if (entry.isDirectory() && !PASSED_OVER.test(entry.name)) next.push(join(folder, entry.name));
      }
    }
    folders = next;
  }
  return found;
}

function sourceOf(path: string, bytes: number, mtime_ms: number): NativeSource {
  return { agent: 'aider', path, native_id: basename(dirname(path)), bytes, mtime_ms };
}

/** A history by its name, or any Markdown file that the environment names as one. */
export async function recogniseHistory(path: string, env: AgentEnv): Promise<Result<NativeSource>> {
  const named = env.env.AIDER_CHAT_HISTORY_FILE;
  if (!basename(path).endsWith('.chat.history.md') && path !== named)
    return fail('not_a_session', `${path} is no history of Aider: those are named ${HISTORY}.`, { path });
  try {
    const info = await stat(path);
    if (info.isFile()) return ok(sourceOf(path, info.size, info.mtimeMs));
    return fail('not_a_session', `${path} is a folder, not a history of Aider.`, { path });
  } catch (thrown) {
    return { ok: false, error: sourceError(path, thrown) };
  }
}
