import { createHash } from 'node:crypto';
import type Database from 'better-sqlite3';
import { fail, ok, type Result } from '../../../src/shared/errors.ts';
import type { Warning } from '../../../src/shared/events.ts';
import type { CaptureOptions, Cursor, NativeSource, OpenDatabase } from '../../contract.ts';
import { databaseFailure } from '../../io/damaged-database.ts';
import { databasePath, sessionPath } from '../../io/database-path.ts';
import { openSqliteSnapshot } from '../../io/sqlite-snapshot.ts';
import { isObject, type Json } from '../json.ts';
import { ADVICE, captureSession } from './capture.ts';
import { Family } from './family.ts';
import { columnsOf, isHermes, lastingColumns, messagesBySession, quoted } from './tables.ts';

/** Digest of each session by its id, as of the last capture. */
interface DatabaseCursor extends Record<string, unknown> {
  version: 1;
  sessions: Record<string, string>;
}

/** Tells which sessions of a `state.db` are new or changed, from a private snapshot. See `SessionAdapter.openDatabase`. */
export async function openDatabase(
  source: NativeSource,
  cursor: Cursor | null,
  options: CaptureOptions & { only?: string },
): Promise<Result<OpenDatabase>> {
  const snapshot = await openSqliteSnapshot(source.path);
  if (!snapshot.ok) return snapshot;
  const { db, close } = snapshot.value;
  try {
    if (!isHermes(db)) {
      await close();
      return fail('not_a_session', `${source.path} is no session database of Hermes: its tables are others.`, {
        path: source.path,
      });
    }
    const only = options.only === undefined ? undefined : (databasePath(options.only)?.id ?? '');
    const found = lookThrough(db, source, known(cursor), only);
    const family = new Family(db);
    return ok({
      ...found,
      capture: (one, from, sink, how) => captureSession({ db, family, source: one, cursor: from, sink, options: how }),
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
): Omit<OpenDatabase, 'capture' | 'close'> {
  const columns = columnsOf(db, 'sessions');
  const messages = messagesBySession(db);
  const rows = db.prepare(`SELECT ${lastingColumns(columns).map(quoted).join(', ')} FROM sessions ORDER BY rowid`);
  const changed: NativeSource[] = [];
  const sessions: Record<string, string> = {};
  let unchanged = 0;
  for (const row of rows.iterate() as IterableIterator<Json>) {
    const id = String(row.id);
    const span = messages.get(id);
    const digest = createHash('sha256')
      .update(JSON.stringify(row))
      .update(span?.digest ?? '')
      .digest('hex')
      .slice(0, 24);
    messages.delete(id);
    sessions[id] = digest;
    if (only !== undefined ? id !== only : before[id] === digest) {
      unchanged++;
      continue;
    }
    changed.push({
      agent: 'hermes',
      path: sessionPath(source.path, id),
      native_id: id,
      bytes: span?.bytes ?? 0,
      mtime_ms: Math.round(milliseconds(span?.last ?? row.started_at)),
      ...(row.archived === 1 || row.hidden === 1 ? { archived: true } : {}),
    });
  }
  const cursor: DatabaseCursor = { version: 1, sessions };
  return { changed, unchanged, cursor, warnings: strays(source, messages) };
}

/** Messages whose session has no row: foreign keys were off when somebody deleted it. */
function strays(source: NativeSource, left: Map<string, unknown>): Warning[] {
  if (left.size === 0) return [];
  const names = [...left.keys()].slice(0, 5).join(', ');
  return [
    {
      about: 'orphan-part',
      file: source.path,
      detail: `Messages of ${left.size} sessions that have no row of their own are left out: ${names}.`,
      count: left.size,
    },
  ];
}

function milliseconds(time: unknown): number {
  if (typeof time !== 'number' || !Number.isFinite(time) || time <= 0) return 0;
  return time > 1e11 ? time : time * 1000;
}
