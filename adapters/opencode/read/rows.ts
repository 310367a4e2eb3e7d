import type Database from 'better-sqlite3';
import { isObject, type Json, numberOf, objectOf, parsedObject, textOf } from '../json.ts';
import { forkOf } from './forks.ts';
import { type ForkOf, type NativeRecord, type NativeSession, type SessionHead, StoredRecord } from './session.ts';

export interface SessionRow {
  id: string;
  /** as they stand in the row */
  columns: Json;
  todos(): Json[];
}

/** Columns that hold JSON. */
const JSON_COLUMNS: ReadonlySet<string> = new Set(['summary_diffs', 'metadata', 'revert', 'permission', 'model']);

/** Whether the tables are those that this adapter knows (1.2.1 to 1.18.33). */
export function isOpenCode(db: Database): boolean {
  return (
    has(db, 'session', ['id', 'parent_id', 'directory', 'title', 'version', 'time_created']) &&
    has(db, 'message', ['id', 'session_id', 'time_created', 'data']) &&
    has(db, 'part', ['id', 'message_id', 'session_id', 'data'])
  );
}

/** Whether a table is there and has these columns. */
export function has(db: Database, table: string, columns: readonly string[]): boolean {
  const present = new Set(columnsOf(db, table));
  return columns.every((column) => present.has(column));
}

export function columnsOf(db: Database, table: string): string[] {
  return (db.prepare('SELECT name FROM pragma_table_info(?)').all(table) as { name: string }[]).map(({ name }) => name);
}

/** Rows of all sessions, or of one, the oldest first. */
export function sessionRows(db: Database, only?: string): SessionRow[] {
  const query = `SELECT * FROM session ${only === undefined ? '' : 'WHERE id = ?'} ORDER BY time_created, id`;
  const rows = db.prepare(query).all(...(only === undefined ? [] : [only])) as Json[];
  const withTodos = has(db, 'todo', ['session_id', 'position']);
  return rows.map((columns) => ({
    id: String(columns.id),
    columns,
    todos: () =>
      withTodos
        ? (db.prepare('SELECT * FROM todo WHERE session_id = ? ORDER BY position').all(columns.id) as Json[])
        : [],
  }));
}

/** A session in a database. */
export class DatabaseSession implements NativeSession {
  readonly id: string;
  readonly record: Json;
  readonly head: SessionHead;
  readonly #db: Database;
  readonly #row: SessionRow;
  readonly #parts: ReturnType<Database['prepare']>;

  constructor(db: Database, row: SessionRow) {
    this.#db = db;
    this.#row = row;
    this.id = row.id;
    this.record = Object.fromEntries(
      Object.entries(row.columns).map(([name, value]) => [name, JSON_COLUMNS.has(name) ? parsedColumn(value) : value]),
    );
    this.head = headOf(this.record);
    this.#parts = db.prepare(
      `SELECT id, time_created, ${has(db, 'part', ['time_updated']) ? 'time_updated, ' : ''}data FROM part WHERE message_id = ? ORDER BY id`,
    );
  }

  /** One row at a time: a long session is not held as a whole. */
  *messages(): Generator<NativeRecord> {
    const order = this.#db.prepare('SELECT rowid FROM message WHERE session_id = ? ORDER BY time_created, id');
    const one = this.#db.prepare('SELECT * FROM message WHERE rowid = ?');
    for (const rowid of order.pluck().all(this.id)) {
      const row = one.get(rowid) as Stored | undefined;
      if (row !== undefined) yield recordOf(row);
    }
  }

  *parts(messageId: string): Generator<NativeRecord> {
    for (const row of this.#parts.all(messageId) as Stored[]) yield recordOf(row);
  }

  todos(): Json[] {
    return this.#row.todos();
  }

  fork(): ForkOf | null {
    return this.head.parent === null ? forkOf(this.#db, this) : null;
  }

  get callId(): string | null {
    if (this.head.parent === null) return null;
    const query = 'SELECT data FROM part WHERE session_id = ? AND instr(data, ?) > 0 AND instr(data, \'"task"\') > 0';
    for (const { data } of this.#db.prepare(query).all(this.head.parent, this.id) as Stored[]) {
      const part = objectOf(parsedObject(data));
      if (objectOf(objectOf(part.state).metadata).sessionId === this.id) return textOf(part.callID);
    }
    return null;
  }
}

interface Stored {
  id: unknown;
  time_created: unknown;
  time_updated?: unknown;
  data: unknown;
}

function recordOf({ id, time_created, time_updated = null, data }: Stored): NativeRecord {
  const text = typeof data === 'string' ? data : '';
  return new StoredRecord(String(id), numberOf(time_created), text, [time_created, time_updated]);
}

/** A JSON column as its value; one that holds none stays the text it is. */
function parsedColumn(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function headOf(record: Json): SessionHead {
  const revert = objectOf(record.revert);
  const messageId = textOf(revert.messageID);
  return {
    directory: textOf(record.directory),
    title: textOf(record.title),
    version: textOf(record.version),
    parent: textOf(record.parent_id),
    created: numberOf(record.time_created),
    archived: numberOf(record.time_archived) !== null,
    model: isObject(record.model) ? textOf(record.model.id) : null,
    revert: messageId === null ? null : { messageId, partId: textOf(revert.partID) },
  };
}
