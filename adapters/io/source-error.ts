import type { AppError } from '../../src/shared/errors.ts';

const WHAT_TO_DO: Record<string, string> = {
  ENOENT: 'It is not there (any more). Check the path, or scan the agent again.',
  EACCES: 'You have no permission to read it. Check its owner and mode.',
  EPERM: 'You have no permission to read it. Check its owner and mode.',
  EISDIR: 'It is a folder, not a file.',
  EINVAL: 'It is no file.',
  EMFILE: 'Too many files are open. Close other programs or raise the limit (ulimit -n).',
  EIO: 'The disk reported an error. Check the disk and try again.',
  ELOOP: 'Its symbolic links form a loop.',
};

/** errno code of a thrown file-system error, `UNKNOWN` for anything else. */
export function errnoOf(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' ? code : 'UNKNOWN';
}

/** A failed read of an agent's file or folder, as a value. */
export function sourceError(path: string, thrown: unknown): AppError {
  const code = errnoOf(thrown);
  const advice = WHAT_TO_DO[code] ?? `The system said ${code}.`;
  return { code: 'source_unreadable', message: `Cannot read ${path}. ${advice}`, details: { path, errno: code } };
}
