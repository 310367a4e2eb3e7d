import type Database from 'better-sqlite3';
import type { Result } from '../../../src/shared/errors.ts';
import type { Warning } from '../../../src/shared/events.ts';
import type { MaterializeOptions, Written } from '../../contract.ts';
import { isObject, type Json } from '../json.ts';
import { columnsOf } from '../read/tables.ts';
import { inserter, intoDatabase, titled } from './insert.ts';
import { type RowLine, readLines } from './lines.ts';
import { makeRoom } from './schema.ts';

/** Puts all rows of a session into the database. Message ids stay where they are free, else they get higher ones in the same order. */
export async function insertWhole(
  path: string,
  { temp, sha256 }: Pick<Written, 'temp' | 'sha256'>,
  options: MaterializeOptions,
): Promise<Result<Warning[]>> {
  const warnings: Warning[] = [];
  const done = await intoDatabase(path, sha256, options, (db) => {
    const { shift, names } = lookThrough(db, temp);
    const lost = TABLES.flatMap((table) => makeRoom(db, table, names[table]).map((name) => `${table}.${name}`));
    if (lost.length > 0) warnings.push({ about: 'columns-missing', detail: `${MISSING} ${lost.join(', ')}.` });
    const insert = { sessions: inserter(db, 'sessions'), messages: inserter(db, 'messages') };
    for (const { table, row } of readLines(temp)) {
      const own = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, fromJson(value)]));
      if (table === 'messages') insert.messages({ ...own, id: Number(row.id) + shift, session_id: options.nativeId });
      else insert.sessions(titled(db, parented(db, prompted(db, own), warnings)));
    }
  });
  return done.ok ? { ok: true, value: warnings } : done;
}

const TABLES = ['sessions', 'messages'] as const;
const MISSING = 'The database there is of another version; it has no place for';

/** What is added to the ids of messages (0 while none of them is taken), and the columns that are filled. */
function lookThrough(db: Database, temp: string): { shift: number; names: Record<RowLine['table'], Set<string>> } {
  const names = { sessions: new Set<string>(), messages: new Set<string>() };
  const taken = db.prepare('SELECT 1 FROM messages WHERE id = ?');
  let isTaken = false;
  for (const { table, row } of readLines(temp)) {
    for (const name in row) names[table].add(name);
    isTaken ||= table === 'messages' && taken.get(row.id) !== undefined;
  }
  const shift = isTaken ? (db.prepare('SELECT max(id) FROM messages').pluck().get() as number) : 0;
  return { shift, names };
}

function fromJson(value: unknown): unknown {
  return isObject(value) && typeof value.$blob === 'string' ? Buffer.from(value.$blob, 'hex') : value;
}

/** Since schema 25 the text of the system prompt lies in a table of its own, by its hash. */
function prompted(db: Database, { system_prompt: prompt, ...row }: Json): Json {
  if (prompt === undefined || typeof row.system_prompt_hash !== 'string')
    return { ...row, ...(prompt === undefined ? {} : { system_prompt: prompt }) };
  db.exec('CREATE TABLE IF NOT EXISTS system_prompts (hash TEXT PRIMARY KEY, prompt TEXT NOT NULL)');
  db.prepare('INSERT OR IGNORE INTO system_prompts (hash, prompt) VALUES (?, ?)').run(row.system_prompt_hash, prompt);
  return row;
}

/** A session whose parent is not here stands alone: Hermes would not list it. */
function parented(db: Database, row: Json, warnings: Warning[]): Json {
  const { parent_session_id: parent, ...alone } = row;
  if (parent === undefined || !columnsOf(db, 'sessions').has('parent_session_id')) return row;
  if (db.prepare('SELECT 1 FROM sessions WHERE id = ?').get(parent) !== undefined) return row;
  warnings.push({
    about: 'parent-missing',
    detail: `The session ${String(parent)}, from which it comes, is not there: it stands alone.`,
  });
  return alone;
}
