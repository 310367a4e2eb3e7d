import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemorySink } from '../../testing/memory-sink.ts';
import { PROPERTY_MS, propertyRuns } from '../../testing/property-runs.ts';
import { Engine, optionsFor, told, withFixture } from '../testing/native.ts';
import { openDatabase } from './database.ts';
import { discover } from './discover.ts';

const ID = '20261129_131937_3260c3';
const COLUMNS = [
  'content',
  'tool_calls',
  'tool_call_id',
  'timestamp',
  'reasoning',
  'role',
  'active',
  'display_kind',
] as const;

/** What may stand in a column: SQLite takes anything anywhere. */
const value: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    '\0json:[{"type":"text"',
    '\0json:{"a":1}',
    '\0json:[1,null,{"text":2}]',
    '[{"function":{"name":1,"arguments":{"x":1}}},3]',
    '[{"name":"flat","arguments":"{}"}]',
    '{"exit_code":"x","error":{}}',
    '2026-01-01T00:00:00',
    'not a time',
    '',
    '[CONTEXT SUMMARY]: x',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.toWellFormed()),
  fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
  fc.double(),
  fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }),
);

describe('damaged rows', () => {
  it(
    'never stop the capture; rows that are whole are kept',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ row: fc.integer({ min: 1, max: 12 }), column: fc.constantFrom(...COLUMNS), value }), {
            minLength: 1,
            maxLength: 4,
          }),
          (damages) =>
            withFixture('tool-calls', async (_, { env, hermes }) => {
              const db = new Database(join(hermes, 'state.db'));
              for (const damage of damages)
                db.prepare(`UPDATE OR IGNORE messages SET ${damage.column} = ? WHERE id = ?`).run(
                  damage.value,
                  damage.row,
                );
              db.close();
              const engine = new Engine(env);
              await engine.run();
              const { events, outcome } = engine.get(ID);
              expect(told(outcome)).toBe(outcome.records);
              expect(outcome.records).toBe(13);
              const touched = new Set(damages.map(({ row }) => row));
              const seen = new Set(events.map(({ origin }) => origin?.native_seq));
              for (let id = 1; id <= 12; id++) if (!touched.has(id)) expect(seen).toContain(id);
              expect(() => JSON.stringify(events)).not.toThrow();
            }),
        ),
        propertyRuns(100, 5),
      );
    },
    PROPERTY_MS,
  );

  it.each([
    ['content', Buffer.from([0x66, 0xff, 0x66]), 'unreadable-field'],
    ['content', '\0json:[{', 'unreadable-field'],
    ['tool_calls', '[{"id":', 'unreadable-field'],
    ['timestamp', '2026-09-21T14:06:40', 'bad-timestamp'],
    ['timestamp', 1790000000000, 'bad-timestamp'],
  ])('are told with their id: %s', (column, bad, about) =>
    withFixture('tool-calls', async (_, { env, hermes }) => {
      const db = new Database(join(hermes, 'state.db'));
      db.prepare(`UPDATE messages SET ${column} = ? WHERE id = 2`).run(bad);
      db.close();
      const engine = new Engine(env);
      await engine.run();
      const { warnings } = engine.get(ID);
      expect(warnings).toContainEqual(expect.objectContaining({ about, line: 2, field: column }));
    }),
  );

  it('read text whose bytes are no UTF-8 as far as it goes', () =>
    withFixture('tool-calls', async (_, { env, hermes }) => {
      const db = new Database(join(hermes, 'state.db'));
      db.exec("UPDATE messages SET content = CAST(x'66ff66' AS TEXT) WHERE id = 12");
      db.close();
      const engine = new Engine(env);
      await engine.run();
      const { warnings, events } = engine.get(ID);
      expect(warnings.map(({ about }) => about)).toEqual(['unreadable-field']);
      expect(JSON.stringify(events)).toContain('f\ufffdf');
    }));

  it('tell results without a call and calls without a result', () =>
    withFixture('tool-calls', async (_, { env, hermes }) => {
      const db = new Database(join(hermes, 'state.db'));
      db.exec("UPDATE messages SET tool_call_id = 'other' WHERE id = 7");
      db.close();
      const engine = new Engine(env);
      await engine.run();
      expect(
        engine
          .get(ID)
          .warnings.map(({ about }) => about)
          .sort(),
      ).toEqual(['orphan-result', 'unanswered-call']);
    }));

  it('take flat calls and arguments that are objects', () =>
    withFixture('tool-calls', async (_, { env, hermes }) => {
      const db = new Database(join(hermes, 'state.db'));
      const calls = [{ name: 'flat', arguments: '{"a":1}' }, { function: { name: 'object', arguments: { b: 2 } } }];
      db.prepare('UPDATE messages SET tool_calls = ? WHERE id = 6').run(JSON.stringify(calls));
      db.close();
      const engine = new Engine(env);
      await engine.run();
      const found = engine
        .get(ID)
        .events.filter(({ origin, type }) => origin?.native_seq === 6 && type === 'tool.call');
      expect(found.map(({ payload }) => [payload.name, payload.arguments])).toEqual([
        ['flat', { a: 1 }],
        ['object', { b: 2 }],
      ]);
    }));
});

describe('a damaged file', () => {
  it(
    'gives what can be read, or says why not; it never throws',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), byte: fc.nat(255) }), {
            minLength: 1,
            maxLength: 40,
          }),
          fc.boolean(),
          (changes, cut) =>
            withFixture('simple-qa', async (_, { env, hermes }) => {
              const file = join(hermes, 'state.db');
              const bytes = readFileSync(file);
              for (const { at, byte } of changes)
                bytes[Math.min(bytes.length - 1, Math.floor(at * bytes.length))] = byte;
              writeFileSync(file, cut ? bytes.subarray(0, Math.floor(changes[0]!.at * bytes.length)) : bytes);
              const source = (await discover(env)).sources[0]!;
              const open = await openDatabase(source, null, optionsFor(env));
              if (!open.ok) {
                expect(['not_a_session', 'source_unreadable']).toContain(open.error.code);
                return;
              }
              for (const one of open.value.changed)
                await open.value.capture(one, null, new MemorySink(), optionsFor(env));
              await open.value.close();
            }),
        ),
        propertyRuns(100, 3),
      );
    },
    PROPERTY_MS,
  );

  it('is no session when it is no database of Hermes', () =>
    withFixture('simple-qa', async (_, { env, hermes }) => {
      const db = new Database(join(hermes, 'state.db'));
      db.exec('ALTER TABLE messages RENAME TO other');
      db.close();
      const source = (await discover(env)).sources[0]!;
      const open = await openDatabase(source, null, optionsFor(env));
      expect(open).toMatchObject({ ok: false, error: { code: 'not_a_session' } });
    }));

  it('names messages whose session is gone', () =>
    withFixture('simple-qa', async (_, { env, hermes }) => {
      const db = new Database(join(hermes, 'state.db'));
      db.pragma('foreign_keys = OFF');
      db.exec('DELETE FROM sessions');
      db.close();
      const source = (await discover(env)).sources[0]!;
      const open = await openDatabase(source, null, optionsFor(env));
      expect(open).toMatchObject({ ok: true, value: { changed: [], warnings: [{ about: 'orphan-part', count: 1 }] } });
      if (open.ok) await open.value.close();
    }));
});
