import type Database from 'better-sqlite3';
import { fail, ok, type Result } from '../../../src/shared/errors.ts';
import type { MaterializeOptions, Written } from '../../contract.ts';
import { removeLeftovers } from '../../io/file-hash.ts';
import { databaseStat, openSqliteSnapshot } from '../../io/sqlite-snapshot.ts';
import { has, isOpenCode } from '../read/rows.ts';
import { digestOf, messagesOfDatabase } from './digest.ts';
import { isOwnId } from './ids.ts';
import { inTransaction } from './insert.ts';
import { databaseOf, exportFile } from './place.ts';

/**
 * Takes back what was written: the private file, and the rows of the session, a half of them too. A session that OpenCode
 * has gone on with since stays.
 */
export async function removeSession(
  written: Pick<Written, 'final' | 'sha256'>,
  options: Pick<MaterializeOptions, 'nativeId'>,
): Promise<Result<string[]>> {
  const { nativeId } = options;
  await removeLeftovers(exportFile(nativeId));
  const path = databaseOf(written.final);
  if ((await databaseStat(path)) === null) return ok([]);
  const backup = await openSqliteSnapshot(path);
  if (!backup.ok) return backup;
  try {
    const { db } = backup.value;
    if (!isOpenCode(db) || !isThere(db, nativeId)) return ok([]);
    const removed = await inTransaction(path, async (own) => {
      if (!isThere(own, nativeId)) return ok(undefined);
      if (!(await isUntouched(own, nativeId, written.sha256)))
        return fail(
          'target_exists',
          `${written.final} was continued in OpenCode since the handoff, so it stays. Delete it in OpenCode if it is not wanted.`,
          { path: written.final },
        );
      deleteRows(own, nativeId);
      return ok(undefined);
    });
    return removed.ok ? ok([]) : removed;
  } finally {
    await backup.value.close();
  }
}

function isThere(db: Database, nativeId: string): boolean {
  return db.prepare('SELECT 1 AS one FROM session WHERE id = ?').all(nativeId).length > 0;
}

/** As it was written, or a part of that: nothing of it was made or changed by anybody else. */
async function isUntouched(db: Database, nativeId: string, sha256: string): Promise<boolean> {
  if ((await digestOf(messagesOfDatabase(db, nativeId))) === sha256) return true;
  if (has(db, 'event_sequence', ['aggregate_id'])) {
    const events = db.prepare('SELECT 1 AS one FROM event_sequence WHERE aggregate_id = ?').all(nativeId);
    if (events.length > 0) return false;
  }
  for (const { id, parts } of messagesOfDatabase(db, nativeId))
    if (!isOwnId(id, nativeId) || !parts.every((part) => isOwnId(part.id, nativeId))) return false;
  return true;
}

const TABLES = ['part', 'message', 'todo'] as const;

function deleteRows(db: Database, nativeId: string): void {
  for (const table of TABLES)
    if (has(db, table, ['session_id'])) db.prepare(`DELETE FROM ${table} WHERE session_id = ?`).run(nativeId);
  db.prepare('DELETE FROM session WHERE id = ?').run(nativeId);
}
