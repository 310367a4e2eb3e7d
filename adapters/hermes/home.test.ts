import Database from 'better-sqlite3';
import { listFixtures } from '../../fixtures/load.ts';
import { databasePath } from '../io/database-path.ts';
import { describeWayHome } from '../testing/way-home-tests.ts';
import { hermes } from './adapter.ts';
import { isObject, type Json } from './json.ts';
import { lastingColumns } from './read/tables.ts';

const USUAL: Json = { active: 1, compacted: 0, observed: 0, _compressed_summary: 0 };
const JSON_COLUMNS = ['tool_calls', 'reasoning_details', 'codex_reasoning_items', 'codex_message_items'];

/** JSON in texts as values: the order of keys and the spaces between them say nothing. */
function parsedJson(row: Json): Json {
  const copy = { ...row };
  for (const name of JSON_COLUMNS) if (typeof copy[name] === 'string') copy[name] = JSON.parse(copy[name]);
  if (typeof copy.content === 'string' && copy.content.startsWith('\0json:'))
    copy.content = JSON.parse(copy.content.slice(6));
  for (const { function: called } of (copy.tool_calls ?? []) as { function: { arguments: unknown } }[])
    called.arguments = JSON.parse(called.arguments as string);
  return copy;
}

/** Rows of a session as they lie in the database, its own first, without NULLs, usual flags and marks of the client. */
function rowsOf(path: string): Json[] {
  const { file, id } = databasePath(path)!;
  const db = new Database(file);
  const set = (row: Json): Json =>
    Object.fromEntries(Object.entries(row).filter(([name, value]) => value !== null && USUAL[name] !== value));
  const [session] = db.prepare('SELECT * FROM sessions WHERE id = ?').all(id) as Json[];
  const names = lastingColumns(new Set(Object.keys(session!)));
  const messages = db.prepare('SELECT * FROM messages WHERE session_id = ? ORDER BY id').all(id) as Json[];
  db.close();
  const own = set(Object.fromEntries(names.map((name) => [name, session![name]])));
  // defaults of columns that the other database does not have
  for (const [name, value] of Object.entries(own)) if (value === 0) delete own[name];
  return [own, ...messages.map((row) => parsedJson(set(row)))];
}

describeWayHome({
  adapter: hermes,
  fixtures: (await listFixtures('hermes'))
    .filter((name) => name !== 'legacy-snapshot')
    .map((name) => ['hermes', name] as const),
  secrets: new Set(['secrets']),
  records: rowsOf,
  takes: ({ source }) => source!.includes('#'),
  newId: (id) => `${id}_2`,
  moved: (record, move) => {
    if (!isObject(record)) return record;
    const copy = { ...record };
    if ('session_id' in copy) copy.session_id = move.id(copy.session_id);
    else copy.id = move.id(copy.id);
    // under other ids no parent is there, and what comes from it stands alone
    if (!move.still) delete copy.parent_session_id;
    for (const name of ['cwd', 'git_repo_root']) if (name in copy) copy[name] = move.folder(copy[name]);
    return copy;
  },
});
