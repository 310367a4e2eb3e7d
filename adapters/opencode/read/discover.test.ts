import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../../src/shared/errors.ts';
import { opencode } from '../adapter.ts';
import { databaseHome } from '../testing/database.ts';
import { fixtureHome, KEY, tempHome } from '../testing/native.ts';

let home: Awaited<ReturnType<typeof fixtureHome>> = tempHome();
afterEach(() => home.dispose());

const paths = async (env = home.env): Promise<string[]> =>
  (await opencode.discover(env)).sources.map(({ path }) => path);

describe('finding sessions', () => {
  it('finds nothing where OpenCode was never started', async () => {
    home = tempHome();
    expect(await opencode.discover(home.env)).toMatchObject({
      roots: [{ path: home.data, exists: false }],
      sources: [],
    });
  });

  it('finds the databases of all channels, the one that is named, and no other file', async () => {
    home = await databaseHome();
    const database = join(home.data, 'opencode.db');
    const named = join(home.env.home, 'mine.db');
    for (const name of ['opencode-dev.db', 'other.db', 'opencode.db-x']) copyFileSync(database, join(home.data, name));
    copyFileSync(database, named);
    expect(await paths()).toEqual([join(home.data, 'opencode-dev.db'), database]);
    expect(await paths({ ...home.env, env: { OPENCODE_DB: named } })).toContain(named);
    expect(await paths({ ...home.env, env: { XDG_DATA_HOME: '/nowhere' } })).toEqual([]);
    expect((await opencode.discover(home.env)).sources.every((source) => source.database === true)).toBe(true);
  });

  it('counts the log of a database to it', async () => {
    home = await databaseHome();
    const before = (await opencode.discover(home.env)).sources[0]!;
    writeFileSync(join(home.data, 'opencode.db-wal'), 'x'.repeat(100));
    const after = (await opencode.discover(home.env)).sources[0]!;
    expect(after.bytes).toBe(before.bytes + 100);
    expect(unwrap(await opencode.recognise(join(home.data, 'opencode.db-wal'), home.env)).path).toBe(before.path);
  });

  it.each(['20-legacy-0.5.29', '20-legacy-1.1.65'])(
    '%s: finds one source a session, with the size of all its files',
    async (name) => {
      home = await fixtureHome(name);
      const { sources } = await opencode.discover(home.env);
      expect(sources).toHaveLength(1);
      expect(sources[0]?.native_id).toMatch(/^ses_/);
      expect(sources[0]?.bytes).toBeGreaterThan(2000);
      expect(unwrap(await opencode.recognise(sources[0]!.path, home.env))).toEqual(sources[0]);
    },
  );

  it('takes no other file for a session', async () => {
    home = tempHome();
    mkdirSync(home.data, { recursive: true });
    for (const name of ['notes.json', 'ses_1.json', 'opencode.db-wal']) {
      writeFileSync(join(home.data, name), '{}');
      expect(await opencode.recognise(join(home.data, name), home.env)).toMatchObject({
        error: { code: 'not_a_session' },
      });
    }
    writeFileSync(join(home.data, 'opencode.db'), 'no database');
    const [source] = (await opencode.discover(home.env)).sources;
    expect(await opencode.openDatabase!(source!, null, { env: home.env, redactionKey: KEY })).toMatchObject({
      error: { code: 'not_a_session' },
    });
  });
});

describe('opening one session of a database', () => {
  it('gives it, changed or not, or nothing when there is no such', async () => {
    home = await databaseHome('04-multi-turn-fork');
    const options = { env: home.env, redactionKey: KEY };
    const [source] = (await opencode.discover(home.env)).sources;
    const all = unwrap(await opencode.openDatabase!(source!, null, options));
    await all.close();
    expect(all.changed).toHaveLength(3);
    const again = unwrap(await opencode.openDatabase!(source!, all.cursor, options));
    await again.close();
    expect([again.changed, again.unchanged]).toEqual([[], 3]);
    for (const [path, found] of [
      [all.changed[1]!.path, 1],
      [`${source!.path}#ses_none`, 0],
    ] as const) {
      const one = unwrap(await opencode.openDatabase!(source!, all.cursor, { ...options, only: path }));
      await one.close();
      expect(one.changed).toHaveLength(found);
    }
  });
});

describe('going on with a session', () => {
  it('names the command and the folder', () => {
    const command = opencode.resume({ native_id: 'ses_x', cwd: '/home/dev/a b', source: null }, { home: '/', env: {} });
    expect(command).toEqual({
      argv: ['opencode', '--session=ses_x'],
      cwd: '/home/dev/a b',
      text: "cd '/home/dev/a b' && opencode --session=ses_x",
    });
  });
});
