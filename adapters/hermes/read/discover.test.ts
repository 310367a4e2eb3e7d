import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { targetWindow } from '../config.ts';
import { resumeCommand } from '../resume.ts';
import { tempHome } from '../testing/native.ts';
import { layHome } from '../testing/target.ts';
import { discover, recognise } from './discover.ts';

let home: ReturnType<typeof tempHome>;
beforeEach(() => {
  home = tempHome();
});
afterEach(() => home.dispose());

function profile(name: string): string {
  const folder = join(home.hermes, 'profiles', name);
  mkdirSync(join(home.hermes, 'profiles'), { recursive: true });
  return folder;
}

describe('finding Hermes', () => {
  it('finds nothing, and says where it looked, where there is no Hermes', async () => {
    const { roots, sources, warnings } = await discover(home.env);
    expect(roots).toEqual([{ agent: 'hermes', path: home.hermes, exists: false, flat: true }]);
    expect([sources, warnings]).toEqual([[], []]);
  });

  it('finds the databases of all profiles, each with its log', async () => {
    await layHome('wal-open', home.env);
    renameSync(home.hermes, join(home.env.home, 'work'));
    await layHome('simple-qa', home.env);
    renameSync(join(home.env.home, 'work'), profile('work'));
    const { sources } = await discover(home.env);
    expect(sources.map(({ path, database }) => [path, database])).toEqual([
      [join(home.hermes, 'state.db'), true],
      [join(home.hermes, 'profiles', 'work', 'state.db'), true],
    ]);
    expect(sources[1]!.bytes).toBe(184320 + 234872);
  });

  it('follows HERMES_HOME', async () => {
    await layHome('simple-qa', home.env);
    const elsewhere = join(home.env.home, 'elsewhere');
    renameSync(home.hermes, elsewhere);
    const { sources } = await discover({ ...home.env, env: { HERMES_HOME: elsewhere } });
    expect(sources.map(({ path }) => path)).toEqual([join(elsewhere, 'state.db')]);
  });

  it('finds session files of older versions, and no others', async () => {
    await layHome('legacy-gateway', home.env);
    writeFileSync(join(home.hermes, 'sessions', 'request_dump_20261129_135411_7310c89d_1.json'), '{}');
    const { sources } = await discover(home.env);
    expect(sources.filter(({ database }) => database !== true).map(({ native_id }) => native_id)).toEqual([
      '20261129_135411_7310c89d',
    ]);
  });

  it('says when the sessions lie in PostgreSQL', async () => {
    await layHome('simple-qa', home.env);
    writeFileSync(join(home.hermes, 'config.yaml'), 'model: x\ndatabase:\n  # big\n  backend: "postgres"\nother: 1\n');
    expect((await discover(home.env)).warnings).toEqual([
      expect.objectContaining({ about: 'unsupported-format', file: join(home.hermes, 'config.yaml') }),
    ]);
    writeFileSync(join(home.hermes, 'config.yaml'), 'database:\n  backend: sqlite\nmemory:\n  backend: postgres\n');
    expect((await discover(home.env)).warnings).toEqual([]);
  });
});

describe('a file that the user points at', () => {
  it('is a database by its name, its log stands for it', async () => {
    await layHome('wal-open', home.env);
    const path = join(home.hermes, 'state.db');
    for (const given of [path, `${path}-wal`])
      expect(await recognise(given)).toMatchObject({ ok: true, value: { path, database: true } });
  });

  it('is refused with the reason when it is neither a database nor a session file', async () => {
    await layHome('legacy-gateway', home.env);
    expect(await recognise(join(home.hermes, 'sessions', 'sessions.json'))).toMatchObject({
      ok: false,
      error: { code: 'not_a_session' },
    });
    expect(await recognise(join(home.hermes, 'sessions', 'session_gone.json'))).toMatchObject({
      ok: false,
      error: { code: 'source_unreadable' },
    });
  });
});

describe('going on with a session', () => {
  it('names the session, in its folder, with the profile that holds it', () => {
    const source = `${join(home.hermes, 'state.db')}#20261129_131910_49bae0`;
    const session = { native_id: '20261129_131910_49bae0', cwd: '/home/dev/a b', source };
    expect(resumeCommand(session, home.env).text).toBe("cd '/home/dev/a b' && hermes --resume 20261129_131910_49bae0");
    const other = { ...session, source: `${join(profile('work'), 'state.db')}#x` };
    expect(resumeCommand(other, home.env).argv.slice(0, 3)).toEqual(['hermes', '-p', 'work']);
  });

  it('lets no id be taken for an option', () => {
    expect(resumeCommand({ native_id: '--yolo', cwd: null, source: null }, home.env).argv).toEqual([
      'hermes',
      '--resume=--yolo',
    ]);
  });
});

describe('the window of the target', () => {
  it('is that of the configuration, else what Hermes takes for an unknown model', async () => {
    expect(await targetWindow(home.env)).toMatchObject({ model: null, window: 256_000, reserve: 64_000 + 16_000 });
    mkdirSync(home.hermes);
    const config =
      'model:\n  default: "some/model" # mine\n  context_length: 1000000\ncompression:\n  threshold: 0.6\n';
    writeFileSync(join(home.hermes, 'config.yaml'), config);
    expect(await targetWindow(home.env)).toMatchObject({ model: 'some/model', window: 1_000_000, reserve: 416_000 });
  });
});
