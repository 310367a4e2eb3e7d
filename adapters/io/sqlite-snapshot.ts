import { constants } from 'node:fs';
import { copyFile, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { fail, ok, type Result } from '../../src/shared/errors.ts';
import { privateFolder } from './private-folder.ts';

/** An agent's database as it stood at one moment. */
export interface SqliteSnapshot {
  readonly db: Database;
  close(): Promise<void>;
}

/** Size and time of a database with its log: changes with every committed write. */
export interface DatabaseStat {
  bytes: number;
  mtime_ms: number;
}

/** Files beside a database in which committed or half-done writes can lie. The -shm is rebuilt from the -wal. */
const LOGS = ['-wal', '-journal'] as const;

const TRIES = 5;

/** Null = there is no such file. */
export async function databaseStat(path: string): Promise<DatabaseStat | null> {
  const [main, ...logs] = await Promise.all(['', ...LOGS].map((suffix) => stat(path + suffix).catch(() => null)));
  if (!main?.isFile()) return null;
  const all = [main, ...logs.filter((info) => info !== null && info.size > 0)] as (typeof main)[];
  return {
    bytes: all.reduce((sum, info) => sum + info.size, 0),
    mtime_ms: Math.max(...all.map((info) => info.mtimeMs)),
  };
}

/**
 * Opens a private copy of an agent's SQLite database, what is only in its log included. The database itself is read as
 * plain files: SQLite, even when it only reads, would leave `-wal` and `-shm` beside it and take locks that the agent feels.
 * The copy lies in a folder of mode 0700 and goes with `close`; one that a killed process left goes with the next call.
 * Errors: source_unreadable (also when the files never stood still while they were copied), not_a_session (no SQLite database).
 */
export async function openSqliteSnapshot(path: string): Promise<Result<SqliteSnapshot>> {
  const folder = await privateFolder(tmpdir(), 'sessionctl-snapshot');
  const close = () => rm(folder, { recursive: true, force: true });
  try {
    await checkHeader(path);
    const copy = join(folder, 'copy.db');
    for (let tries = 0; tries < TRIES; tries++) {
      if (!(await copyStill(path, copy))) continue;
      const db = new Database(copy);
      db.prepare('SELECT count(*) FROM sqlite_master').get();
      const end = () => {
        db.close();
        return close();
      };
      return ok({ db, close: end });
    }
    await close();
    return fail('source_unreadable', `${path} was being written all the time. Try again when its agent is idle.`, {
      path,
    });
  } catch (thrown) {
    await close();
    return unreadable(path, thrown);
  }
}

/** True when nothing but the end of the log changed while the files were copied. */
async function copyStill(path: string, copy: string): Promise<boolean> {
  const before = await stat(path);
  await copyWhole(path, copy);
  for (const suffix of LOGS) {
    await rm(copy + suffix, { force: true });
    await copyWhole(path + suffix, copy + suffix).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code !== 'ENOENT') throw thrown;
    });
  }
  const after = await stat(path);
  return before.size === after.size && before.mtimeMs === after.mtimeMs && before.ino === after.ino;
}

const HEADER = 'SQLite format 3\0';

/** What is no database at all need not be copied to find that out. A new one can lie whole in its log. */
async function checkHeader(path: string): Promise<void> {
  if (!(await stat(path)).isFile()) throw noFile(path);
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEADER.length), 0, HEADER.length, 0);
    if (bytesRead > 0 && buffer.toString('latin1') !== HEADER)
      throw Object.assign(new Error('file is not a database'), { code: 'SQLITE_NOTADB' });
  } finally {
    await file.close();
  }
}

const noFile = (path: string): Error => Object.assign(new Error(`${path} is no file`), { code: 'EINVAL' });

/** To copy what is no file (a pipe put where one belongs) could wait for ever. */
async function copyWhole(from: string, to: string): Promise<void> {
  if (!(await stat(from)).isFile()) throw noFile(from);
  await copyFile(from, to, constants.COPYFILE_FICLONE);
}

function unreadable(path: string, thrown: unknown): Result<never> {
  const { code, message } = thrown as { code?: string; message?: string };
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT')
    return fail('not_a_session', `${path} is no readable SQLite database (${message}).`, { path });
  return fail('source_unreadable', `${path} cannot be read (${code ?? message}). Check the path and its permissions.`, {
    path,
  });
}
