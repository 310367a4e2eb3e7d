import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { listFixtures, loadFixture } from '../../fixtures/load.ts';
import { databasePath } from '../io/database-path.ts';
import { describeWayHome } from '../testing/way-home-tests.ts';
import { opencode } from './adapter.ts';
import { isObject, type Json } from './json.ts';
import { renewed } from './write/ids.ts';

/** Rows of a session in all tables, JSON in them as values. */
function rowsOf(path: string): Json[] {
  const { file, id } = databasePath(path)!;
  const db = new Database(file);
  const all = (sql: string): Json[] => (db.prepare(sql).all(id) as Json[]).map(parsed);
  const rows = [
    ...all('SELECT * FROM session WHERE id = ?'),
    ...all('SELECT * FROM todo WHERE session_id = ? ORDER BY position'),
    ...all('SELECT * FROM message WHERE session_id = ? ORDER BY time_created, id'),
    ...all('SELECT * FROM part WHERE session_id = ? ORDER BY message_id, id'),
  ];
  db.close();
  // NULL says nothing, nor do sums that an older version does not have
  const says = ([name, value]: [string, unknown]): boolean =>
    value !== null && !(value === 0 && /^cost|^tokens_/.test(name));
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(says)));
}

function parsed(row: Json): Json {
  const value = (name: string, text: unknown): unknown =>
    typeof text === 'string' && /^(data|summary_diffs|metadata|revert|permission|model)$/.test(name)
      ? JSON.parse(text)
      : text;
  return Object.fromEntries(Object.entries(row).map(([name, text]) => [name, value(name, text)]));
}

describeWayHome({
  adapter: opencode,
  fixtures: (await listFixtures('opencode'))
    .filter((name) => !/^20-legacy-(0.5|1.1)/.test(name))
    .map((name) => ['opencode', name] as const),
  secrets: new Set(['11-secrets']),
  records: rowsOf,
  prepare: async (home) => {
    await loadFixture('opencode', '01-simple-qa', home);
    const db = new Database(join(home, '.local', 'share', 'opencode', 'opencode.db'));
    db.exec('DELETE FROM event; DELETE FROM event_sequence; DELETE FROM session; DELETE FROM project');
    db.close();
    mkdirSync(join(home, 'project'));
  },
  newId: (id) => `${id.slice(0, -4)}copy`,
  moved: (record, move) => {
    if (!isObject(record) || move.still) return record;
    const session = String(move.id(record.session_id ?? record.id));
    const copy: Json = { ...record };
    if (record.session_id === undefined)
      Object.assign(copy, { id: session, directory: move.folder(record.directory), project_id: 'global' });
    else copy.session_id = session;
    if (move.cwd !== null && record.session_id === undefined) copy.path = move.cwd.slice(1);
    const walk = (value: unknown, key: string): unknown => {
      if (typeof value === 'string') {
        if (/^(parentID|messageID|partID|tail_start_id|message_id|id)$/.test(key)) return renewed(value, session);
        return key === 'cwd' || key === 'root' ? move.folder(value) : value;
      }
      if (!isObject(value) || key === 'state') return value;
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walk(item, name)]));
    };
    return walk(copy, '');
  },
});
