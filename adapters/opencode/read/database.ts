import { createHash } from 'node:crypto';
import type Database from 'better-sqlite3';
import { fail, ok, type Result } from '../../../src/shared/errors.ts';
import type { CaptureOptions, Cursor, NativeSource, OpenDatabase } from '../../contract.ts';
import { databaseFailure } from '../../io/damaged-database.ts';
import { databasePath, sessionPath } from '../../io/database-path.ts';
import { openSqliteSnapshot } from '../../io/sqlite-snapshot.ts';
import { isObject, numberOf } from '../json.ts';
import { captureSession } from './capture.ts';
import { DatabaseSession, isOpenCode, type SessionRow, sessionRows } from './rows.ts';

/** Digest of each session by its id, as of the last capture. */
interface DatabaseCursor extends Record<string, unknown> {
  version: 1;
  sessions: Record<string, string>;
}

const ADVICE = 'Recover it with "sqlite3 opencode.db .recover" and name the recovered file.';

/**
 * Tells which sessions of a database are new or changed: each has a digest over its row, messages, parts and to-dos, so
 * that a row changed in place counts too. Reads no other table (accounts, credentials, shares). See
 * `SessionAdapter.openDatabase`.
 */
export async function openDatabase(
  source: NativeSource,
  cursor: Cursor | null,
  options: CaptureOptions & { only?: string },
): Promise<Result<OpenDatabase>> {
  const snapshot = await openSqliteSnapshot(source.path);
  if (!snapshot.ok) return snapshot;
  const { db, close } = snapshot.value;
  try {
    if (!isOpenCode(db)) {
      await close();
      return fail('not_a_session', `${source.path} is no session database of OpenCode: its tables are others.`, {
        path: source.path,
      });
    }
    const only = options.only === undefined ? undefined : (databasePath(options.only)?.id ?? '');
    const found = lookThrough(db, source, known(cursor), only);
    const pathOf = (id: string): string => sessionPath(source.path, id);
    return ok({
      ...found,
      capture: async (one, from, sink, how) => {
        try {
          const row = sessionRows(db, databasePath(one.path)?.id ?? one.native_id)[0];
          if (row === undefined) return gone(one.path);
          const session = new DatabaseSession(db, row);
          return await captureSession({ session, source: one, cursor: from, sink, options: how, pathOf });
        } catch (thrown) {
          return databaseFailure(source.path, thrown, ADVICE);
        }
      },
      close,
    });
  } catch (thrown) {
    await close();
    return databaseFailure(source.path, thrown, ADVICE);
  }
}

function known(cursor: Cursor | null): Record<string, string> {
  return isObject(cursor?.sessions) ? (cursor.sessions as Record<string, string>) : {};
}

function lookThrough(
  db: Database,
  source: NativeSource,
  before: Record<string, string>,
  only: string | undefined,
): Pick<OpenDatabase, 'changed' | 'unchanged' | 'cursor' | 'warnings'> {
  const next: DatabaseCursor = { version: 1, sessions: {} };
  const changed: NativeSource[] = [];
  let unchanged = 0;
  for (const row of sessionRows(db, only)) {
    const { digest, bytes } = digestOfSession(db, row);
    next.sessions[row.id] = digest;
    if (only === undefined && before[row.id] === digest) unchanged++;
    else changed.push(sourceOf(row, source, bytes));
  }
  return { changed, unchanged, cursor: next, warnings: [] };
}

function sourceOf(row: SessionRow, database: NativeSource, bytes: number): NativeSource {
  const { parent_id } = row.columns;
  return {
    agent: database.agent,
    path: sessionPath(database.path, row.id),
    native_id: row.id,
    bytes,
    mtime_ms: numberOf(row.columns.time_updated) ?? 0,
    ...(numberOf(row.columns.time_archived) === null ? {} : { archived: true }),
    ...(typeof parent_id === 'string' ? { parent: { kind: 'subagent', native_id: parent_id } } : {}),
  };
}

const PARTS = 'SELECT id, message_id AS a, time_created AS b, data FROM part WHERE session_id = ? ORDER BY id';
const MESSAGES =
  'SELECT id, time_created AS a, 0 AS b, data FROM message WHERE session_id = ? ORDER BY time_created, id';

function digestOfSession(db: Database, { id, columns, todos }: SessionRow): { digest: string; bytes: number } {
  const hash = createHash('sha256').update(JSON.stringify([columns, todos()]));
  let bytes = 0;
  for (const query of [MESSAGES, PARTS]) {
    for (const { id: own, a, b, data } of db.prepare(query).iterate(id) as Iterable<Record<string, unknown>>) {
      const text = typeof data === 'string' ? data : '';
      bytes += text.length;
      hash.update(`\n${String(own)} ${String(a)} ${String(b)} `).update(text);
    }
  }
  return { digest: hash.digest('base64url').slice(0, 22), bytes };
}

function gone(path: string): Result<never> {
  return fail('source_withdrawn', `${path} is no longer there: OpenCode or its user deleted the session.`, { path });
}
