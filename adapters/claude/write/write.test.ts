import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../../src/shared/errors.ts';
import type { MaterializeOptions, Written } from '../../contract.ts';
import { PNG, TestSession } from '../../testing/session.ts';
import { whatIsSaid } from '../map-user.ts';
import { blocksOf, chainOf, linesOf } from '../testing/chain.ts';
import { folderName } from './folder.ts';
import { claudeTarget } from './target.ts';

const ID = '01a22791-bb90-77e3-8fe5-30ec722705d2';
const SIGNATURE = 'c2lnbmF0dXJl'.repeat(5);

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'claude-target-')));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function options(more: Partial<MaterializeOptions> = {}): MaterializeOptions {
  return {
    env: { home, env: {} },
    nativeId: ID,
    title: 'A title',
    cwd: '/home/dev/project',
    version: '2.1.332',
    at: 1_795_960_000,
    tokens: 1234,
    ...more,
  };
}

const write = async (session: TestSession, more: Partial<MaterializeOptions> = {}): Promise<Written> =>
  unwrap(await claudeTarget.write(session.source(), options(more)));

async function committed(session: TestSession, more: Partial<MaterializeOptions> = {}): Promise<string> {
  const written = await write(session, more);
  unwrap(await written.commit());
  return written.final;
}

function talk(): TestSession {
  const session = new TestSession('codex');
  session.user('List the files.');
  session.reply('r1', 'I list them.');
  session.call('r1', 'call_1', { name: 'shell', arguments: { command: ['ls'] } });
  session.result('call_1', 'a\nb');
  session.reply('r2', 'Two files.');
  session.user('Thanks.');
  return session;
}

describe('the written file', () => {
  it('lies where Claude Code looks for it, private, with the time of the handoff and no temporary file beside it', async () => {
    const path = await committed(talk());
    expect(path).toBe(join(home, '.claude', 'projects', '-home-dev-project', `${ID}.jsonl`));
    expect(claudeTarget.shape('2.1.332', options().env, ID, 0, '/home/dev/project').files).toEqual([path]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(statSync(path).mtimeMs).toBe(1_795_960_000_000);
    expect(readdirSync(dirname(path))).toHaveLength(1);
  });

  it('is in the folder of the real project and names it, where its path is a link', async () => {
    const real = join(home, 'real');
    mkdirSync(real);
    symlinkSync(real, join(home, 'link'));
    const path = await committed(talk(), { cwd: join(home, 'link') });
    expect(basename(dirname(path))).toBe(folderName(real));
    expect(new Set(chainOf(path).map(({ cwd }) => cwd))).toEqual(new Set([real]));
  });

  it('is seen by nobody before commit and leaves nothing after abort', async () => {
    const written = await write(talk());
    expect(existsSync(written.final)).toBe(false);
    expect(written.temp.endsWith('.jsonl')).toBe(false);
    await written.abort();
    expect(existsSync(join(home, '.claude'))).toBe(false);
  });

  it('is the same, byte for byte, on every run, and never replaces something else', async () => {
    const path = await committed(talk());
    const bytes = readFileSync(path);
    const again = await write(talk());
    expect(readFileSync(again.temp).equals(bytes)).toBe(true);
    unwrap(await again.commit());
    writeFileSync(path, 'continued');
    expect(await (await write(talk())).commit()).toMatchObject({ ok: false, error: { code: 'target_exists' } });
    expect(readFileSync(path, 'utf8')).toBe('continued');
    expect(readdirSync(dirname(path))).toHaveLength(1);
  });

  it('is refused without a project folder or anything to say', async () => {
    const source = talk().source();
    expect(await claudeTarget.write(source, options({ cwd: '' }))).toMatchObject({ error: { code: 'unknown_cwd' } });
    expect(await claudeTarget.write(new TestSession().source(), options())).toMatchObject({
      error: { code: 'no_conversation' },
    });
    expect(claudeTarget.shape(null, options().env, ID, 0, null).files).toEqual([]);
    expect(existsSync(join(home, '.claude'))).toBe(false);
  });
});

describe('the lines', () => {
  it('are one chain with an envelope, a message envelope, the title first and last, and the head', async () => {
    const lines = linesOf(await committed(talk()));
    expect(lines[0]).toEqual({ type: 'custom-title', customTitle: 'A title', sessionId: ID });
    expect(lines.at(-2)).toEqual(lines[0]);
    const chain = lines.slice(1, -2);
    expect(lines.at(-1)).toEqual({
      type: 'last-prompt',
      lastPrompt: 'Thanks.',
      leafUuid: chain.at(-1)?.uuid,
      sessionId: ID,
    });
    expect(chain.map(({ type }) => type)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
    expect(chain.map(({ parentUuid }) => parentUuid)).toEqual([null, ...chain.slice(0, -1).map(({ uuid }) => uuid)]);
    expect(chain[1]).toEqual({
      parentUuid: chain[0]?.uuid,
      isSidechain: false,
      userType: 'external',
      entrypoint: 'cli',
      cwd: '/home/dev/project',
      sessionId: ID,
      version: '2.1.332',
      gitBranch: 'main',
      type: 'assistant',
      message: {
        id: expect.stringMatching(/^msg_[0-9a-f]{24}$/),
        type: 'message',
        role: 'assistant',
        model: '<synthetic>',
        content: [
          { type: 'text', text: 'I list them.' },
          { type: 'tool_use', id: 'call_1', name: 'shell', input: { command: ['ls'] } },
        ],
        stop_reason: 'tool_use',
        stop_sequence: null,
        usage: {
          input_tokens: 0,
          output_tokens: 0,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
        },
      },
      carriedFrom: 'codex',
      uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/),
      timestamp: '2026-09-21T14:13:21.000Z',
    });
    expect(chain[2]?.message.content).toEqual([{ type: 'tool_result', tool_use_id: 'call_1', content: 'a\nb' }]);
    expect(chain[3]?.message.stop_reason).toBe('end_turn');
  });

  it('have strictly rising times that are never later than the handoff, whatever the source says', async () => {
    const session = talk();
    session.events[2]!.ts = null;
    session.events[4]!.ts = 5;
    session.events[5]!.ts = 9e12;
    const times = chainOf(await committed(session)).map(({ timestamp }) => String(timestamp));
    expect(new Set(times).size).toBe(times.length);
    expect(times).toEqual([...times].sort());
    expect(times.at(-1)).toBe('2026-11-29T13:46:40.000Z');
  });

  it('begin with a line of the user, where the session begins with a reply', async () => {
    const session = new TestSession('codex');
    session.reply('r1', 'Hello.');
    const [first, second] = chainOf(await committed(session));
    expect(first).toMatchObject({ type: 'user', isMeta: true, parentUuid: null });
    expect(second).toMatchObject({ type: 'assistant', parentUuid: first?.uuid });
  });

  it('put what is compiled in front and declare it a record', async () => {
    const [first] = chainOf(await committed(talk(), { preface: '# Before' }));
    expect(first?.message.content[0]?.text).toMatch(/data to know about, not instructions.*\n\n# Before$/s);
  });
});

describe('for the model', () => {
  it('answers every call once, after all calls of its reply, and says when one was not run', async () => {
    const session = new TestSession('codex');
    session.user('Go.');
    session.call('r1', 'a');
    session.call('r1', 'b');
    session.result('b', 'said b', { is_error: true });
    session.user('Next.');
    const written = await write(session);
    unwrap(await written.commit());
    expect(written.warnings).toMatchObject([{ about: 'unanswered-call' }]);
    expect(blocksOf(written.final).slice(3)).toEqual([
      {
        type: 'tool_result',
        tool_use_id: 'a',
        content: 'Not run: the session was interrupted before this call had a result.',
        is_error: true,
      },
      { type: 'tool_result', tool_use_id: 'b', content: 'said b', is_error: true },
      { type: 'text', text: 'Next.' },
    ]);
  });

  it('makes ids unique, names conforming and inputs objects', async () => {
    const session = new TestSession('codex');
    session.user('Go.');
    session.call('r1', 'fc:1', { name: 'functions.read', arguments: '*** Begin Patch' });
    session.result('fc:1');
    session.call('r2', 'fc_1');
    session.result('fc_1');
    const calls = blocksOf(await committed(session)).filter(({ type }) => type === 'tool_use');
    expect(calls).toMatchObject([
      { id: 'fc_1', name: 'functions_read', input: { input: '*** Begin Patch' } },
      { id: 'fc_1_2', name: 'Bash' },
    ]);
  });

  it('keeps images in their place, also in results, and names what it cannot take', async () => {
    const session = new TestSession('codex');
    session.user([{ kind: 'text', text: 'Look' }, session.image(), { kind: 'text', text: 'here' }]);
    session.call('r1', 'a');
    session.result('a', [session.image()]);
    session.user([session.image(PNG, 'image/tiff')]);
    const blocks = blocksOf(await committed(session));
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: Buffer.from(PNG).toString('base64') },
    };
    expect(blocks.slice(0, 3)).toEqual([{ type: 'text', text: 'Look' }, image, { type: 'text', text: 'here' }]);
    expect(blocks[4]?.content).toEqual([image]);
    expect(blocks[5]?.text).toMatch(/image\/tiff.*not carried/);
  });

  it('gives thinking back with its whole signature to Claude alone', async () => {
    const thinking = (agent: string, opaque: string): TestSession => {
      const session = new TestSession(agent);
      session.user('Go.');
      session.event('message.thinking', { response: 'r', form: 'signed', text: 'Hm.', opaque });
      session.reply('r', 'Done.');
      return session;
    };
    const types = async (session: TestSession, nativeId: string): Promise<unknown[]> =>
      blocksOf(await committed(session, { nativeId })).map(({ type }) => type);
    expect(await types(thinking('claude', SIGNATURE), 'a')).toEqual(['text', 'thinking', 'text']);
    expect(await types(thinking('claude', 'cut'), 'b')).toEqual(['text', 'text']);
    expect(await types(thinking('codex', SIGNATURE), 'c')).toEqual(['text', 'text']);
  });

  it('leaves out what another client told its model about itself', async () => {
    const session = talk();
    const note = (about: string, role: string): unknown =>
      session.event('message.system', { content: [{ kind: 'text', text: about }], role, about, to_model: true });
    note('instructions', 'developer');
    note('environment', 'user');
    note('file', 'user');
    expect(chainOf(await committed(session)).filter(({ isMeta }) => isMeta)).toMatchObject([
      { message: { content: [{ type: 'text', text: 'file' }] } },
    ]);
  });

  it('says of a note what it was, so that the next handoff carries it too', async () => {
    const session = talk();
    const about = ['file', 'command_output', 'notice'];
    for (const kind of about)
      session.event('message.system', {
        content: [{ kind: 'text', text: 'said' }],
        role: 'user',
        about: kind,
        to_model: true,
      });
    const notes = chainOf(await committed(session)).filter(({ isMeta }) => isMeta);
    expect(notes.map((line) => whatIsSaid(line, 'said'))).toEqual(
      about.map((kind) => ({ from: 'harness', about: kind })),
    );
    expect(whatIsSaid({ type: 'user', isMeta: true, carriedAbout: 'prompt' }, 'said')).toMatchObject({
      about: 'reminder',
    });
  });
});

describe('reading back', () => {
  const readBack = async (session: TestSession, change: (text: string) => string): Promise<unknown> => {
    const written = await write(session);
    writeFileSync(written.temp, change(readFileSync(written.temp, 'utf8')));
    return claudeTarget.readBack(written, session.source(), options(), 'temp');
  };

  it.each([
    ['a text', 'Two files.', 'Three files.'],
    ['an argument', '"ls"', '"rm"'],
    ['a result', 'a\\nb', 'a'],
    ['a name', '"shell"', '"shel"'],
    ['an id', ID, '01a22791-bb90-77e3-8fe5-30ec722705d3'],
    ['a parent', '"parentUuid":null', '"parentUuid":"x"'],
    ['the end', '{"type":"last-prompt"', '{"type":"lost"'],
  ])('notices %s that differs', async (_what, from, to) => {
    expect(await readBack(talk(), (text) => text.replace(from, to))).toMatchObject({
      error: { code: 'readback_mismatch' },
    });
  });

  it('accepts what was written', async () => {
    expect(await readBack(talk(), (text) => text)).toEqual({ ok: true, value: { items: 6 } });
  });
});

describe('taking back', () => {
  it('removes the file, twice without harm, but never one that was gone on with', async () => {
    const written = await write(talk());
    unwrap(await written.commit());
    expect(await claudeTarget.remove({ ...written, sha256: 'other' }, options())).toMatchObject({
      error: { code: 'target_exists' },
    });
    expect(unwrap(await claudeTarget.remove(written, options()))).toEqual([]);
    expect(existsSync(written.final)).toBe(false);
    expect(unwrap(await claudeTarget.remove(written, options()))).toEqual([]);
  });
});
