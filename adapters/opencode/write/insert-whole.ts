import type Database from 'better-sqlite3';
import { fail, ok, type Result } from '../../../src/shared/errors.ts';
import type { Warning } from '../../../src/shared/events.ts';
import { readJsonl } from '../../io/jsonl.ts';
import { openSqliteSnapshot } from '../../io/sqlite-snapshot.ts';
import type { Json } from '../json.ts';
import type { Rebuilt } from '../read/rebuild.ts';
import { columnsOf } from '../read/rows.ts';
import { inTransaction, projectOf } from './insert.ts';
import { insertRow, isKnownSchema } from './schema.ts';

/**
 * Puts all rows of a session into OpenCode's database in one transaction; a private copy lies beside it for as long as that
 * takes. `moved`: the session has another folder now, and with it another project.
 */
export async function insertWhole(
  database: string,
  temp: string,
  { moved }: { moved: boolean },
): Promise<Result<Warning[]>> {
  const backup = await openSqliteSnapshot(database);
  if (!backup.ok) return backup;
  try {
    if (!isKnownSchema(backup.value.db))
      return fail(
        'target_unsupported',
        `The tables of ${database} are others than those that sessionctl knows, so nothing is written into it.`,
        { path: database },
      );
    const lost = new Set<string>();
    const done = await inTransaction(database, (db) => {
      db.pragma('defer_foreign_keys = ON');
      return insertAll(db, temp, moved, lost);
    });
    if (!done.ok) return done;
    if (lost.size === 0) return ok([]);
    const detail = `The database there is of another version; it has no place for ${[...lost].join(', ')}.`;
    return ok([{ about: 'columns-missing', detail }]);
  } finally {
    await backup.value.close();
  }
}

function insertAll(db: Database, temp: string, moved: boolean, lost: Set<string>): Result<void> {
  let id = '';
  const columns = new Map<string, ReadonlySet<string>>();
  const insert = (table: string, row: Json): void => {
    const there = columns.get(table) ?? new Set(columnsOf(db, table));
    columns.set(table, there);
    for (const [name, value] of Object.entries(row))
      if (value !== null && !there.has(name)) lost.add(`${table}.${name}`);
    insertRow(db, table, Object.fromEntries(Object.entries(row).map(([name, value]) => [name, asColumn(value)])));
  };
  // the session's row can stand behind its messages
  for (const one of recordsIn(temp)) {
    if (one.kind === 'session') {
      const placed = inProject(db, one.record, moved);
      if (!placed.ok) return placed;
      insert('session', placed.value);
      id = String(placed.value.id);
    } else if (one.kind === 'todos') for (const row of one.rows) insert('todo', row);
  }
  for (const one of recordsIn(temp)) {
    if (one.kind !== 'message') continue;
    insert('message', { id: one.id, session_id: id, ...timesOf(one.times), data: JSON.stringify(one.data) });
    for (const { id: part, times, data } of one.parts)
      insert('part', { id: part, message_id: one.id, session_id: id, ...timesOf(times), data: JSON.stringify(data) });
  }
  return ok(undefined);
}

const timesOf = ([time_created, time_updated]: unknown[]): Json => ({ time_created, time_updated });

const asColumn = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value;

function* recordsIn(temp: string): Generator<Rebuilt> {
  for (const lines of readJsonl(temp, { redactor: null })) for (const { records } of lines) yield* records as Rebuilt[];
}

/**
 * The project stays where the folder does: OpenCode knows it by its repository, on every machine. It gets a row where there
 * is none. In another folder the session belongs to that folder's project.
 */
function inProject(db: Database, record: Json, moved: boolean): Result<Json> {
  const { directory, project_id: project, path, time_created: created } = record;
  if (moved) {
    const found = projectOf(db, String(directory), { time: { created, updated: created } });
    return found.ok ? ok({ ...record, ...found.value }) : found;
  }
  const known = db.prepare('SELECT 1 AS one FROM project WHERE id = ?').all(project).length > 0;
  if (known) return ok(record);
  const folder = String(directory);
  const below = typeof path === 'string' && path !== '' && folder.endsWith(`/${path}`) ? path.length + 1 : 0;
  const worktree = project === 'global' ? '/' : folder.slice(0, folder.length - below);
  const times = { time_created: created, time_updated: created };
  insertRow(db, 'project', { id: project, worktree, sandboxes: '[]', ...times });
  return ok(record);
}
