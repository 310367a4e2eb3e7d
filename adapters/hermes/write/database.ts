import { chmod, mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { sha256Hex } from '../../../src/core/hash.ts';
import { AppFailure, fail, ok, type Result, toAppError } from '../../../src/shared/errors.ts';
import type { AgentEnv } from '../../contract.ts';
import { databaseStat, openSqliteSnapshot } from '../../io/sqlite-snapshot.ts';
import { columnsOf, isHermes, tableInfo } from '../read/tables.ts';

/** Hermes itself waits so long for other writers. */
const PATIENCE_MS = 20_000;

/** Columns that a new session needs beyond those that every version has. */
const NEEDED = { sessions: ['title', 'message_count'], messages: ['tool_call_id', 'tool_calls', 'tool_name'] } as const;
/** Columns that are filled, so that they may be NOT NULL. */
const FILLED: ReadonlySet<string> = new Set([
  'id',
  'source',
  'started_at',
  'session_id',
  'role',
  'timestamp',
  'message_count',
]);

/**
 * Whether a new session can be put into this database without knowing more than its columns: all that are needed are there,
 * and none that must be filled is unknown.
 */
export function checkSchema(db: Database, path: string): Result<void> {
  if (!isHermes(db))
    return fail('target_unsupported', `${path} has other tables than Hermes makes. Nothing was written.`, { path });
  for (const [table, names] of Object.entries(NEEDED)) {
    const columns = columnsOf(db, table);
    const missing = names.filter((name) => !columns.has(name));
    if (missing.length > 0) return unknown(path, `${table} has no column ${missing.join(', ')}`);
    const must = tableInfo(db, table).find(
      ({ name, notnull, dflt_value, pk }) => notnull === 1 && dflt_value === null && pk === 0 && !FILLED.has(name),
    );
    if (must !== undefined) return unknown(path, `${table}.${must.name} must be filled and is not known here`);
  }
  return ok(undefined);
}

function unknown(path: string, what: string): Result<never> {
  return fail(
    'target_unsupported',
    `This version of Hermes keeps its sessions in a form that is not known: ${what}. Nothing was written to ${path}; update sessionctl.`,
    { path },
  );
}

/** Checks the database as it is now, from a private copy. A database that does not exist yet is fine. */
export async function checkDatabase(path: string): Promise<Result<void>> {
  if ((await databaseStat(path)) === null) return ok(undefined);
  const snapshot = await openSqliteSnapshot(path);
  if (!snapshot.ok) return snapshot;
  const { db, close } = snapshot.value;
  try {
    const known = checkSchema(db, path);
    return known.ok ? cjkWayOut(db, path) : known;
  } finally {
    await close();
  }
}

const CJK_TRIGGERS = ['messages_fts_cjk_insert', 'messages_fts_cjk_delete', 'messages_fts_cjk_update'];

function cjkTriggers(db: Database): string[] {
  const all = db.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%messages_fts_cjk%'");
  return all.pluck().all() as string[];
}

/**
 * The index for Chinese needs a tokenizer that only Hermes has, so every write to `messages` from elsewhere fails in its
 * triggers. Hermes' own way out, when it runs without the tokenizer, is to note that the index is stale and to drop the three
 * triggers; it is safe where these are the only ones and there is a place for the note.
 */
function cjkWayOut(db: Database, path: string): Result<void> {
  const triggers = cjkTriggers(db);
  const safe =
    triggers.length === 0 ||
    (triggers.every((name) => CJK_TRIGGERS.includes(name)) && columnsOf(db, 'state_meta').has('value'));
  if (safe) return ok(undefined);
  return fail(
    'target_unsupported',
    `${path} has a search index that only Hermes itself can write to. Nothing was written; run "hermes sessions optimize-storage" and try again.`,
    { path },
  );
}

/** Within the transaction: takes the way out where it is needed. True = the index for Chinese is stale now. */
export function leaveCjkIndex(db: Database): boolean {
  const triggers = cjkTriggers(db);
  if (triggers.length === 0) return false;
  db.prepare(
    "INSERT INTO state_meta (key, value) VALUES ('fts_cjk_stale', '1') ON CONFLICT(key) DO UPDATE SET value = '1'",
  ).run();
  for (const name of triggers) db.exec(`DROP TRIGGER "${name}"`);
  return true;
}

/**
 * One transaction on the user's database, with a private backup of it beside, for as long as that takes: it holds all
 * conversations in clear, so it stays only when this process is killed in between. An error thrown in `work` leaves the database as
 * it was.
 */
export async function changeDatabase<T>(path: string, env: AgentEnv, work: (db: Database) => T): Promise<Result<T>> {
  let db: Database | null = null;
  let backup: string | null = null;
  try {
    const saved = await backUp(path, env);
    if (!saved.ok) return saved;
    backup = saved.value;
    db = new Database(path, { fileMustExist: true, timeout: PATIENCE_MS });
    const open = db;
    const change = open.transaction(() => {
      const known = checkSchema(open, path);
      if (!known.ok) throw new AppFailure(known.error);
      return work(open);
    });
    return ok(change.immediate());
  } catch (thrown) {
    return { ok: false, error: sqliteError(path, thrown) };
  } finally {
    db?.close();
    if (backup !== null) await dropBackup(backup);
  }
}

function sqliteError(path: string, thrown: unknown): ReturnType<typeof toAppError> {
  const code = (thrown as { code?: unknown }).code;
  if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return toAppError(thrown);
  const busy = code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED');
  const advice = busy
    ? 'Another program was writing to it all the time. Close Hermes and try again.'
    : `SQLite said ${code}: ${(thrown as Error).message}.`;
  return {
    code: 'write_failed',
    message: `Cannot write to ${path}. ${advice} Nothing was changed.`,
    details: { path },
  };
}

async function dropBackup(file: string): Promise<void> {
  await rm(file, { force: true }).catch(() => undefined);
  await rmdir(dirname(file)).catch(() => undefined);
}

/** The state before a change of ours: one file a database, in our own folder, readable by its owner alone. Gives its path. */
async function backUp(path: string, env: AgentEnv): Promise<Result<string>> {
  const snapshot = await openSqliteSnapshot(path);
  if (!snapshot.ok) return snapshot;
  const { db, close } = snapshot.value;
  const folder = join(env.env.SESSIONCTL_HOME || join(env.home, '.sessionctl'), 'backups');
  const file = join(folder, `hermes-${sha256Hex(path).slice(0, 16)}.db`);
  const temp = `${file}.${process.pid}.part`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await rm(temp, { force: true });
    db.prepare('VACUUM INTO ?').run(temp);
    await chmod(temp, 0o600);
    await rename(temp, file);
    return ok(file);
  } catch (thrown) {
    await rm(temp, { force: true }).catch(() => undefined);
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return fail('write_failed', `No backup of ${path} could be made in ${folder} (${why}), so nothing was written.`, {
      path,
    });
  } finally {
    await close();
  }
}
