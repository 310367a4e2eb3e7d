import { join } from 'node:path';
import { shellCommand } from '../../src/core/shell-command.ts';
import type { Command } from '../../src/shared/handoff.ts';
import type { SessionRow } from '../../src/shared/session.ts';
import type { AgentEnv, Installed } from '../contract.ts';
import { findProgram } from '../io/program.ts';
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

/** Looks for the client in PATH and where its installer puts it. */
export function installed(env: AgentEnv): Promise<Installed | null> {
  return findProgram('claude', env, {
    folders: [join(env.home, '.local', 'bin')],
    package: { npm: ['@anthropic-ai/claude-code'] },
  });
}
