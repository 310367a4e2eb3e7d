import { shellCommand } from '../../src/core/shell-command.ts';
import type { Command } from '../../src/shared/handoff.ts';
import type { SessionRow } from '../../src/shared/session.ts';
import type { AgentEnv } from '../contract.ts';
import { fileOf } from '../io/database-path.ts';
import { profileOf } from './read/discover.ts';

/**
 * `hermes --resume <id>`, in the session's folder, with the profile whose database holds it. Hermes takes ids and titles
 * here; an id that could be taken for an option is tied to it.
 */
export function resumeCommand(
  { native_id, cwd, source }: Pick<SessionRow, 'native_id' | 'cwd' | 'source'>,
  env: AgentEnv,
): Command {
  const profile = source === null ? null : profileOf(fileOf(source), env);
  const id = native_id.startsWith('-') ? [`--resume=${native_id}`] : ['--resume', native_id];
  return shellCommand(['hermes', ...(profile === null ? [] : ['-p', profile]), ...id], cwd);
}
