import type { Result } from '../../../src/shared/errors.ts';
import type { MaterializeOptions, SessionSource, Written } from '../../contract.ts';
import { requireCwd, writeSession } from '../../conversation/write.ts';
import { realFolder } from '../../io/real-folder.ts';
import { sessionPath } from '../places.ts';
import { type LineOptions, Lines } from './lines.ts';
import { defaultModel } from './window.ts';

/** Streams the model view of a session into a new file of Pi's folder for the project, under a temporary name. */
export async function writeChain(session: SessionSource, options: MaterializeOptions): Promise<Result<Written>> {
  const named = requireCwd(options.cwd);
  if (!named.ok) return named;
  const cwd = realFolder(named.value);
  const lines: LineOptions = {
    sessionId: options.nativeId,
    from: session.row.agent,
    cwd,
    title: options.title,
    at: options.at,
    model: defaultModel(options.env),
    tokens: options.tokens,
    ...(options.preface === undefined ? {} : { preface: options.preface }),
  };
  return writeSession(session, options, {
    final: sessionPath(options.env, cwd, options.nativeId, options.at),
    begin: (first, emit) => new Lines(lines, first, emit),
    warnings: [],
  });
}
