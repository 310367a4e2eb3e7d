import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../../src/shared/errors.ts';
import type { MaterializeOptions, Written } from '../../contract.ts';
import { modelView } from '../../testing/model-view.ts';
import { PNG, TestSession } from '../../testing/session.ts';
import { isObject, type Json } from '../json.ts';
import { opencodeTarget } from '../target.ts';
import { AT, databaseHome, NATIVE_ID, type TestHome, writeOptions } from '../testing/database.ts';
import { installFakeOpenCode } from '../testing/fake-opencode.ts';
import { Captures } from '../testing/native.ts';

let home: TestHome;
beforeEach(async () => {
  home = await databaseHome();
});
afterEach(() => home.dispose());

function talk(): TestSession {
  const session = new TestSession();
  session.user('List the files.');
  session.thinking('r1', 'secret thought');
  session.reply('r1', 'I list them.');
  session.call('r1', 'toolu_1', { arguments: { command: 'ls', description: 'list' } });
  session.result('toolu_1', 'a\nb');
  session.reply('r2', 'Two files.');
  session.user('Thanks.');
  return session;
}

async function write(session: TestSession, more: Partial<MaterializeOptions> = {}): Promise<Written> {
  const options = writeOptions(home, more);
  const written = unwrap(await opencodeTarget.write(session.source(), options));
  unwrap(await opencodeTarget.readBack(written, session.source(), options, 'temp'));
  return written;
}

async function committed(session: TestSession, more: Partial<MaterializeOptions> = {}): Promise<Written> {
  const written = await write(session, more);
  unwrap(await written.commit());
  const options = writeOptions(home, more);
  unwrap(await opencodeTarget.readBack(written, session.source(), options, 'final'));
  return written;
}

interface Message extends Json {
  parts: Json[];
}

function messages(): Message[] {
  const parse = ({ data, ...row }: Json): Json => ({ ...row, ...(JSON.parse(String(data)) as Json) });
  return home
    .rows('SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id', NATIVE_ID)
    .map((row) => ({
      ...parse(row),
      parts: home.rows('SELECT id, data FROM part WHERE message_id = ? ORDER BY id', row.id).map(parse),
    }));
}

describe('the private file', () => {
  it('comes with a warning for a folder in which OpenCode does not run', async () => {
    const abouts = async (cwd: string) => (await write(talk(), { cwd })).warnings.map(({ about }) => about);
    expect(await abouts('/home/dev/a%20b')).toContain('target-folder');
    expect(await abouts('/home/dev/a #1 b')).not.toContain('target-folder');
  });

  it('is for its owner alone and shows nothing in OpenCode before it is put in place', async () => {
    const written = await write(talk());
    expect(statSync(written.temp).mode & 0o777).toBe(0o600);
    expect(written.final).toBe(`${home.database}#${NATIVE_ID}`);
    expect(messages()).toEqual([]);
    const { info } = JSON.parse(readFileSync(written.temp, 'utf8')) as { info: Json };
    expect(info).toMatchObject({ id: NATIVE_ID, title: 'A title', version: '1.18.33', directory: home.project });
    await written.abort();
    expect(existsSync(written.temp)).toBe(false);
  });

  it('is the same on every run, and gone when the session is in place', async () => {
    const first = await committed(talk());
    expect(existsSync(first.temp)).toBe(false);
    const again = await write(talk());
    expect(again.sha256).toBe(first.sha256);
    unwrap(await again.commit());
    expect(messages()).toHaveLength(4);
  });

  it('is refused without a project folder or anything to say', async () => {
    expect(await opencodeTarget.write(talk().source(), writeOptions(home, { cwd: '' }))).toMatchObject({
      error: { code: 'unknown_cwd' },
    });
    expect(await opencodeTarget.write(new TestSession().source(), writeOptions(home))).toMatchObject({
      error: { code: 'no_conversation' },
    });
  });
});

describe('for the model', () => {
  it('writes prompts, answers and real calls as OpenCode keeps them', async () => {
    await committed(talk());
    expect(messages()).toMatchObject([
      { role: 'user', agent: 'build', parts: [{ type: 'text', text: 'List the files.' }] },
      {
        role: 'assistant',
        finish: 'tool-calls',
        providerID: 'claude',
        parts: [
          { type: 'step-start' },
          { type: 'text', text: 'I list them.' },
          {
            type: 'tool',
            tool: 'Bash',
            callID: 'toolu_1',
            state: { status: 'completed', input: { command: 'ls', description: 'list' }, output: 'a\nb' },
          },
        ],
      },
      { role: 'assistant', finish: 'stop', parts: [{ type: 'step-start' }, { type: 'text', text: 'Two files.' }] },
      { role: 'user', parts: [{ text: 'Thanks.' }] },
    ]);
    const [first, second, third] = messages();
    expect([second?.parentID, third?.parentID]).toEqual([first?.id, first?.id]);
    expect(JSON.stringify(messages())).not.toContain('secret thought');
  });

  it('gives ids that rise with the order and never meet those of another session', async () => {
    await committed(talk());
    const ids = messages().flatMap(({ id, parts }) => [String(id), ...parts.map((part) => String(part.id))]);
    expect(ids.map((id) => id.slice(4, 16))).toEqual(ids.map((id) => id.slice(4, 16)).sort());
    expect(ids.every((id) => /^(msg|prt)_[0-9a-f]{12}[0-9A-Za-z]{14}$/.test(id))).toBe(true);
    const other = opencodeTarget.nativeId!('01a22791-bb90-77e3-8fe5-30ec722705d3', AT + 1);
    expect(other).toMatch(/^ses_[0-9a-f]{12}[0-9A-Za-z]{14}$/);
    expect(other < NATIVE_ID).toBe(true);
    unwrap(await (await write(talk(), { nativeId: other })).commit());
    expect(messages()).toHaveLength(4);
  });

  it('carries pictures in prompts and results, and says so where there is no place for one', async () => {
    const session = new TestSession();
    session.user([{ kind: 'text', text: 'See.' }, session.image(PNG, 'image/jpeg')]);
    session.call('r', 'a');
    session.call('r', 'b');
    session.result('a', [session.image()]);
    session.result('b', [{ kind: 'text', text: 'no' }, session.image()], { is_error: true });
    await committed(session);
    const url = `data:image/png;base64,${Buffer.from(PNG).toString('base64')}`;
    const [prompt, answer] = messages();
    expect(prompt?.parts[1]).toMatchObject({ type: 'file', mime: 'image/png', url });
    expect(answer?.parts[1]?.state).toMatchObject({
      status: 'completed',
      output: '',
      attachments: [{ type: 'file', url }],
    });
    expect(answer?.parts[2]?.state).toMatchObject({
      status: 'error',
      error: expect.stringMatching(/^no\n\[Image .*not carried/),
    });
  });

  it('closes an unanswered call by words, and wraps free text', async () => {
    const session = new TestSession();
    session.call('r', 'c', { name: 'apply_patch', arguments: '*** Begin Patch', tool: 'edit' });
    await committed(session);
    expect(messages()[0]?.parts[1]).toMatchObject({
      tool: 'apply_patch',
      state: { status: 'error', input: { input: '*** Begin Patch' }, error: expect.stringMatching(/^Not run/) },
    });
  });

  it('makes a summary a compaction of its own, and a note where something stands before it', async () => {
    const session = new TestSession();
    session.summary('The gist.');
    session.user('Go on.');
    await committed(session);
    expect(messages()).toMatchObject([
      { role: 'user', parts: [{ type: 'compaction', auto: true }] },
      { role: 'assistant', summary: true, finish: 'stop', parts: [{ type: 'text', text: 'The gist.' }] },
      { role: 'user', parts: [{ text: 'Go on.' }] },
    ]);
    const other = opencodeTarget.nativeId!('01a22791-bb90-77e3-8fe5-30ec722705d3', AT);
    const written = await write(session, { preface: 'Earlier.', nativeId: other });
    expect(readFileSync(written.temp, 'utf8')).not.toContain('"compaction"');
    await written.abort();
  });

  it('says how large the conversation is, and counts nothing as used', async () => {
    await committed(talk(), { tokens: 150_000 });
    expect(messages().map(({ tokens }) => (isObject(tokens) ? tokens.input : null))).toEqual([null, 0, 150_000, null]);
    const [captured] = await new Captures(home.env).next();
    expect(captured!.events.some(({ payload }) => payload.key === 'usage')).toBe(false);
  });

  it('names the model that the user has chosen', async () => {
    const model = async (): Promise<unknown> => {
      const written = await write(talk());
      const { info } = JSON.parse(readFileSync(written.temp, 'utf8')) as { info: Json };
      await written.abort();
      return [info.model, written.warnings.map(({ about }) => about)];
    };
    expect(await model()).toEqual([{ id: 'none', providerID: 'none' }, ['target-model-unknown']]);
    const state = join(home.env.home, '.local', 'state', 'opencode');
    mkdirSync(state, { recursive: true });
    writeFileSync(join(state, 'model.json'), '{"recent":[{"providerID":"p","modelID":"recent"}]}');
    expect(await model()).toEqual([{ id: 'recent', providerID: 'p' }, []]);
    const config = join(home.env.home, '.config', 'opencode');
    mkdirSync(config, { recursive: true });
    writeFileSync(
      join(config, 'opencode.jsonc'),
      '{ // mine\n "model": "p/set/by-me", /* , */ "provider": {"p": {"models": {"set/by-me": {"limit": {"context": 64000, "output": 4000,},},}}}, }',
    );
    expect(await model()).toEqual([{ id: 'set/by-me', providerID: 'p' }, []]);
    expect(await opencodeTarget.window(home.env)).toMatchObject({
      model: 'p/set/by-me',
      window: 64_000,
      reserve: 16_000,
    });
  });

  it('keeps the reasoning of its own sessions with its proof and its model', async () => {
    const session = new TestSession('opencode');
    const proof = { anthropic: { signature: 'c2lnbmF0dXJl' } };
    session.user('Think.');
    session.event('message.thinking', {
      response: 'r',
      text: 'Hm.',
      form: 'signed',
      opaque: proof,
      provider: 'p',
      model: 'm',
    });
    session.reply('r', 'Done.');
    await committed(session);
    expect(messages()[1]).toMatchObject({
      providerID: 'p',
      modelID: 'm',
      parts: [{}, { type: 'reasoning', text: 'Hm.', metadata: proof }, {}],
    });
  });
});

describe('putting it in place', () => {
  it('has OpenCode import the file where it is installed, in the project folder', async () => {
    const { env, asked } = installFakeOpenCode(home);
    const written = await committed(talk(), { env });
    expect(asked().at(-1)).toEqual({ args: ['import', written.temp], cwd: home.project });
    expect(messages()).toHaveLength(4);
    expect(home.rows('SELECT title, directory FROM session')).toEqual([{ title: 'A title', directory: home.project }]);
  });

  it('removes what a failed import has taken in', async () => {
    for (const behaviour of ['dies', 'forgets'] as const) {
      const { env } = installFakeOpenCode(home, behaviour);
      const written = await write(talk(), { env });
      expect(await written.commit()).toMatchObject({ ok: false, error: { code: 'write_failed' } });
      expect(home.rows('SELECT id FROM session')).toEqual([]);
      expect(home.rows('SELECT id FROM part')).toEqual([]);
      expect(existsSync(written.temp)).toBe(false);
    }
  });

  it('writes into the database alone what it has to, as a session of the project that OpenCode knows', async () => {
    home.change((db) => {
      db.prepare(
        'INSERT INTO project (id, worktree, vcs, sandboxes, time_created, time_updated) VALUES (?, ?, ?, ?, 1, 1)',
      ).run('abc', home.project, 'git', '[]');
    });
    const before = home.rows('SELECT * FROM project');
    await committed(talk());
    expect(home.rows('SELECT project_id, path FROM session')).toEqual([{ project_id: 'abc', path: '' }]);
    expect(home.rows('SELECT * FROM project')).toEqual(before);
  });

  it('touches no database whose tables it does not know, and no project that OpenCode has not seen', async () => {
    mkdirSync(join(home.project, '.git'));
    expect(await (await write(talk())).commit()).toMatchObject({ error: { code: 'target_unavailable' } });
    home.change((db) =>
      db.exec('ALTER TABLE part ADD COLUMN seal text NOT NULL DEFAULT 1; CREATE TABLE x (y); DROP TABLE todo'),
    );
    home.change((db) =>
      db.exec(
        'DROP TABLE part; CREATE TABLE part (id text, message_id text, session_id text, time_created, time_updated, data text, seal text NOT NULL)',
      ),
    );
    expect(await (await write(talk())).commit()).toMatchObject({ error: { code: 'target_unsupported' } });
    expect(home.rows('SELECT id FROM session')).toEqual([]);
  });

  it('never changes a session that is there', async () => {
    const first = await committed(talk());
    home.change((db) => db.exec("UPDATE part SET data = json_set(data, '$.text', 'mine')"));
    const again = await write(talk());
    expect(await again.commit()).toMatchObject({ ok: false, error: { code: 'target_exists' } });
    expect(first.sha256).toBe(again.sha256);
  });
});

describe('taking it back', () => {
  const remove = (written: Pick<Written, 'final' | 'sha256'>): ReturnType<typeof opencodeTarget.remove> =>
    opencodeTarget.remove(written, writeOptions(home));

  it('deletes exactly its rows, once or twice', async () => {
    const other = opencodeTarget.nativeId!('01a22791-bb90-77e3-8fe5-30ec722705d3', AT + 1);
    unwrap(await (await write(talk(), { nativeId: other })).commit());
    const before = home.rows('SELECT id FROM part ORDER BY id');
    const written = await committed(talk());
    expect(await remove(written)).toEqual({ ok: true, value: [] });
    expect(await remove(written)).toEqual({ ok: true, value: [] });
    expect(home.rows('SELECT id FROM part ORDER BY id')).toEqual(before);
    expect(home.rows('SELECT id FROM session')).toEqual([{ id: other }]);
  });

  it('leaves a session that OpenCode has gone on with', async () => {
    const written = await committed(talk());
    home.change((db) =>
      db
        .prepare('INSERT INTO message VALUES (?, ?, ?, ?, ?)')
        .run('msg_ffffffffffff00000000000000', NATIVE_ID, AT * 1000 + 1, 1, '{"role":"user"}'),
    );
    expect(await remove(written)).toMatchObject({ ok: false, error: { code: 'target_exists' } });
    expect(messages()).toHaveLength(5);
  });
});

describe('captured again', () => {
  it('is what it was', async () => {
    await committed(talk());
    const [captured] = await new Captures(home.env).next();
    expect(modelView(captured!.events).map(({ type }) => type)).toEqual([
      'message.user',
      'message.assistant',
      'tool.call',
      'tool.result',
      'message.assistant',
      'message.user',
    ]);
    expect(captured!.facts).toMatchObject({ title: 'A title', cwd: home.project });
    expect(captured!.ref.parent).toBeUndefined();
  });
});
