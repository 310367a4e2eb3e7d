import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../testing/property-runs.ts';
import { opencode } from '../adapter.ts';
import { databaseHome } from '../testing/database.ts';
import { Captures, fixtureHome, KEY, told } from '../testing/native.ts';

const RUNS = propertyRuns(60, 11);

/** What can happen to the text of one record. */
const damage = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('byte' as const), at: fc.nat(), value: fc.integer({ min: 1, max: 255 }) }),
  fc.record({
    kind: fc.constant('other' as const),
    text: fc.constantFrom(
      '',
      'null',
      '[]',
      '42',
      '{}',
      '{"type":7}',
      '{"type":"tool"}',
      '{"type":"tool","state":3}',
      '{"type":"text","text":{"a":1}}',
      '{"role":"user","time":"x"}',
    ),
  }),
  fc.record({ kind: fc.constant('any' as const), value: fc.jsonValue() }),
);
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

function damaged(text: string, what: Damage): string {
  if (what.kind === 'other') return what.text;
  if (what.kind === 'any') return JSON.stringify(what.value);
  const at = what.at % Math.max(1, text.length);
  return what.kind === 'cut'
    ? text.slice(0, at)
    : text.slice(0, at) + String.fromCharCode(what.value) + text.slice(at + 1);
}

/** Native ids of all that was captured. */
const idsOf = (captured: Awaited<ReturnType<Captures['next']>>): string[] =>
  captured.flatMap(({ events }) => events.flatMap(({ origin }) => origin?.native_id ?? []));

describe('a damaged record', () => {
  it.each(['02-tools', '03-thinking', '05-compaction', '06-files', '08-subagent'])(
    '%s: costs itself alone',
    async (name) => {
      const home = await databaseHome(name);
      const tables = ['message', 'part'].flatMap((table) =>
        home
          .rows(`SELECT * FROM ${table}`)
          .map((row) => ({ table, ...row }) as { table: string; id: string; data: string; message_id?: string }),
      );
      const whole = idsOf(await new Captures(home.env).next());
      expect(whole.length).toBeGreaterThan(3);
      try {
        await fc.assert(
          fc.asyncProperty(fc.nat(), damage, async (n, what) => {
            const row = tables[n % tables.length]!;
            const set = (data: string): void =>
              home.change((db) => db.prepare(`UPDATE ${row.table} SET data = ? WHERE id = ?`).run(data, row.id));
            set(damaged(row.data, what));
            const captured = await new Captures(home.env).next();
            set(row.data);
            for (const { outcome, warnings } of captured) {
              expect(told(outcome)).toBe(outcome.records);
              expect(warnings.length).toBe(outcome.unreadable);
            }
            // what hangs on a message that cannot be read goes with it
            const own = new Set([row.id, ...tables.filter((one) => one.message_id === row.id).map(({ id }) => id)]);
            const kept = idsOf(captured);
            expect(whole.filter((id) => !kept.includes(id) && !own.has(id))).toEqual([]);
          }),
          RUNS,
        );
      } finally {
        home.dispose();
      }
    },
  );

  it('in a tree of files: costs itself alone', async () => {
    for (const name of ['20-legacy-0.5.29', '20-legacy-1.1.65']) {
      const home = await fixtureHome(name);
      const files = readdirSync(home.data, { recursive: true, encoding: 'utf8' })
        .filter((file) => /(?:msg|prt|ses)_\w+\.json$/.test(file))
        .map((file) => join(home.data, file));
      const whole = idsOf(await new Captures(home.env).next());
      expect(whole.length).toBeGreaterThan(3);
      try {
        await fc.assert(
          fc.asyncProperty(fc.nat(), damage, async (n, what) => {
            const file = files[n % files.length]!;
            const text = readFileSync(file, 'utf8');
            writeFileSync(file, damaged(text, what));
            const { sources } = await opencode.discover(home.env);
            expect(sources).toHaveLength(1);
            const isSession = file === sources[0]?.path;
            const captured = await new Captures(home.env)
              .next()
              .catch((thrown: unknown) => (isSession ? [] : Promise.reject(thrown)));
            writeFileSync(file, text);
            for (const { outcome } of captured) expect(told(outcome)).toBe(outcome.records);
            if (isSession) return;
            const kept = idsOf(captured);
            const own = files
              .filter((other) => other.includes(basename(file, '.json')))
              .map((other) => basename(other, '.json'));
            expect(whole.filter((id) => !kept.includes(id) && !own.includes(id))).toEqual([]);
          }),
          RUNS,
        );
      } finally {
        home.dispose();
      }
    }
  });
});

describe('a damaged database', () => {
  it('is an error that says what to do, or is read as far as it can be', async () => {
    const home = await databaseHome('02-tools');
    const bytes = readFileSync(home.database);
    try {
      await fc.assert(
        fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 4096 }), fc.nat(255), async (place, size, value) => {
          const copy = Buffer.from(bytes);
          const at = place % copy.length;
          copy.fill(value, at, Math.min(at + size, copy.length));
          writeFileSync(home.database, copy);
          const [source] = (await opencode.discover(home.env)).sources;
          const opened = await opencode.openDatabase!(source!, null, { env: home.env, redactionKey: KEY });
          if (opened.ok) await opened.value.close();
          else {
            expect(['not_a_session', 'source_unreadable']).toContain(opened.error.code);
            expect(opened.error.message).toMatch(/[.!]$/);
          }
        }),
        RUNS,
      );
    } finally {
      home.dispose();
    }
  });
});
