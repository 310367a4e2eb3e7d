import type Database from 'better-sqlite3';
import type { Json } from '../json.ts';

interface Column {
  name: string;
  notnull: number;
  dflt_value: unknown;
  pk: number;
}

/** What of a session is written, by table. Anything else that a table asks for makes it one we do not know. */
const COLUMNS: Record<string, readonly string[]> = {
  project: ['id', 'worktree', 'sandboxes', 'time_created', 'time_updated'],
  session: [
    'id',
    'project_id',
    'slug',
    'directory',
    'path',
    'title',
    'version',
    'agent',
    'model',
    'time_created',
    'time_updated',
  ],
  message: ['id', 'session_id', 'time_created', 'time_updated', 'data'],
  part: ['id', 'message_id', 'session_id', 'time_created', 'time_updated', 'data'],
};

function columns(db: Database, table: string): Column[] {
  return db.prepare('SELECT name, "notnull", dflt_value, pk FROM pragma_table_info(?)').all(table) as Column[];
}

/** Whether rows can be written: every table is there and asks for nothing that we do not write. */
export function isKnownSchema(db: Database): boolean {
  return Object.entries(COLUMNS).every(([table, written]) => {
    const found = columns(db, table);
    const names = new Set(found.map(({ name }) => name));
    const needed = found.filter(({ notnull, dflt_value, pk }) => pk === 0 && notnull !== 0 && dflt_value === null);
    const optional = table === 'session' ? ['path', 'agent', 'model'] : [];
    return (
      found.length > 0 &&
      needed.every(({ name }) => written.includes(name)) &&
      written.every((name) => names.has(name) || optional.includes(name))
    );
  });
}

interface Insert {
  names: string[];
  /** null = there is no column to fill */
  statement: { run(...values: unknown[]): unknown } | null;
}

/** Statements of a connection, by the table and the fields of the row. */
const inserts = new WeakMap<Database, Map<string, Insert>>();

/** Inserts a row of the columns that this version of the table has; nothing where it has none of them. */
export function insertRow(db: Database, table: string, row: Json): void {
  const { names, statement } = insertOf(db, table, row);
  statement?.run(...names.map((name) => row[name]));
}

function insertOf(db: Database, table: string, row: Json): Insert {
  const known = inserts.get(db) ?? new Map<string, Insert>();
  inserts.set(db, known);
  const given = Object.keys(row).filter((name) => row[name] !== undefined);
  const key = `${table} ${given.join()}`;
  let insert = known.get(key);
  if (insert === undefined) {
    const names = columns(db, table)
      .map(({ name }) => name)
      .filter((name) => given.includes(name));
    const marks = names.map(() => '?').join(', ');
    const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`;
    insert = { names, statement: names.length === 0 ? null : db.prepare(sql) };
    known.set(key, insert);
  }
  return insert;
}
