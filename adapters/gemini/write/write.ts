import type { Result } from '../../../src/shared/errors.ts';
import type { Warning } from '../../../src/shared/events.ts';
import type { MaterializeOptions, SessionSource, Written } from '../../contract.ts';
import { requireCwd, writeSession } from '../../conversation/write.ts';
import { projectHash } from '../home.ts';
import { type MessageOptions, Messages } from './messages.ts';
import { rootOf, sessionPath, shapeOf } from './place.ts';

const VERSION_UNKNOWN: Warning = {
  about: 'target-version-unknown',
  detail:
    'The version of Gemini CLI is not known, so the session is written as one document, which every version with folders named after the project reads.',
};

/** Streams the model view of a session into a new file of the project's folder, under a temporary name. */
export async function writeMessages(session: SessionSource, options: MaterializeOptions): Promise<Result<Written>> {
  const cwd = requireCwd(options.cwd);
  if (!cwd.ok) return cwd;
  const messages: MessageOptions = {
    sessionId: options.nativeId,
    projectHash: projectHash(rootOf(cwd.value)),
    title: titleOf(options.title),
    at: options.at,
    shape: shapeOf(options.version),
    ...(options.preface === undefined ? {} : { preface: options.preface }),
  };
  return writeSession(session, options, {
    final: sessionPath(options.env, options.version, cwd.value, options.nativeId, options.at),
    begin: (first, emit) => new Messages(messages, first, emit),
    warnings: options.version === null ? [VERSION_UNKNOWN] : [],
  });
}

/** Titles longer than this help nobody in a list. */
const MAX_TITLE = 200;

export function titleOf(title: string): string {
  return title.replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE).toWellFormed();
}
