import { shellCommand } from '../../src/core/shell-command.ts';
import type { Command } from '../../src/shared/handoff.ts';
import type { SessionRow } from '../../src/shared/session.ts';

/** `opencode --session <id>`, to be run in the project folder: OpenCode opens sessions of the folder it is started in. */
export function resumeCommand({ native_id, cwd }: Pick<SessionRow, 'native_id' | 'cwd'>): Command {
  return shellCommand(['opencode', `--session=${native_id}`], cwd);
}
