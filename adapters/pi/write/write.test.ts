import { appendFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unwrap } from '../../../src/shared/errors.ts';
import type { SessionEvent } from '../../../src/shared/events.ts';
import type { AgentEnv, MaterializeOptions, Written } from '../../contract.ts';
import { PNG, TestSession } from '../../testing/session.ts';
import { withHome } from '../testing/fixtures.ts';
import { linesOf, messagesOf, SESSION, writeOptions } from '../testing/home.ts';
import { carryToPi } from './carry.ts';
import { piTarget } from './target.ts';

/** Writes a session in a home of its own. `lay` prepares the home. */
function write(
  session: TestSession,
  look: (written: Written, env: AgentEnv, options: MaterializeOptions) => Promise<void> | void,
  more: Partial<MaterializeOptions> = {},
  lay: (home: string) => Promise<void> = async () => {},
): Promise<void> {
  return withHome(async ({ home }) => {
    await lay(home);
    const env = { home, env: {} };
    const options = writeOptions(env, more);
    const written = unwrap(await piTarget.write(session.source(), options));
    expect(await piTarget.readBack(written, session.source(), options, 'temp')).toMatchObject({ ok: true });
    unwrap(await written.commit());
    await look(written, env, options);
  });
}

function example(): TestSession {
  const session = new TestSession();
  session.user('Look at it');
  session.thinking('r1', 'hm');
  session.reply('r1', 'I look.');
  session.call('r1', 'toolu_1', { name: 'functions.exec', arguments: { cmd: 'ls' } });
  session.call('r1', 'toolu_2', { name: 'apply_patch', arguments: '*** Begin', tool: 'edit' });
  session.result('toolu_2', [session.image(PNG)]);
  session.result('toolu_1', '', { is_error: true });
  session.reply('r2', 'Done.');
  return session;
}

const settings = async (home: string): Promise<void> => {
  const folder = join(home, '.pi', 'agent');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'settings.json'),
    '{"defaultProvider":"local","defaultModel":"m-1","compaction":{"reserveTokens":9000}}',
  );
  await writeFile(
    join(folder, 'models.json'),
    '{"providers":{"local":{"models":[{"id":"m-1","contextWindow":64000}]}}}',
  );
};

describe('a written session', () => {
  it('lies where Pi looks for it, with its name and its folder', async () => {
    await write(example(), ({ final }, env) => {
      const [header, name] = linesOf(final);
      expect(dirname(final)).toBe(join(env.home, '.pi', 'agent', 'sessions', '--home-dev-project--'));
      expect(final).toMatch(/\/2026-11-29T\d\d-\d\d-\d\d-\d{3}Z_[0-9a-f-]{36}\.jsonl$/);
      expect(header).toMatchObject({ id: SESSION, cwd: '/home/dev/project' });
      expect(name).toMatchObject({ type: 'session_info', name: 'A title', parentId: null });
    });
  });

  it('has one message an answer, and its results in the order of the calls', async () => {
    await write(example(), ({ final }) => {
      const messages = messagesOf(final);
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'toolResult', 'toolResult', 'assistant']);
      expect(messages[1]).toMatchObject({
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'toolCall', id: 'toolu_1', name: 'functions_exec', arguments: { cmd: 'ls' } },
          { type: 'toolCall', id: 'toolu_2', name: 'apply_patch', arguments: { input: '*** Begin' } },
        ],
        stopReason: 'toolUse',
        api: 'claude',
        provider: 'claude',
      });
      expect(messages[2]).toMatchObject({ toolCallId: 'toolu_1', toolName: 'functions_exec', isError: true });
      expect(messages[3]?.content).toEqual([
        { type: 'image', mimeType: 'image/png', data: Buffer.from(PNG).toString('base64') },
      ]);
    });
  });

  it('tells its size in the last reply alone, and costs nothing', async () => {
    await write(example(), ({ final }) => {
      const usages = messagesOf(final).flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
      expect(usages).toMatchObject([
        { totalTokens: 0, input: 0, cost: { total: 0 } },
        { totalTokens: 1234, input: 0, output: 0, cost: { total: 0 } },
      ]);
    });
  });

  it("goes on with the user's own model, where the settings name one", async () => {
    await write(
      example(),
      async ({ final }, env) => {
        expect(linesOf(final).at(-1)).toMatchObject({ type: 'model_change', provider: 'local', modelId: 'm-1' });
        expect(await piTarget.window(env)).toMatchObject({ model: 'm-1', window: 64_000, reserve: 12_000 });
      },
      {},
      settings,
    );
    await write(example(), async ({ final }, env) => {
      expect(linesOf(final).at(-1)).toMatchObject({ type: 'message' });
      expect(await piTarget.window(env)).toMatchObject({ model: null, window: 200_000 });
    });
  });

  it('puts a summary in front as a compaction, and one behind other messages as a note', async () => {
    const session = new TestSession();
    session.summary('What was before.');
    session.user('Go on');
    session.summary('More.');
    await write(session, ({ final }) => {
      const [, , compaction, , note] = linesOf(final);
      expect(compaction).toMatchObject({
        type: 'compaction',
        summary: 'What was before.',
        firstKeptEntryId: compaction?.id,
      });
      expect(note).toMatchObject({ type: 'custom_message', content: [{ type: 'text', text: 'More.' }] });
    });
  });

  it('puts the compiled context in front of everything, as no prompt', async () => {
    await write(
      example(),
      ({ final }) => {
        expect(linesOf(final)[2]).toMatchObject({ type: 'custom_message', customType: 'sessionctl' });
        expect(JSON.stringify(linesOf(final)[2])).toContain('THE CONTEXT');
      },
      { preface: 'THE CONTEXT' },
    );
  });

  it('carries notes of a conversation and leaves the instructions of the other agent', async () => {
    const session = new TestSession();
    session.user('Hello');
    session.event('message.system', {
      content: [{ kind: 'text', text: 'a file' }],
      role: 'user',
      about: 'file',
      to_model: true,
    });
    session.system('You are another agent.');
    await write(session, ({ final }) => {
      const text = JSON.stringify(linesOf(final));
      expect(text).toContain('a file');
      expect(text).not.toContain('another agent');
    });
  });

  it('takes the folder with its links resolved, as Pi does', async () => {
    await withHome(async ({ home }) => {
      await mkdir(join(home, 'real: one'));
      await symlink(join(home, 'real: one'), join(home, 'link'));
      const options = writeOptions({ home, env: {} }, { cwd: join(home, 'link') });
      const written = unwrap(await piTarget.write(example().source(), options));
      expect(written.final).toContain(`${home.replace(/^\//, '').replaceAll('/', '-')}-real- one--/`);
      await written.abort();
      expect(await readdir(home)).toEqual(['link', 'real: one']);
    });
  });

  it('lies in the folder that the user set for all sessions', async () => {
    await withHome(async (env) => {
      const [file] = piTarget.shape('1.6.0', env, SESSION, 1_795_960_000, '/home/dev/project').files;
      expect(dirname(file!)).toBe(join(env.home, '.pi', 'other-sessions'));
    });
  });

  it('needs a folder and something to say', async () => {
    await withHome(async (env) => {
      const nowhere = await piTarget.write(example().source(), writeOptions(env, { cwd: '' }));
      expect(nowhere).toMatchObject({ ok: false, error: { code: 'unknown_cwd' } });
      const empty = new TestSession();
      empty.system('a reminder');
      expect(await piTarget.write(empty.source(), writeOptions(env))).toMatchObject({
        ok: false,
        error: { code: 'no_conversation' },
      });
    });
  });
});

describe('reading back', () => {
  it.each([
    ['a changed text', (text: string) => text.replace('I look.', 'I looked.')],
    ['a missing line', (text: string) => text.replace(/.*"toolResult".*\n/, '')],
    ['a broken chain', (text: string) => text.replace(/"parentId":"\w{4}/, '"parentId":"ffff')],
    ['a call with another argument', (text: string) => text.replace('"cmd":"ls"', '"cmd":"rm"')],
    ['a reply without usage', (text: string) => text.replace('"usage"', '"usages"')],
    ['a picture that differs', (text: string) => text.replace(/"data":"iVBO/, '"data":"AVBO')],
    ['another header', (text: string) => text.replace('"version":3', '"version":2')],
  ])('finds %s', async (_, change) => {
    const session = example();
    await write(session, async ({ final, temp }, _env, options) => {
      const text = await readFile(final, 'utf8');
      const changed = change(text);
      expect(changed).not.toBe(text);
      await writeFile(final, changed);
      expect(await piTarget.readBack({ temp, final }, session.source(), options, 'final')).toMatchObject({
        ok: false,
        error: { code: 'readback_mismatch' },
      });
    });
  });
});

describe('taking a written session back', () => {
  it('removes it, once and again, and keeps one that somebody went on with', async () => {
    await write(example(), async (written, _env, options) => {
      await appendFile(written.final, '{}\n');
      expect(await piTarget.remove(written, options)).toMatchObject({ ok: false, error: { code: 'target_exists' } });
      await writeFile(written.final, (await readFile(written.final, 'utf8')).slice(0, -3));
      expect(await piTarget.remove(written, options)).toEqual({ ok: true, value: [] });
      expect(await piTarget.remove(written, options)).toEqual({ ok: true, value: [] });
      expect(await piTarget.register(written, options)).toEqual({ ok: true, value: [] });
    });
  });
});

describe('what becomes of an event', () => {
  const session = new TestSession();
  const outcome = (event: SessionEvent): string => carryToPi(event, 'claude').outcome;

  it('is kept where Pi has a place for it', () => {
    expect(outcome(session.user('hi'))).toBe('kept');
    expect(outcome(session.reply('r', 'hi'))).toBe('kept');
    expect(outcome(session.call('r', 'c'))).toBe('kept');
    expect(outcome(session.result('c'))).toBe('kept');
    expect(outcome(session.user([session.image()]))).toBe('kept');
  });

  it('is converted where the form changes', () => {
    expect(outcome(session.call('r', 'c', { name: 'mcp.x' }))).toBe('converted');
    expect(outcome(session.call('r', 'c', { arguments: 'text' }))).toBe('converted');
    expect(outcome(session.summary('before'))).toBe('converted');
    expect(outcome(session.result('c', '', { closed: 'interrupted' }))).toBe('converted');
    expect(outcome(session.user([session.image(PNG, 'image/tiff')]))).toBe('converted');
  });

  it("is dropped where it is another agent's own", () => {
    expect(outcome(session.thinking('r', 'hm'))).toBe('dropped');
    expect(outcome(session.system('a reminder'))).toBe('dropped');
    expect(outcome(session.user(' '))).toBe('dropped');
    expect(outcome(session.event('meta', { key: 'model', value: 'x' }))).toBe('dropped');
    expect(outcome(session.event('command.run', { cmd: 'ls', stdout_tail: '' }))).toBe('dropped');
  });

  it('keeps reasoning for Pi itself', () => {
    const own = { ...session.thinking('r', 'hm'), agent: 'pi' };
    expect(carryToPi(own, 'pi').outcome).toBe('kept');
  });
});
