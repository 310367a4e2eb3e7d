import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../src/shared/errors.ts';
import type { AgentEnv } from '../contract.ts';
import { TestSession } from '../testing/session.ts';
import { findCodex } from './installed.ts';
import { registerThread } from './register.ts';
import { removeThread } from './remove.ts';
import { installFakeCodex } from './testing/fake-codex.ts';
import { THREAD, tempHome, writeOptions } from './testing/home.ts';
import { writeRollout } from './write/write.ts';

let home: ReturnType<typeof tempHome>;
beforeEach(() => {
  home = tempHome();
  mkdirSync(home.codex);
});
afterEach(() => home.dispose());

const index = (): string => join(home.codex, 'session_index.jsonl');
const started = (): void => writeFileSync(join(home.codex, 'state_5.sqlite'), '');

async function handedOver(env: AgentEnv): Promise<{ final: string; sha256: string }> {
  const session = new TestSession();
  session.user('Q');
  const written = unwrap(await writeRollout(session.source(), writeOptions(env)));
  unwrap(await written.commit());
  return written;
}

describe('the installed Codex', () => {
  it('is found on PATH with its version', async () => {
    const { env } = installFakeCodex(home.env);
    expect(await findCodex(env)).toEqual({ path: join(home.env.home, 'bin', 'codex'), version: '0.171.0' });
  });

  it('has no version when it says something else, and is none when it is not there', async () => {
    expect(await findCodex(installFakeCodex(home.env, 'works', 'hello').env)).toMatchObject({ version: null });
    expect(await findCodex(home.env)).toBeNull();
  });
});

describe('registering a thread', () => {
  it('asks Codex itself to name it, where Codex has a thread database', async () => {
    started();
    const { env, asked } = installFakeCodex(home.env);
    const written = await handedOver(env);
    expect(await registerThread(written, writeOptions(env, { title: ' A\n title ' }))).toEqual({ ok: true, value: [] });
    expect(asked()).toEqual([{ method: 'thread/name/set', params: { threadId: THREAD, name: 'A title' } }]);
    expect(existsSync(index())).toBe(false);
  });

  it('asks for the thread when there is no title', async () => {
    started();
    const { env, asked } = installFakeCodex(home.env, 'garbles');
    await registerThread(await handedOver(env), writeOptions(env, { title: ' ' }));
    expect(asked()).toEqual([{ method: 'thread/read', params: { threadId: THREAD } }]);
  });

  it('asks Codex in a fresh home too: its list takes no title of a new thread from the index', async () => {
    const { env, asked } = installFakeCodex(home.env);
    await registerThread(await handedOver(env), writeOptions(env));
    expect(asked()).toHaveLength(1);
  });

  it('writes the title where Codex looks at its first start when Codex is not there, and makes no database', async () => {
    const written = await handedOver(home.env);
    for (const _ of [1, 2])
      expect(await registerThread(written, writeOptions(home.env))).toEqual({ ok: true, value: [] });
    expect(readFileSync(index(), 'utf8')).toBe(
      `{"id":"${THREAD}","thread_name":"A title","updated_at":"2026-11-29T13:46:40.000Z"}\n`,
    );
    expect(readdirSync(home.codex).filter((name) => name.includes('sqlite'))).toEqual([]);
  });

  it('closes a torn last line of the index before it adds its own', async () => {
    writeFileSync(index(), '{"id":"other"');
    await registerThread(await handedOver(home.env), writeOptions(home.env));
    expect(readFileSync(index(), 'utf8').split('\n')[0]).toBe('{"id":"other"');
  });

  for (const behaviour of ['refuses', 'dies'] as const) {
    it(`says that the thread is not listed when Codex ${behaviour}, and names it all the same`, async () => {
      started();
      const { env } = installFakeCodex(home.env, behaviour);
      const warnings = unwrap(await registerThread(await handedOver(env), writeOptions(env)));
      expect(warnings).toMatchObject([
        { about: 'not-registered', detail: expect.stringContaining(`codex resume ${THREAD}`) },
      ]);
      expect(readFileSync(index(), 'utf8')).toContain('A title');
    });
  }

  it('says so when Codex is not installed', async () => {
    started();
    expect(unwrap(await registerThread(await handedOver(home.env), writeOptions(home.env)))).toMatchObject([
      { about: 'not-registered' },
    ]);
  });

  it('fails when the title cannot be written', async () => {
    const written = await handedOver(home.env);
    mkdirSync(index());
    expect(await registerThread(written, writeOptions(home.env))).toMatchObject({
      ok: false,
      error: { code: 'write_failed' },
    });
  });
});

describe('taking a thread back', () => {
  it('removes file, name and row, and does nothing the second time', async () => {
    started();
    const { env, asked } = installFakeCodex(home.env);
    const written = await handedOver(env);
    await registerThread(written, writeOptions(env));
    expect(await removeThread(written, writeOptions(env))).toEqual({ ok: true, value: [] });
    expect(existsSync(written.final)).toBe(false);
    expect(await removeThread(written, writeOptions(env))).toEqual({ ok: true, value: [] });
    expect(asked().map(({ method }) => method)).toEqual(['thread/name/set', 'thread/delete']);
  });

  it('removes its own line of the index, and leaves those of others', async () => {
    writeFileSync(index(), '{"id":"other","thread_name":"x"}\n');
    const written = await handedOver(home.env);
    await registerThread(written, writeOptions(home.env));
    expect(await removeThread(written, writeOptions(home.env))).toEqual({ ok: true, value: [] });
    expect(readFileSync(index(), 'utf8')).toBe('{"id":"other","thread_name":"x"}\n');
  });

  it('says what is left when it is no longer the last line, or Codex does not help', async () => {
    started();
    const written = await handedOver(home.env);
    await registerThread(written, writeOptions(home.env));
    appendFileSync(index(), '{"id":"other","thread_name":"x"}\n');
    expect(unwrap(await removeThread(written, writeOptions(home.env)))).toHaveLength(2);
    expect(existsSync(written.final)).toBe(false);
  });

  it('never removes a thread that was continued', async () => {
    const written = await handedOver(home.env);
    appendFileSync(
      written.final,
      '{"timestamp":"2026-11-29T14:00:00.000Z","type":"event_msg","payload":{"type":"task_started"}}\n',
    );
    expect(await removeThread(written, writeOptions(home.env))).toMatchObject({
      ok: false,
      error: { code: 'target_exists' },
    });
    expect(existsSync(written.final)).toBe(true);
  });

  it('takes a name that an older Codex has added for no continuation', async () => {
    const written = await handedOver(home.env);
    appendFileSync(
      written.final,
      '{"timestamp":"2026-11-29T14:00:00.000Z","type":"event_msg","payload":{"type":"thread_name_updated","thread_name":"A title"}}\n',
    );
    expect(await removeThread(written, writeOptions(home.env))).toMatchObject({ ok: true });
    expect(existsSync(written.final)).toBe(false);
  });
});
