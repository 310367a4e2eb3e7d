import { isAbsolute, join, resolve } from 'node:path';
import type { AgentEnv } from '../contract.ts';

export const DATABASE = 'state.db';

/** `$HERMES_HOME`, default `~/.hermes`. A relative value counts from the home folder. */
export function hermesHome(env: AgentEnv): string {
  const set = env.env.HERMES_HOME;
  if (set === undefined || set === '') return join(env.home, '.hermes');
  return isAbsolute(set) ? set : resolve(env.home, set);
}

/** The default profile's database. */
export function databaseOf(env: AgentEnv): string {
  return join(hermesHome(env), DATABASE);
}
