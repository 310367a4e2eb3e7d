import { describe, expect, it } from 'vitest';
import { listFixtures } from '../../../fixtures/load.ts';
import { unwrap } from '../../../src/shared/errors.ts';
import { databasePath } from '../../io/database-path.ts';
import { openSqliteSnapshot } from '../../io/sqlite-snapshot.ts';
import { isObject, type Json } from '../json.ts';
import { type Captured, Captures, fixtureHome } from '../testing/native.ts';
import { rebuildRecords } from './rebuild.ts';
import { DatabaseSession, sessionRows } from './rows.ts';
import type { NativeSession } from './session.ts';
import { treeSession } from './tree.ts';

interface Records {
  session: unknown;
  todos: unknown;
  messages: unknown[];
}

async function rebuilt({ events, sink }: Pick<Captured, 'events' | 'sink'>): Promise<Records> {
  const records: Records = { session: null, todos: [], messages: [] };
  for await (const one of rebuildRecords(events, sink.read)) {
    if (one.kind === 'session') records.session = one.record;
    else if (one.kind === 'todos') records.todos = one.rows;
    else records.messages.push({ id: one.id, data: one.data, parts: one.parts.map(({ id, data }) => ({ id, data })) });
  }
  return records;
}

function recordsOf(session: NativeSession): Records {
  const messages = [...session.messages()].map(({ id, data }) => ({
    id,
    data,
    parts: [...session.parts(id)].map((part) => ({ id: part.id, data: part.data })),
  }));
  return { session: session.record, todos: session.todos(), messages };
}

/** The records as the agent holds them, by session. */
async function nativeRecords(paths: string[]): Promise<Map<string, Records>> {
  const all = new Map<string, Records>();
  for (const path of paths) {
    const inside = databasePath(path);
    if (inside === null) {
      all.set(path, recordsOf(unwrap(treeSession(path))));
      continue;
    }
    const { db, close } = unwrap(await openSqliteSnapshot(inside.file));
    all.set(path, recordsOf(new DatabaseSession(db, sessionRows(db, inside.id)[0]!)));
    await close();
  }
  return all;
}

/** The same shape, and the same texts but for what stands in place of a secret. */
function sameButForSecrets(found: unknown, expected: unknown): boolean {
  if (typeof found === 'string' && typeof expected === 'string')
    return found === expected || found.includes('[REDACTED:');
  if (Array.isArray(found) && Array.isArray(expected))
    return found.length === expected.length && found.every((item, i) => sameButForSecrets(item, expected[i]));
  if (isObject(found) && isObject(expected)) {
    const keys = Object.keys(found);
    return (
      keys.length === Object.keys(expected).length &&
      keys.every((key) => sameButForSecrets(found[key], (expected as Json)[key]))
    );
  }
  return Object.is(found, expected);
}

const names = await listFixtures('opencode');

describe('the way home', () => {
  it.each(names)('%s: gives back every row and file', async (name) => {
    const home = await fixtureHome(name);
    try {
      const captured = await new Captures(home.env).next();
      const native = await nativeRecords(captured.map(({ source }) => source.path));
      for (const { events, sink, source } of captured) {
        const found = await rebuilt({ events, sink });
        const expected = native.get(source.path)!;
        if (name === '11-secrets') expect(sameButForSecrets(found, expected)).toBe(true);
        else expect(found).toEqual(expected);
      }
    } finally {
      home.dispose();
    }
  });
});
