import type Database from 'better-sqlite3';
import type { Json } from '../json.ts';
import { columnsOf, prepared, quoted } from './tables.ts';

/** The rows of a session in the order of their ids, the only valid one: times go back when a clock is set. */
export function readRows(db: Database, id: string): { rows: Json[]; damage: string | null } {
  const columns = [...columnsOf(db, 'messages')].map(quoted).join(', ');
  const rows: Json[] = [];
  const all = prepared(db, `SELECT ${columns} FROM messages WHERE session_id = ? ORDER BY id`);
  try {
    for (const row of all.iterate(id) as IterableIterator<Json>) rows.push(exact(db, row));
    return { rows, damage: null };
  } catch (thrown) {
    return { rows: oneByOne(db, columns, id), damage: `${message(thrown)}.` };
  }
}

/** Pages of the file are damaged: every row is asked for by itself, over all ids that the file tells. */
function oneByOne(db: Database, columns: string, id: string): Json[] {
  const one = db.prepare(`SELECT ${columns} FROM messages WHERE id = ?`);
  const rows: Json[] = [];
  for (const key of idsOf(db, id)) {
    try {
      const row = one.get(key) as Json | undefined;
      if (row?.session_id === id) rows.push(exact(db, row));
    } catch {
      // said once for the session
    }
  }
  return rows;
}

function idsOf(db: Database, id: string): number[] {
  const ids = new Set<number>();
  for (const hint of ['', 'NOT INDEXED']) {
    try {
      const found = db.prepare(`SELECT id FROM messages ${hint} WHERE session_id = ?`).pluck();
      for (const key of found.iterate(id) as IterableIterator<number>) ids.add(key);
    } catch {
      // what was found before the damage counts
    }
  }
  return [...ids].sort((a, b) => a - b);
}

/**
 * Text that is no UTF-8 comes with U+FFFD in the place of the bytes. To tell it from text that holds that character, the
 * bytes are asked for.
 */
function exact(db: Database, row: Json): Json {
  const { content } = row;
  if (typeof content !== 'string' || !content.includes('\ufffd')) return row;
  const bytes = db.prepare('SELECT CAST(content AS BLOB) FROM messages WHERE id = ?').pluck().get(row.id);
  if (bytes instanceof Uint8Array && Buffer.compare(Buffer.from(content), bytes) !== 0) row.content = bytes;
  return row;
}

const message = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
