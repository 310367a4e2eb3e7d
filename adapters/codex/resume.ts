import { shellCommand } from '../../src/core/shell-command.ts';
import type { Command } from '../../src/shared/handoff.ts';
import type { SessionRow } from '../../src/shared/session.ts';

/**
 * `codex resume <id>`, to be run in the project folder: Codex lists and opens threads by folder. The id stands in the file,
 * so it can be anything: one that could be taken for an option comes behind `--`.
 */
export function resumeCommand({ native_id, cwd }: Pick<SessionRow, 'native_id' | 'cwd'>): Command {
  const name = native_id.startsWith('-') ? ['--', native_id] : [native_id];
  return shellCommand(['codex', 'resume', ...name], cwd);
}
