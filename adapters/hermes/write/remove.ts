import { AppFailure, ok, type Result } from '../../../src/shared/errors.ts';
import type { MaterializeOptions, Written } from '../../contract.ts';
import { databasePath } from '../../io/database-path.ts';
import { removeLeftovers } from '../../io/file-hash.ts';
import { databaseStat, openSqliteSnapshot } from '../../io/sqlite-snapshot.ts';
import { columnsOf } from '../read/tables.ts';
import { changeDatabase } from './database.ts';
import { digestOfSession, refuseWhileLocked, removed } from './insert.ts';

/**
 * Deletes the rows that a handoff made, unless somebody has gone on with the session: then it has other messages, or a
 * child.
 */
export async function removeRows(
  { final, sha256 }: Pick<Written, 'final' | 'sha256'>,
  { env }: MaterializeOptions,
): Promise<Result<string[]>> {
  await removeLeftovers(final);
  const place = databasePath(final);
  if (place === null) return ok([]);
  const { file, id } = place;
  if (!(await isThere(file, id))) return ok([]);
  const done = await changeDatabase(file, env, (db) => {
    const digest = digestOfSession(db, id);
    if (digest === null) return;
    const hasParents = columnsOf(db, 'sessions').has('parent_session_id');
    const child = hasParents
      ? db.prepare('SELECT id FROM sessions WHERE parent_session_id = ?').pluck().get(id)
      : undefined;
    if (digest !== sha256 || child !== undefined)
      throw new AppFailure({
        code: 'target_exists',
        message: `The session ${id} was continued in Hermes since the handoff, so it stays. Delete it with "hermes sessions delete ${id}" if it is not wanted.`,
        details: { path: file },
      });
    refuseWhileLocked(db, file, id);
    removed(db, id);
  });
  return done.ok ? ok([]) : done;
}

/** What stands in the database under the id of a written session, looked up in a private copy. */
export async function standingRows({
  final,
  sha256,
}: Pick<Written, 'final' | 'sha256'>): Promise<Result<'same' | 'other' | 'absent'>> {
  const place = databasePath(final);
  if (place === null || (await databaseStat(place.file)) === null) return ok('absent');
  const snapshot = await openSqliteSnapshot(place.file);
  if (!snapshot.ok) return snapshot;
  const { db, close } = snapshot.value;
  try {
    const digest = digestOfSession(db, place.id);
    if (digest === null) return ok('absent');
    return ok(digest === sha256 ? 'same' : 'other');
  } finally {
    await close();
  }
}

/** Looked up in a private copy, so that a database that holds nothing of ours is not opened. */
async function isThere(file: string, id: string): Promise<boolean> {
  if ((await databaseStat(file)) === null) return false;
  const snapshot = await openSqliteSnapshot(file);
  if (!snapshot.ok) return true;
  const { db, close } = snapshot.value;
  try {
    return db.prepare('SELECT 1 FROM sessions WHERE id = ?').get(id) !== undefined;
  } catch {
    return false;
  } finally {
    await close();
  }
}
