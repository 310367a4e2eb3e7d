import { createHash } from 'node:crypto';
import { chmod, link, mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { AppFailure, fail, type Result, toAppError, unwrap } from '../../../src/shared/errors.ts';
import type { MaterializeOptions } from '../../contract.ts';
import { errnoOf } from '../../io/source-error.ts';
import { databaseStat } from '../../io/sqlite-snapshot.ts';
import type { Json } from '../json.ts';
import { columnsOf, quoted } from '../read/tables.ts';
import { changeDatabase, leaveCjkIndex } from './database.ts';
import { messageLine, readLines } from './lines.ts';
import { uniqueTitle } from './title.ts';

/**
 * Puts the rows of a private file into the database: all of them or none. A session that is there already with the very
 * same messages (a retry) is left as it is.
 */
export function insertSession(
  path: string,
  temp: string,
  sha256: string,
  options: Pick<MaterializeOptions, 'nativeId' | 'env'>,
): Promise<Result<void>> {
  return intoDatabase(path, sha256, options, (db) => {
    const messages = inserter(db, 'messages');
    for (const { table, row } of readLines(temp))
      if (table === 'messages') messages({ ...row, session_id: options.nativeId });
      else inserter(db, 'sessions')(titled(db, row));
  });
}

/** One transaction that makes a new session, unless the very same is there. The session's row may come in any place. */
export async function intoDatabase(
  path: string,
  sha256: string,
  { nativeId, env }: Pick<MaterializeOptions, 'nativeId' | 'env'>,
  insert: (db: Database) => void,
): Promise<Result<void>> {
  try {
    if ((await databaseStat(path)) === null) await createDatabase(path);
  } catch (thrown) {
    return { ok: false, error: toAppError(thrown) };
  }
  return changeDatabase(path, env, (db) => {
    const there = digestOfSession(db, nativeId);
    if (there === sha256) return;
    if (there !== null) unwrap(alreadyThere(path, nativeId));
    refuseWhileLocked(db, path, nativeId);
    leaveCjkIndex(db);
    db.pragma('defer_foreign_keys = ON');
    insert(db);
  });
}

/** Fills the columns that this version has, with the database's own defaults for the rest. */
export function inserter(db: Database, table: string): (row: Json) => void {
  const columns = columnsOf(db, table);
  const statements = new Map<string, { run(...values: unknown[]): unknown }>();
  return (row) => {
    const names = Object.keys(row).filter((name) => columns.has(name) && row[name] !== null && row[name] !== undefined);
    const key = names.join();
    let statement = statements.get(key);
    if (statement === undefined) {
      const places = names.map(() => '?').join(', ');
      statement = db.prepare(`INSERT INTO ${quoted(table)} (${names.map(quoted).join(', ')}) VALUES (${places})`);
      statements.set(key, statement);
    }
    statement.run(...names.map((name) => row[name]));
  };
}

export function titled(db: Database, row: Json): Json {
  if (typeof row.title !== 'string') return row;
  const taken = db.prepare('SELECT 1 FROM sessions WHERE title = ?').pluck();
  return { ...row, title: uniqueTitle(row.title, (title) => taken.get(title) !== undefined) };
}

/** Digest of a session's messages as they lie in the database; null = there is no such session. */
export function digestOfSession(db: Database, id: string): string | null {
  if (db.prepare('SELECT 1 FROM sessions WHERE id = ?').get(id) === undefined) return null;
  const hash = createHash('sha256');
  const rows = db.prepare('SELECT * FROM messages WHERE session_id = ? ORDER BY id');
  for (const row of rows.iterate(id) as IterableIterator<Json>) hash.update(messageLine(row));
  return hash.digest('hex');
}

/** Hermes marks a session that it compacts or answers in; nobody else may write to it then. */
const LOCKS = [
  ['compression_locks', 'session_id'],
  ['session_turn_leases', 'conversation_id'],
] as const;

export function refuseWhileLocked(db: Database, path: string, id: string): void {
  for (const [table, column] of LOCKS) {
    if (!columnsOf(db, table).has('expires_at')) continue;
    const held = db.prepare(`SELECT 1 FROM ${table} WHERE ${column} = ? AND expires_at > ?`).get(id, Date.now() / 1000);
    if (held === undefined) continue;
    throw new AppFailure({
      code: 'write_failed',
      message: `Hermes is at work in the session ${id}. Nothing was changed; try again when it is done.`,
      details: { path, table },
    });
  }
}

/** The tables that Hermes makes first; it adds all others, and their columns, when it opens the file (FORMAT.md). */
const TABLES = `
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT, system_prompt TEXT,
    parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0,
    tool_call_count INTEGER DEFAULT 0, input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0,
    cache_read_tokens INTEGER DEFAULT 0, cache_write_tokens INTEGER DEFAULT 0, reasoning_tokens INTEGER DEFAULT 0,
    cwd TEXT, git_branch TEXT, title TEXT, api_call_count INTEGER DEFAULT 0,
    FOREIGN KEY (parent_session_id) REFERENCES sessions(id)
  );
  CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL, content TEXT,
    tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER, finish_reason TEXT,
    reasoning TEXT, reasoning_content TEXT, reasoning_details TEXT, codex_reasoning_items TEXT, codex_message_items TEXT,
    observed INTEGER DEFAULT 0, active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0, api_content TEXT,
    display_kind TEXT, display_metadata TEXT
  );
`;

/** For a Hermes that was never started: its own first start completes the file. Nothing that exists is touched. */
async function createDatabase(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temp = `${path}.${process.pid}.part`;
  await rm(temp, { force: true });
  try {
    new Database(temp).exec(TABLES).close();
    await chmod(temp, 0o600);
    await link(temp, path);
  } catch (thrown) {
    if (errnoOf(thrown) !== 'EEXIST') throw thrown;
  } finally {
    await rm(temp, { force: true });
  }
}

export function removed(db: Database, id: string): void {
  leaveCjkIndex(db);
  for (const table of ['session_model_usage', 'messages'])
    if (columnsOf(db, table).has('session_id')) db.prepare(`DELETE FROM ${table} WHERE session_id = ?`).run(id);
  db.prepare('DELETE FROM sessions WHERE id = ?').run(id);
}

/** Said where the session is there already with other messages. */
function alreadyThere(path: string, id: string): Result<never> {
  return fail(
    'target_exists',
    `The session ${id} already exists in ${path} and holds something else. It was not touched; start the handoff anew to get another id.`,
    { path },
  );
}
