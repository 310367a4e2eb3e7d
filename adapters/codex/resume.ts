import type { Command } from '../../src/shared/handoff.ts';
import type { SessionRow } from '../../src/shared/session.ts';

/** `codex resume <id>`, to be run in the project folder: Codex lists and opens threads by folder. */
export function resumeCommand(session: Pick<SessionRow, 'native_id' | 'cwd'>): Command {
  const argv = ['codex', 'resume', session.native_id];
  const text = session.cwd === null ? argv.join(' ') : `cd ${quoted(session.cwd)} && ${argv.join(' ')}`;
  return { argv, cwd: session.cwd, text };
}

/** A word for a POSIX shell. */
function quoted(word: string): string {
  return /^[A-Za-z0-9_./@:+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
