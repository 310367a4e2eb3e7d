import { shellCommand } from '../../src/core/shell-command.ts';
import type { Command } from '../../src/shared/handoff.ts';
import type { SessionRow } from '../../src/shared/session.ts';

/**
 * `pi --session <file>`, to be run in the project folder. The path is named where it is known: Pi finds an id only below the
 * folder of the current project, and leaves without an error where it asks and nobody answers.
 */
export function resumeCommand({ native_id, cwd, source }: Pick<SessionRow, 'native_id' | 'cwd' | 'source'>): Command {
  return shellCommand(['pi', '--session', source ?? native_id], cwd);
}
