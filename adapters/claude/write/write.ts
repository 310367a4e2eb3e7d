import type { Result } from '../../../src/shared/errors.ts';
import type { MaterializeOptions, SessionSource, Written } from '../../contract.ts';
import { requireCwd, writeSession } from '../../conversation/write.ts';
import { realFolder } from '../../io/real-folder.ts';
import { sessionPath } from './folder.ts';
import { type LineOptions, Lines } from './lines.ts';

/** Written as `version` where the installed one is not known; the shape was taken from it, and any value is accepted. */
const SHAPE_VERSION = '2.1.332';

/** Streams the model view of a session into a new file of Claude Code's folder for the project, under a temporary name. */
export async function writeChain(session: SessionSource, options: MaterializeOptions): Promise<Result<Written>> {
  const named = requireCwd(options.cwd);
  if (!named.ok) return named;
  const lines: LineOptions = {
    sessionId: options.nativeId,
    from: session.row.agent,
    cwd: realFolder(named.value),
    gitBranch: session.row.git_branch,
    version: options.version ?? SHAPE_VERSION,
    title: options.title,
    at: options.at,
    ...(options.preface === undefined ? {} : { preface: options.preface }),
  };
  return writeSession(session, options, {
    final: sessionPath(options.env, named.value, options.nativeId),
    begin: (first, emit) => new Lines(lines, first, emit),
    warnings: [],
  });
}
