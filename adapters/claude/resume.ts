import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { shellCommand } from '../../src/core/shell-command.ts';
import type { Command } from '../../src/shared/handoff.ts';
import type { SessionRow } from '../../src/shared/session.ts';
import type { AgentEnv, Installed } from '../contract.ts';
import { configFolder } from './discover.ts';

const PLAIN_ID = /^[0-9A-Za-z][\w-]*$/;

/**
 * `claude --resume <id>`, run where the session was (older clients find it only there). A session outside the client's
 * own folders, or with an id that is no plain word, is named by its path, which all versions accept.
 */
export function resume(session: Pick<SessionRow, 'native_id' | 'cwd' | 'source'>, env: AgentEnv): Command {
  const { native_id, cwd, source } = session;
  const own = source === null || source.startsWith(join(configFolder(env), 'projects'));
  const name = (own && PLAIN_ID.test(native_id)) || source === null ? native_id : source;
  // an id of a bundle can be anything: it must not be taken for an option
  const argv = name.startsWith('-') ? ['claude', `--resume=${name}`] : ['claude', '--resume', name];
  return shellCommand(argv, cwd);
}

/** Looks for the client in PATH and asks it for its version (which starts no session). */
export async function installed({ home, env }: AgentEnv): Promise<Installed | null> {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const folder of [...folders, join(home, '.local', 'bin')]) {
    const path = join(folder, 'claude');
    if (!isProgram(path)) continue;
    const run = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000, env: { ...env, HOME: home } });
    return { path, version: /\d+\.\d+\.\d+[\w.-]*/.exec(run.stdout ?? '')?.[0] ?? null };
  }
  return null;
}

function isProgram(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
