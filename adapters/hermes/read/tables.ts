import type Database from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';
import type { Json } from '../json.ts';

const columns = new WeakMap<Database, Map<string, ReadonlySet<string>>>();
const statements = new WeakMap<Database, Map<string, Statement>>();

/** Columns of a table by name; empty where there is no such table. Versions and forks differ, so nothing is taken for granted. */
export function columnsOf(db: Database, table: string): ReadonlySet<string> {
  return remembered(columns, db, table, () => new Set(tableInfo(db, table).map(({ name }) => name)));
}

/** To be called when a table was changed. */
export function forgetColumns(db: Database): void {
  columns.delete(db);
}

/** A statement that is prepared once a database. */
export function prepared(db: Database, sql: string): Statement {
  return remembered(statements, db, sql, () => db.prepare(sql));
}

function remembered<T>(all: WeakMap<Database, Map<string, T>>, db: Database, key: string, make: () => T): T {
  let known = all.get(db);
  if (known === undefined) {
    known = new Map();
    all.set(db, known);
  }
  let value = known.get(key);
  if (value === undefined) {
    value = make();
    known.set(key, value);
  }
  return value;
}

export interface Column {
  name: string;
  type: string;
  notnull: number;
  dflt_value: string | null;
  pk: number;
}

export function tableInfo(db: Database, table: string): Column[] {
  return db.prepare(`PRAGMA table_info(${quoted(table)})`).all() as Column[];
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The two tables that every version has, with the columns without which there is no conversation. */
export function isHermes(db: Database): boolean {
  const sessions = columnsOf(db, 'sessions');
  const messages = columnsOf(db, 'messages');
  return (
    ['id', 'source', 'started_at'].every((name) => sessions.has(name)) &&
    ['id', 'session_id', 'role', 'content', 'timestamp'].every((name) => messages.has(name))
  );
}

/** `schema_version.version`; null where it is not told. */
export function schemaVersion(db: Database): number | null {
  if (!columnsOf(db, 'schema_version').has('version')) return null;
  const row = prepared(db, 'SELECT max(version) AS version FROM schema_version').get() as { version: unknown };
  return typeof row.version === 'number' ? row.version : null;
}

/** Session columns that change without the session changing: heartbeats, retries, reading marks. */
const RESTLESS = /^(?:last_activity_|last_read_at|compression_|git_metadata_generation|expiry_finalized|handoff_)/;

/** The columns of a session that say something about it. */
export function lastingColumns(names: ReadonlySet<string>): string[] {
  return [...names].filter((name) => !RESTLESS.test(name));
}

/** Columns of `messages` by whose sizes a change in place is noticed. Hermes itself never puts as many bytes in the place of others. */
const SIZED = [
  'content',
  'tool_calls',
  'api_content',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'codex_reasoning_items',
  'codex_message_items',
  'display_kind',
] as const;
const FLAGS = ['active', 'compacted'] as const;

/** The messages of one session as a sum. */
export interface Messages {
  digest: string;
  bytes: number;
  /** the latest time, as stored */
  last: unknown;
}

/**
 * What stands in for the messages of each session: their number, the newest id, their flags and the sizes of their texts,
 * summed in one pass that reads no long text.
 */
export function messagesBySession(db: Database): Map<string, Messages> {
  const known = columnsOf(db, 'messages');
  const sizes = SIZED.filter((name) => known.has(name)).map((name) => `coalesce(octet_length(${quoted(name)}) + 1, 0)`);
  const flags = FLAGS.filter((name) => known.has(name)).map(
    (name, i) => `coalesce(${name}, ${i === 0 ? 1 : 0}) * ${3 + 4 * i}`,
  );
  // The factor keeps two rows that change against each other from looking the same.
  const weighed = (terms: string[]): string =>
    terms.length === 0 ? '0' : `total((${terms.join(' + ')}) * (id % 8191 + 1))`;
  const rows = db
    .prepare(
      `SELECT CAST(session_id AS TEXT) AS session, count(*) AS n, max(id) AS newest, sum(id % 1000003) AS ids,
              ${weighed(sizes)} AS sizes, ${weighed(flags)} AS flags, total(timestamp) AS times,
              sum(coalesce(octet_length(content), 0)) AS bytes, max(timestamp) AS last
       FROM messages GROUP BY session_id`,
    )
    .all() as (Json & { session: string; bytes: number; last: unknown })[];
  return new Map(
    rows.map(({ session, bytes, last, ...sums }) => [session, { digest: Object.values(sums).join(), bytes, last }]),
  );
}

export function selectSession(db: Database, id: string): Json | undefined {
  const names = [...columnsOf(db, 'sessions')].map(quoted).join(', ');
  return prepared(db, `SELECT ${names} FROM sessions WHERE id = ?`).get(id) as Json | undefined;
}
