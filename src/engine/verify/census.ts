import { readFileSync } from 'node:fs';
import type { NativeSource } from '../../../adapters/contract.ts';
import { readJsonl } from '../../../adapters/io/jsonl.ts';
import { openSqliteSnapshot } from '../../../adapters/io/sqlite-snapshot.ts';

/** Members of a record in which agents put what it is about. Deeper ones depend on tools, and say nothing of a format. */
const INNER = ['message', 'payload', '$set'] as const;

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Names of fields by kind of record. */
export type Fields = Map<string, Set<string>>;

/**
 * The fields that a native source holds, without any knowledge of its agent: of records by their type, of tables by their
 * name. What is neither JSON nor SQLite has none. Never throws: capture says what is wrong with a source.
 */
export async function census({ path, database }: NativeSource): Promise<Fields> {
  const fields: Fields = new Map();
  try {
    if (database === true) await addTables(fields, path);
    else if (path.endsWith('.jsonl')) addLines(fields, path);
    else if (path.endsWith('.json')) addDocument(fields, path);
  } catch {
    // what was found so far
  }
  return fields;
}

function add(fields: Fields, kind: string, names: string[]): void {
  const known = fields.get(kind) ?? new Set();
  for (const name of names) known.add(name);
  fields.set(kind, known);
}

async function addTables(fields: Fields, path: string): Promise<void> {
  const snapshot = await openSqliteSnapshot(path);
  if (!snapshot.ok) return;
  const { db, close } = snapshot.value;
  try {
    const tables = db
      .prepare<[], string>(`SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`)
      .pluck()
      .all();
    const columns = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck();
    for (const table of tables.filter((name) => !/^sqlite_|_fts/.test(name))) add(fields, table, columns.all(table));
  } finally {
    await close();
  }
}

function addLines(fields: Fields, path: string): void {
  for (const lines of readJsonl(path, { redactor: null }))
    for (const { records } of lines) for (const record of records) if (isObject(record)) addRecord(fields, record);
}

function addDocument(fields: Fields, path: string): void {
  const document: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (isObject(document)) addRecord(fields, document);
}

function addRecord(fields: Fields, record: Json): void {
  const kind = nameOf(record.type);
  add(fields, kind, Object.keys(record));
  for (const name of INNER) {
    const inner = record[name];
    if (isObject(inner)) add(fields, `${kind}/${name}/${nameOf(inner.type ?? inner.role)}`, Object.keys(inner));
  }
}

/** Kinds are words; anything else is no name of one. */
const nameOf = (type: unknown): string => (typeof type === 'string' && /^[\w.-]{1,60}$/.test(type) ? type : '-');

/** What of `fields` is not in `known`, of kinds that are: other kinds are counted as records. */
export function unseen(fields: Fields, known: Fields): string[] {
  return [...fields].flatMap(([kind, names]) => {
    const seen = known.get(kind);
    return seen === undefined ? [] : [...names].filter((name) => !seen.has(name)).map((name) => `${kind}.${name}`);
  });
}

/** As text: a kind a line, its names behind it. */
export function writeFields(fields: Fields): string {
  return [...fields]
    .map(
      ([kind, names]) =>
        `${kind} ${[...names]
          .filter((name) => !/\s/.test(name))
          .toSorted()
          .join(' ')}`,
    )
    .toSorted()
    .join('\n');
}

export function readFields(text: string): Fields {
  return new Map(
    text.split('\n').flatMap((line): [string, Set<string>][] => {
      const [kind, ...names] = line.split(' ');
      return kind === undefined || kind === '' ? [] : [[kind, new Set(names)]];
    }),
  );
}
