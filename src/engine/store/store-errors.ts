import { type AppError, AppFailure, type ErrorCode, toAppError } from '../../shared/errors.ts';

const RULES: readonly [prefix: string, code: ErrorCode, message: string][] = [
  [
    'SQLITE_BUSY',
    'store_busy',
    'Another sessionctl process is writing to the store. Wait for it to finish and try again.',
  ],
  [
    'SQLITE_LOCKED',
    'store_busy',
    'Another sessionctl process is writing to the store. Wait for it to finish and try again.',
  ],
  ['SQLITE_FULL', 'store_full', 'The disk is full. Nothing was half written; free some space and try again.'],
  [
    'SQLITE_IOERR_WRITE',
    'store_full',
    'The disk takes no more bytes. Nothing was half written; free some space and try again.',
  ],
  [
    'SQLITE_IOERR_SHMSIZE',
    'store_full',
    'The disk takes no more bytes. Nothing was half written; free some space and try again.',
  ],
  ['SQLITE_READONLY', 'store_read_only', 'The store cannot be written. Check the permissions of its folder and file.'],
  ['SQLITE_CANTOPEN', 'store_read_only', 'The store cannot be opened. Check the permissions of its folder and file.'],
  ['SQLITE_PERM', 'store_read_only', 'The store cannot be opened. Check the permissions of its folder and file.'],
  ['SQLITE_NOTADB', 'store_corrupt', 'The store is damaged. Restore store.db from a backup; nothing was changed.'],
  ['SQLITE_CORRUPT', 'store_corrupt', 'The store is damaged. Restore store.db from a backup; nothing was changed.'],
  [
    'SQLITE_IOERR',
    'store_corrupt',
    'The store cannot be read from the disk. Check the disk, then restore store.db from a backup.',
  ],
];
const FILE_RULES: Readonly<Record<string, [code: ErrorCode, message: string]>> = {
  EACCES: ['store_read_only', 'The store cannot be opened. Check the permissions of its folder and file.'],
  EPERM: ['store_read_only', 'The store cannot be opened. Check the permissions of its folder and file.'],
  EROFS: [
    'store_read_only',
    'The store lies on a read-only disk. Set SESSIONCTL_HOME to a folder that can be written.',
  ],
  ENOTDIR: ['store_read_only', 'SESSIONCTL_HOME is not a folder. Set it to a folder that can be written.'],
  EEXIST: ['store_read_only', 'SESSIONCTL_HOME is not a folder. Set it to a folder that can be written.'],
  EISDIR: ['store_corrupt', 'A folder lies where store.db belongs. Put the store back from a backup.'],
  ENOSPC: ['store_full', 'The disk is full. Free some space and try again.'],
};

/** Anything thrown by SQLite or the file system as an error that says what to do. */
export function storeError(thrown: unknown): AppError {
  if (thrown instanceof AppFailure || !(thrown instanceof Error)) return toAppError(thrown);
  const code = (thrown as Error & { code?: unknown }).code;
  if (typeof code !== 'string') return toAppError(thrown);
  const details = { cause: `${code}: ${thrown.message}` };
  const file = FILE_RULES[code];
  if (file !== undefined) return { code: file[0], message: file[1], details };
  const rule = RULES.find(([prefix]) => code.startsWith(prefix));
  return rule === undefined ? toAppError(thrown) : { code: rule[1], message: rule[2], details };
}

/** True for SQLite's "someone else holds the lock". */
export function isBusy(thrown: unknown): boolean {
  const code = (thrown as { code?: unknown } | null)?.code;
  return typeof code === 'string' && (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'));
}
