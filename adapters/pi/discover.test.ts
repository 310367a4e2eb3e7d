import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pi } from './adapter.ts';
import { withHome } from './testing/fixtures.ts';

const HEADER = '{"type":"session","version":3,"id":"a","timestamp":"2026-11-29T13:00:00.000Z","cwd":"/x"}\n';

async function lay(home: string, ...paths: string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), HEADER);
  }
}

describe('finding sessions', () => {
  it('looks one folder deep, and in the agent folder where old versions put them', async () => {
    await withHome(async ({ home }) => {
      await lay(
        home,
        '.pi/agent/sessions/--x--/2026-11-29T13-00-00-000Z_first.jsonl',
        '.pi/agent/sessions/--x--/imported.jsonl',
        '.pi/agent/sessions/--x--/deeper/no.jsonl',
        '.pi/agent/sessions/--x--/notes.txt',
        '.pi/agent/sessions/--x--/.2026_first.jsonl.1-0.part',
        '.pi/agent/2025-12-01T10-00-00-000Z_old.jsonl',
      );
      const { sources, roots, warnings } = await pi.discover({ home, env: {} });
      expect(sources.map(({ native_id }) => native_id).toSorted()).toEqual(['first', 'imported', 'old']);
      expect(roots).toEqual([{ agent: 'pi', path: join(home, '.pi/agent/sessions'), exists: true }]);
      expect(warnings).toEqual([]);
    });
  });

  it('looks where the environment and the settings say', async () => {
    await withHome(async ({ home }) => {
      await lay(home, 'elsewhere/sessions/--x--/1.jsonl', 'flat/2.jsonl', 'flatter/3.jsonl');
      await writeFile(join(home, 'elsewhere/settings.json'), '{"sessionDir":"~/flat"}');
      const env = { PI_CODING_AGENT_DIR: '~/elsewhere' };
      const ids = async (more: object) =>
        (await pi.discover({ home, env: { ...env, ...more } })).sources.map((one) => one.native_id);
      expect(await ids({})).toEqual(['1', '2']);
      expect(await ids({ PI_CODING_AGENT_SESSION_DIR: join(home, 'flatter') })).toEqual(['1', '3']);
    });
  });

  it('finds nothing where there is no Pi', async () => {
    await withHome(async ({ home }) => {
      const { sources, roots, warnings } = await pi.discover({ home, env: {} });
      expect([sources, roots[0]?.exists, warnings]).toEqual([[], false, []]);
    });
  });
});

describe('a file that the user points at', () => {
  it('is a session by its header, or by its entries in a place of Pi', async () => {
    await withHome(async (env) => {
      await lay(env.home, 'any.jsonl');
      expect(await pi.recognise(join(env.home, 'any.jsonl'), env)).toMatchObject({
        ok: true,
        value: { native_id: 'any' },
      });
      const entry = '{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":"hi"}}\n';
      const path = join(env.home, '2026-05-04T10-00-00-000Z_an-id.jsonl');
      await writeFile(path, `{"broken\n${entry}`);
      expect(await pi.recognise(path, env)).toMatchObject({ ok: true, value: { native_id: 'an-id' } });
    });
  });

  it('is none where it looks like something else', async () => {
    await withHome(async (env) => {
      await writeFile(join(env.home, 'x.jsonl'), '{"type":"user","uuid":"1","message":{}}\n');
      expect(await pi.recognise(join(env.home, 'x.jsonl'), env)).toMatchObject({ error: { code: 'not_a_session' } });
      expect(await pi.recognise(join(env.home, 'gone.jsonl'), env)).toMatchObject({
        error: { code: 'source_unreadable' },
      });
      expect(await pi.recognise(env.home, env)).toMatchObject({ error: { code: 'not_a_session' } });
    });
  });
});

describe('going on', () => {
  it('names the file, in the folder of the project', () => {
    const session = { native_id: 'an-id', cwd: '/home/dev/my app', source: '/home/dev/s.jsonl' };
    expect(pi.resume(session, { home: '/', env: {} })).toMatchObject({
      argv: ['pi', '--session', '/home/dev/s.jsonl'],
      text: "cd '/home/dev/my app' && pi --session /home/dev/s.jsonl",
    });
    expect(pi.resume({ ...session, source: null }, { home: '/', env: {} }).argv).toEqual(['pi', '--session', 'an-id']);
  });

  it('finds the installed program and asks it for its version', async () => {
    await withHome(async ({ home }) => {
      expect(await pi.installed({ home, env: { PATH: home } })).toBeNull();
      await writeFile(join(home, 'pi'), '#!/bin/sh\necho 1.6.0\n', { mode: 0o755 });
      expect(await pi.installed({ home, env: { PATH: home } })).toEqual({ path: join(home, 'pi'), version: '1.6.0' });
    });
  });
});
