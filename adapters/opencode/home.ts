import { isAbsolute, join } from 'node:path';
import type { AgentEnv } from '../contract.ts';

export const DATABASE = 'opencode.db';
/** `opencode.db`, and `opencode-<channel>.db` of a build that is no release. */
const DATABASE_NAME = /^opencode(?:-[A-Za-z0-9._-]+)?\.db$/;

export const isDatabaseName = (name: string): boolean => DATABASE_NAME.test(name);

/** `$XDG_DATA_HOME/opencode`, default `~/.local/share/opencode`. */
export function dataFolder(env: AgentEnv): string {
  return join(xdg(env, 'XDG_DATA_HOME', '.local', 'share'), 'opencode');
}

/** `$XDG_CONFIG_HOME/opencode`, default `~/.config/opencode`. */
export function configFolder(env: AgentEnv): string {
  return join(xdg(env, 'XDG_CONFIG_HOME', '.config'), 'opencode');
}

/** `$XDG_STATE_HOME/opencode`, default `~/.local/state/opencode`. */
export function stateFolder(env: AgentEnv): string {
  return join(xdg(env, 'XDG_STATE_HOME', '.local', 'state'), 'opencode');
}

/** The database that `$OPENCODE_DB` names, relative to the data folder; null when it names none (or one in memory). */
export function namedDatabase(env: AgentEnv): string | null {
  const set = env.env.OPENCODE_DB;
  if (set === undefined || set === '' || set === ':memory:') return null;
  return isAbsolute(set) ? set : join(dataFolder(env), set);
}

/** The database that a released OpenCode of this environment opens. */
export function ownDatabase(env: AgentEnv): string {
  return namedDatabase(env) ?? join(dataFolder(env), DATABASE);
}

function xdg(env: AgentEnv, name: string, ...fallback: string[]): string {
  const set = env.env[name];
  return set !== undefined && isAbsolute(set) ? set : join(env.home, ...fallback);
}
