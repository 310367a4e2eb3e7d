import { createHash } from 'node:crypto';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import type { AgentEnv } from '../contract.ts';

/** `.gemini` below `$GEMINI_CLI_HOME`, default below the home folder. A relative value counts from the home folder. */
export function geminiHome(env: AgentEnv): string {
  const set = env.env.GEMINI_CLI_HOME;
  const home = set === undefined || set === '' ? env.home : isAbsolute(set) ? set : resolve(env.home, set);
  return join(home, '.gemini');
}

/** Where Gemini CLI keeps what belongs to projects, one folder each. */
export function projectsFolder(home: string): string {
  return join(home, 'tmp');
}

export const CHATS = 'chats';
/** Name of the file that says which project a folder belongs to. */
export const PROJECT_ROOT = '.project_root';

/** SHA-256 of the project's path: its folder in old versions, `projectHash` in headers. */
export function projectHash(root: string): string {
  return createHash('sha256').update(root).digest('hex');
}

export const isHashFolder = (name: string): boolean => /^[0-9a-f]{64}$/.test(name);

/** What a session file's place says. */
export interface SessionPlace {
  /** the project's folder, `tmp/<slug>` */
  project: string;
  chats: string;
  /** id by name: the first 8 characters of a session's, the whole of a sub-agent's */
  id: string;
  /** session that started the sub-agent */
  parent: string | null;
}

const MAIN = /^session-.+\.jsonl?$/;
const SHORT = /-([0-9A-Za-z]{8})(?:-[A-Za-z]+)?\.jsonl?$/;
const ANY = /^(.+)\.jsonl?$/;

/** Place of a file below `chats`: `session-<minute>-<8 characters>.json[l]`, or `<parent>/<id>.jsonl`. null = neither. */
export function placeOf(path: string): SessionPlace | null {
  const name = basename(path);
  const folder = dirname(path);
  if (basename(folder) === CHATS) {
    if (!MAIN.test(name)) return null;
    const id = SHORT.exec(name)?.[1] ?? name.replace(ANY, '$1');
    return { project: dirname(folder), chats: folder, id, parent: null };
  }
  const chats = dirname(folder);
  const id = ANY.exec(name)?.[1];
  if (basename(chats) !== CHATS || id === undefined) return null;
  return { project: dirname(chats), chats, id, parent: basename(folder) };
}
