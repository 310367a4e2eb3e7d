import { shellCommand } from '../../src/core/shell-command.ts';
import type { Command } from '../../src/shared/handoff.ts';
import type { SessionRow } from '../../src/shared/session.ts';

/**
 * `gemini --resume <id>`, to be run in the project folder: sessions are found by folder. The id stands in the file, so it
 * can be anything: one that could be taken for an option is joined to its own.
 */
export function resumeCommand({ native_id, cwd }: Pick<SessionRow, 'native_id' | 'cwd'>): Command {
  const name = native_id.startsWith('-') ? [`--resume=${native_id}`] : ['--resume', native_id];
  return shellCommand(['gemini', ...name], cwd);
}
