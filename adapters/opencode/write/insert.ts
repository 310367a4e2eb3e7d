import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import Database from 'better-sqlite3';
import { fail, ok, type Result } from '../../../src/shared/errors.ts';
import { openSqliteSnapshot } from '../../io/sqlite-snapshot.ts';
import { type Json, numberOf, objectOf } from '../json.ts';
import { headOfFile, messagesOfFile } from './digest.ts';
import { upwards } from './place.ts';
import { insertRow, isKnownSchema } from './schema.ts';

const WAIT_MS = 5000;

/**
 * Puts an exported session into OpenCode's database without OpenCode, in one transaction. Beside it lies a private copy of
 * the database for as long as that takes. Errors: target_unavailable, target_unsupported, target_exists, write_failed.
 */
export function insertSession(file: string, database: string, cwd: string): Promise<Result<void>> {
  return besideCopy(database, cwd, () => inTransaction(database, (db) => insertAll(db, file, cwd)));
}

/** Whether `insertSession` would begin, told without any effect. Its errors, but for `target_exists`. */
export function takesRows(database: string, cwd: string): Promise<Result<void>> {
  return besideCopy(database, cwd, async () => ok(undefined));
}

async function besideCopy(database: string, cwd: string, work: () => Promise<Result<void>>): Promise<Result<void>> {
  if (!existsSync(database))
    return fail(
      'target_unavailable',
      existsSync(cwd)
        ? 'OpenCode is not on PATH and has no database yet. Install it, or start it once, and try again.'
        : `The folder ${cwd} is not on this machine, so OpenCode cannot import into it, and it has no database yet. Name another folder (--cwd in a terminal).`,
      { path: database },
    );
  const backup = await openSqliteSnapshot(database);
  if (!backup.ok) return backup;
  try {
    if (!isKnownSchema(backup.value.db))
      return fail(
        'target_unsupported',
        `The tables of ${database} are others than those that sessionctl knows, so nothing is written into it. Put opencode on PATH: it then imports the session itself.`,
        { path: database },
      );
    return await work();
  } finally {
    await backup.value.close();
  }
}

/** Runs `work` in one transaction on the agent's own database; nothing stays of work that fails. */
export async function inTransaction(
  database: string,
  work: (db: Database) => Promise<Result<void>> | Result<void>,
): Promise<Result<void>> {
  let db: Database | undefined;
  try {
    db = new Database(database, { fileMustExist: true, timeout: WAIT_MS });
    db.exec('PRAGMA foreign_keys = ON');
    db.exec('BEGIN IMMEDIATE');
    const done = await work(db);
    db.exec(done.ok ? 'COMMIT' : 'ROLLBACK');
    return done;
  } catch (thrown) {
    if (db?.inTransaction === true) db.exec('ROLLBACK');
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return fail('write_failed', `${database} could not be written (${reason}). Nothing in it was changed.`, {
      path: database,
    });
  } finally {
    db?.close();
  }
}

async function insertAll(db: Database, file: string, cwd: string): Promise<Result<void>> {
  const info = await headOfFile(file);
  if (info === null) return fail('write_failed', `${file} holds no session.`);
  const project = projectOf(db, cwd, info);
  if (!project.ok) return project;
  const time = objectOf(info.time);
  insertRow(db, 'session', {
    ...info,
    ...project.value,
    directory: cwd,
    model: JSON.stringify(info.model),
    time_created: time.created,
    time_updated: time.updated,
  });
  for await (const { id, data, parts } of messagesOfFile(file)) {
    const created = numberOf(objectOf(data.time).created) ?? 0;
    const own = { session_id: info.id, time_created: created, time_updated: created };
    insertRow(db, 'message', { id, ...own, data: JSON.stringify(data) });
    for (const part of parts)
      insertRow(db, 'part', { id: part.id, message_id: id, ...own, data: JSON.stringify(part.data) });
  }
  return ok(undefined);
}

/** The project that OpenCode would give a session of this folder, as far as its own rows tell. */
export function projectOf(db: Database, cwd: string, info: Json): Result<{ project_id: string; path: string }> {
  const same = db.prepare(
    'SELECT project_id AS id FROM session WHERE directory = ? ORDER BY time_created DESC LIMIT 1',
  );
  const worktree = db.prepare('SELECT id, worktree FROM project WHERE id = ?');
  const [used] = same.all(cwd) as { id: string }[];
  const [known] = (used === undefined ? [] : worktree.all(used.id)) as { id: string; worktree: string }[];
  const folders = upwards(cwd);
  const byTree = db.prepare("SELECT id, worktree FROM project WHERE worktree = ? AND id <> 'global' LIMIT 1");
  const [found] = known === undefined ? folders.flatMap((folder) => byTree.all(folder) as (typeof known)[]) : [known];
  if (found !== undefined)
    return ok({ project_id: found.id, path: relative(found.worktree, cwd).replaceAll('\\', '/') });
  if (folders.some((folder) => existsSync(join(folder, '.git'))))
    return fail(
      'target_unavailable',
      `OpenCode does not know the project of ${cwd} yet. Start opencode there once, or put it on PATH, and try again.`,
      { cwd },
    );
  if (worktree.all('global').length === 0) {
    const { updated } = objectOf(info.time);
    const times = { time_created: updated, time_updated: updated };
    insertRow(db, 'project', { id: 'global', worktree: '/', sandboxes: '[]', ...times });
  }
  return ok({ project_id: 'global', path: relative('/', cwd).replaceAll('\\', '/') });
}
