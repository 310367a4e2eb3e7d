import { isAbsolute, join, resolve } from 'node:path';
import type { AgentEnv } from '../contract.ts';
import { readText } from '../io/open-file.ts';
import { isObject, type Json, text } from './json.ts';

/** Folder of settings and sessions: `PI_CODING_AGENT_DIR`, else `~/.pi/agent`. */
export function agentFolder(env: AgentEnv): string {
  const set = env.env.PI_CODING_AGENT_DIR;
  return set === undefined || set === '' ? join(env.home, '.pi', 'agent') : expanded(set, env.home);
}

/** A relative value counts from the home folder, since we do not know where Pi is started. */
function expanded(path: string, home: string): string {
  if (path === '~') return home;
  if (path.startsWith('~/')) return join(home, path.slice(2));
  return isAbsolute(path) ? path : resolve(home, path);
}

/**
 * Where sessions lie: the folder with a folder for each project, and the one that the user set instead, in which the
 * files lie side by side. Pi takes `PI_CODING_AGENT_SESSION_DIR` before the setting `sessionDir`.
 */
export function sessionFolders(env: AgentEnv): { standard: string; flat: string | null } {
  const agent = agentFolder(env);
  const named = env.env.PI_CODING_AGENT_SESSION_DIR;
  const set = named === undefined || named === '' ? text(readJson(join(agent, 'settings.json')).sessionDir) : named;
  return {
    standard: join(agent, 'sessions'),
    flat: set === undefined || set === '' ? null : expanded(set, env.home),
  };
}

/** A JSON file of the user's settings; {} when it is missing or cannot be read. Never opened for writing. */
export function readJson(path: string): Json {
  try {
    const value: unknown = JSON.parse(readText(path));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Pi's folder name of a project: `/`, `\` and `:` become `-`. It cannot be turned back. */
export function folderOf(cwd: string): string {
  return `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`;
}

/** Where Pi itself would put a session begun at `at` (seconds). */
export function sessionPath(env: AgentEnv, cwd: string, nativeId: string, at: number): string {
  const { standard, flat } = sessionFolders(env);
  const name = `${new Date(at * 1000).toISOString().replace(/[:.]/g, '-')}_${nativeId}.jsonl`;
  return join(flat ?? join(standard, folderOf(cwd)), name);
}

/** The id in a file name `<time>_<id>.jsonl`; any other name is an id by itself (imported files). */
export function idOfName(name: string): string {
  const plain = name.replace(/\.jsonl$/, '');
  return /^\d{4}-\d{2}-\d{2}T[\d-]+Z_(.+)$/.exec(plain)?.[1] ?? plain;
}
