import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { NativeSource } from '../../contract.ts';

const SESSION_FILE = /^(ses_[A-Za-z0-9]+)\.json$/;

/** Where the parts of a session lie that was kept as JSON files (0.5 and 1.0 to 1.1). */
export interface TreePlace {
  /** folder with one file a message */
  messages: string;
  /** folder with the parts of a message, one file each */
  parts(messageId: string): string;
  /** to-do list; null before there was one */
  todos: string | null;
}

/** The place of a session file; null when it lies in no tree of OpenCode. */
export function treePlace(path: string): TreePlace | null {
  const id = SESSION_FILE.exec(basename(path))?.[1];
  if (id === undefined) return null;
  const folder = dirname(path);
  const above = dirname(folder);
  if (basename(folder) === 'info' && basename(above) === 'session') {
    const parts = join(above, 'part', id);
    return { messages: join(above, 'message', id), parts: (message) => join(parts, message), todos: null };
  }
  if (basename(above) !== 'session' || basename(dirname(above)) !== 'storage') return null;
  const storage = dirname(above);
  return {
    messages: join(storage, 'message', id),
    parts: (message) => join(storage, 'part', message),
    todos: join(storage, 'todo', `${id}.json`),
  };
}

/** Sessions of all trees in a data folder. */
export async function treeSources(data: string): Promise<NativeSource[]> {
  const projects = await names(join(data, 'project'));
  const old = projects.map((project) => join(data, 'project', project, 'storage', 'session', 'info'));
  const sessions = join(data, 'storage', 'session');
  const newer = (await names(sessions)).map((project) => join(sessions, project));
  const files = await Promise.all(
    [...old, ...newer].map(async (folder) => (await names(folder)).map((name) => join(folder, name))),
  );
  const sources = await Promise.all(files.flat().map(recogniseTree));
  return sources.filter((source) => source !== null);
}

/** A session file with all that belongs to it: size and time are those of its files together. */
export async function recogniseTree(path: string): Promise<NativeSource | null> {
  const place = treePlace(path);
  const own = place === null ? null : await statOf(path);
  if (place === null || own === null) return null;
  const messages = (await names(place.messages)).filter((name) => name.endsWith('.json'));
  const parts = await Promise.all(
    messages.map(async (name) => {
      const folder = place.parts(name.slice(0, -5));
      return (await names(folder)).map((part) => join(folder, part));
    }),
  );
  const files = [...messages.map((name) => join(place.messages, name)), ...parts.flat()];
  if (place.todos !== null) files.push(place.todos);
  const stats = [own, ...(await Promise.all(files.map(statOf))).filter((info) => info !== null)];
  return {
    agent: 'opencode',
    path,
    native_id: basename(path, '.json'),
    bytes: stats.reduce((sum, { size }) => sum + size, 0),
    mtime_ms: Math.max(...stats.map(({ mtimeMs }) => mtimeMs)),
  };
}

const names = async (folder: string): Promise<string[]> => (await readdir(folder).catch(() => [])).sort();

async function statOf(path: string): Promise<{ size: number; mtimeMs: number } | null> {
  const info = await stat(path).catch(() => null);
  return info?.isFile() ? info : null;
}
