import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { listFixtures } from '../../fixtures/load.ts';
import type { Json } from './json.ts';
import { lastingColumns } from './read/tables.ts';
import { rebuildSession } from './rebuild.ts';
import { withFixture } from './testing/native.ts';

const USUAL: Json = { active: 1, compacted: 0, observed: 0, _compressed_summary: 0 };
const fixtures = (await listFixtures('hermes')).filter((name) => name !== 'secrets' && name !== 'legacy-snapshot');

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

/** Rows as they lie in the database, without NULLs and usual flags. */
function nativeRows(file: string): { sessions: Json[]; messages: Json[] } {
  const db = new Database(file);
  const plain = (row: Json): Json =>
    Object.fromEntries(Object.entries(row).filter(([name, value]) => value !== null && USUAL[name] !== value));
  const all = (table: string): Json[] =>
    (db.prepare(`SELECT * FROM ${table} ORDER BY rowid`).all() as Json[]).map(plain);
  const rows = { sessions: all('sessions'), messages: all('messages') };
  db.close();
  return rows;
}

describe('lossless home', () => {
  it.each(fixtures)('%s: every row comes back from its events', (name) =>
    withFixture(name, async (engine, { hermes }) => {
      const native = nativeRows(join(hermes, 'state.db'));
      for (const { source, events, sink } of engine.sessions.values()) {
        if (!source.path.includes('#')) continue;
        const { session, messages } = await rebuildSession(events, sink.read);
        const own = native.sessions.find(({ id }) => id === source.native_id)!;
        const lasting = lastingColumns(new Set(Object.keys(own)));
        const { system_prompt, ...rest } = Object.fromEntries(lasting.map((column) => [column, own[column]]));
        const { system_prompt: rebuilt, ...others } = session;
        expect(others).toEqual(rest);
        if (system_prompt !== undefined) expect(rebuilt).toBe(system_prompt);
        const rows = native.messages.filter(({ session_id }) => session_id === source.native_id);
        expect(messages.map(parsedJson)).toEqual(rows.map(({ session_id: _, ...row }) => parsedJson(row)));
      }
    }),
  );
});
