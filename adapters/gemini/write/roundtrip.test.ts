import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unwrap } from '../../../src/shared/errors.ts';
import type { SessionEvent } from '../../../src/shared/events.ts';
import type { AgentEnv, MaterializeOptions } from '../../contract.ts';
import { Arranger } from '../../conversation/arrange.ts';
import { FAILED, NOT_RUN } from '../../conversation/stand-in.ts';
import { anySession } from '../../testing/arbitrary.ts';
import { PROPERTY_MS, propertyRuns } from '../../testing/property-runs.ts';
import { PNG, TestSession } from '../../testing/session.ts';
import { projectHash } from '../home.ts';
import type { Json } from '../read/record.ts';
import { captureHome, talk, told, withHome } from '../testing/home.ts';
import { carryToGemini } from './carry.ts';
import { sessionPath, shapeOf } from './place.ts';
import { geminiTarget as target } from './target.ts';

const ID = '0a1b2c3d-bb90-47e3-8fe5-30ec722705d2';

function options(env: AgentEnv, more: Partial<MaterializeOptions> = {}): MaterializeOptions {
  return {
    env,
    nativeId: ID,
    title: 'A  title',
    cwd: '/home/dev/My_Demo.Project',
    version: '0.61.0',
    at: 1_795_960_000,
    tokens: 1234,
    ...more,
  };
}

/** Writes a session into a home of its own and hands path and options to `look`; null = there is nothing to write. */
function written<T>(
  session: TestSession,
  more: Partial<MaterializeOptions>,
  look: (path: string, options: MaterializeOptions) => Promise<T> | T,
): Promise<T | null> {
  return withHome(async (env) => {
    const all = options(env, more);
    const result = await target.write(session.source(), all);
    if (!result.ok && result.error.code === 'no_conversation') return null;
    const value = unwrap(result);
    expect(await target.readBack(value, session.source(), all, 'temp')).toMatchObject({ ok: true });
    unwrap(await value.commit());
    unwrap(await target.register(value, all));
    return look(value.final, all);
  });
}

const linesOf = (path: string): Json[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);

/** The messages of a session written for 0.61. */
async function messages(session: TestSession, more: Partial<MaterializeOptions> = {}): Promise<Json[]> {
  return (await written(session, more, (path) => linesOf(path).slice(1))) ?? [];
}

function talked(): TestSession {
  const session = new TestSession();
  session.user('List the files.');
  session.thinking('r1', 'I should look.');
  session.reply('r1', 'I list them.');
  session.call('r1', 'toolu_1');
  session.result('toolu_1', 'a\nb');
  session.reply('r2', 'Two files.');
  session.user('Thanks.');
  return session;
}

describe('a written session', () => {
  it('has a header that keeps it from being deleted, with the title, in the folder of the project', async () => {
    await written(talked(), {}, (path, { env }) => {
      expect(path).toBe(
        join(env.home, '.gemini/tmp/my-demo-project/chats/session-2026-11-29T13-46-0a1b2c3d-carried.jsonl'),
      );
      const time = '2026-11-29T13:46:40.000Z';
      expect(linesOf(path)[0]).toEqual({
        sessionId: ID,
        projectHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        startTime: time,
        lastUpdated: time,
        kind: 'main',
        summary: 'A title',
      });
      expect(readFileSync(join(dirname(path), '..', '.project_root'), 'utf8')).toBe('/home/dev/My_Demo.Project');
      expect(existsSync(join(env.home, '.gemini', 'projects.json'))).toBe(false);
    });
  });

  it('is in the folder of the real project, where its path is a link', async () => {
    await withHome(async (env) => {
      const real = join(env.home, 'Real');
      mkdirSync(real);
      symlinkSync(real, join(env.home, 'link'));
      const all = options(env, { cwd: join(env.home, 'link') });
      const value = unwrap(await target.write(talked().source(), all));
      expect(await target.readBack(value, talked().source(), all, 'temp')).toMatchObject({ ok: true });
      unwrap(await value.commit());
      unwrap(await target.register(value, all));
      expect(value.final).toContain('/tmp/real/chats/');
      expect(linesOf(value.final)[0]!.projectHash).toBe(projectHash(real));
      expect(readFileSync(join(env.home, '.gemini/tmp/real/.project_root'), 'utf8')).toBe(real);
    });
  });

  it('holds prompts, and answers with their calls and results', async () => {
    expect(await messages(talked())).toMatchObject([
      { type: 'user', content: [{ text: 'List the files.' }] },
      {
        type: 'gemini',
        content: 'I list them.',
        thoughts: [{ subject: '', description: 'I should look.' }],
        toolCalls: [
          {
            id: 'toolu_1',
            name: 'Bash',
            args: { command: 'run toolu_1' },
            status: 'success',
            result: [{ functionResponse: { id: 'toolu_1', name: 'Bash', response: { output: 'a\nb' } } }],
          },
        ],
      },
      { type: 'gemini', content: 'Two files.' },
      { type: 'user', content: [{ text: 'Thanks.' }] },
    ]);
  });

  it('keeps the order of texts and calls where one answer mixes them', async () => {
    const session = new TestSession();
    session.call('r1', 'a');
    session.reply('r1', 'Between.');
    session.call('r1', 'b');
    session.result('b');
    session.result('a');
    const [answer] = await messages(session);
    expect((answer!.content as Json[]).map((part) => part.text ?? (part.functionCall as Json).id)).toEqual([
      'a',
      'Between.',
      'b',
    ]);
    expect((answer!.toolCalls as Json[]).map(({ result }) => (result as Json[])[0])).toMatchObject([
      { functionResponse: { id: 'a' } },
      { functionResponse: { id: 'b' } },
    ]);
  });

  it('guards prompts that the client would take for commands, and shows them as they are', async () => {
    const session = new TestSession();
    session.user('/home/dev is full');
    session.user('? why');
    session.user('plain');
    const found = await messages(session);
    expect(found.map(({ content }) => (content as Json[]).length)).toEqual([2, 2, 1]);
    expect(found[0]).toMatchObject({
      content: [{ thought: true }, { text: '/home/dev is full' }],
      displayContent: [{ text: '/home/dev is full' }],
    });
  });

  it('does not show what no person typed', async () => {
    const session = new TestSession();
    session.summary('The story so far.');
    session.system('A note.');
    session.user('Go on.');
    const found = await messages(session, { preface: 'Earlier work.' });
    expect(found.map(({ displayContent, sessionctl }) => [displayContent, sessionctl])).toEqual([
      [[{ text: '<hook_context>' }], 'notice'],
      [[{ text: '<hook_context>' }], 'notice'],
      [[{ text: '<hook_context>' }], 'reminder'],
      [undefined, undefined],
    ]);
  });

  it('has pictures in prompts and beside results, and failures as errors', async () => {
    const session = new TestSession();
    session.user([session.image(), { kind: 'text', text: 'What is it?' }]);
    session.call('r1', 'a');
    session.call('r1', 'b');
    session.call('r1', 'c');
    session.result('a', [{ kind: 'text', text: 'shot' }, session.image()]);
    session.result('b', [], { is_error: true });
    const data = Buffer.from(PNG).toString('base64');
    const picture = { inlineData: { mimeType: 'image/png', data } };
    const [prompt, answer] = await messages(session);
    expect(prompt!.content).toEqual([picture, { text: 'What is it?' }]);
    expect((answer!.toolCalls as Json[]).map(({ result, status }) => [status, result])).toEqual([
      ['success', [{ functionResponse: { id: 'a', name: 'Bash', response: { output: 'shot' } } }, picture]],
      ['error', [{ functionResponse: { id: 'b', name: 'Bash', response: { error: FAILED } } }]],
      ['error', [{ functionResponse: { id: 'c', name: 'Bash', response: { error: NOT_RUN } } }]],
    ]);
  });

  it('is one document for versions before 0.39, in the folder by hash before there were names', async () => {
    for (const [version, folder] of [
      ['0.36.0', 'my-demo-project'],
      [null, 'my-demo-project'],
      ['0.24.0', expect.stringMatching(/^[0-9a-f]{64}$/)],
    ] as const)
      await written(talked(), { version }, (path) => {
        const document = JSON.parse(readFileSync(path, 'utf8')) as { sessionId: string; messages: Json[] };
        expect(document).toMatchObject({ sessionId: ID, summary: 'A title', messages: [{}, {}, {}, {}] });
        expect(path.split('/').at(-3)).toEqual(folder);
        expect(path).toMatch(/\.json$/);
      });
    expect(shapeOf('0.39.0')).toMatchObject({ document: false });
    expect(shapeOf('0.44.0')).toMatchObject({ document: false, plain: true });
    expect(shapeOf('1.0.0')).toMatchObject({ document: false, byHash: false });
  });

  it('is the same, byte for byte, when written again, and never replaces another file', async () => {
    await written(talked(), {}, async (path, all) => {
      const again = unwrap(await target.write(talked().source(), all));
      unwrap(await again.commit());
      writeFileSync(path, 'continued');
      const other = unwrap(await target.write(talked().source(), all));
      expect(await other.commit()).toMatchObject({ ok: false, error: { code: 'target_exists' } });
      expect(readdirSync(dirname(path))).toHaveLength(1);
    });
  });

  it('is refused without a folder or anything to say', async () => {
    await withHome(async (env) => {
      expect(await target.write(talked().source(), options(env, { cwd: '' }))).toMatchObject({
        error: { code: 'unknown_cwd' },
      });
      expect(await target.write(new TestSession().source(), options(env))).toMatchObject({
        error: { code: 'no_conversation' },
      });
      expect(existsSync(join(env.home, '.gemini'))).toBe(false);
    });
  });

  it('is removed with all that was made for it, unless it was continued', async () => {
    await written(talked(), {}, async (path, all) => {
      const value = { final: path, sha256: unwrap(await target.write(talked().source(), all)).sha256 };
      const bytes = readFileSync(path);
      writeFileSync(path, 'continued');
      expect(await target.remove(value, all)).toMatchObject({ ok: false, error: { code: 'target_exists' } });
      writeFileSync(path, bytes);
      for (const name of readdirSync(dirname(path)))
        if (name.endsWith('.part')) writeFileSync(join(dirname(path), name), '');
      expect(unwrap(await target.remove(value, all))).toEqual([]);
      expect(existsSync(join(all.env.home, '.gemini', 'tmp'))).toBe(false);
      expect(unwrap(await target.remove(value, all))).toEqual([]);
    });
  });

  it('takes the folder that the client would take', async () => {
    await withHome((env) => {
      const at = (cwd: string): string => sessionPath(env, '0.61.0', cwd, ID, 0).split('/').at(-3)!;
      const gemini = join(env.home, '.gemini');
      const mark = (folder: string, root: string): void => {
        mkdirSync(join(gemini, folder), { recursive: true });
        writeFileSync(join(gemini, folder, '.project_root'), root);
      };
      mark('tmp/loom', '/elsewhere/loom');
      mark('history/loom-1', '/third/loom');
      mark('tmp/odd-name', '/home/dev/moved');
      writeFileSync(
        join(gemini, 'projects.json'),
        JSON.stringify({
          projects: { '/home/dev/known': 'given', '/home/dev/x': 'loom-2', '/home/dev/stale': 'loom' },
        }),
      );
      expect(at('/home/dev/loom')).toBe('loom-3');
      expect(at('/home/dev/moved')).toBe('odd-name');
      expect(at('/home/dev/known')).toBe('given');
      expect(at('/home/dev/stale')).toBe('stale');
      expect(at('/elsewhere/loom')).toBe('loom');
      expect(at('/home/dev/日本')).toBe('project');
      return Promise.resolve();
    });
  });
});

describe('ids', () => {
  it('differ in their first characters for sessions of one minute', () => {
    const ids = ['01a22791-bb90-77e3-8fe5-30ec722705d2', '01a22791-bb91-77e3-8fe5-30ec722705d2'].map((uuid) =>
      target.nativeId!(uuid, 0),
    );
    expect(new Set(ids.map((id) => id.slice(0, 8))).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

describe('any session, written', () => {
  const versions = fc.constantFrom('0.61.0', '0.44.0', '0.36.0', '0.24.0');

  it(
    'is captured as what it was: prompts as prompts, notes as notes, calls, results, pictures',
    async () => {
      await fc.assert(
        fc.asyncProperty(anySession, versions, fc.boolean(), async (session, version, preface) => {
          await written(session, { version, ...(preface ? { preface: 'Earlier.' } : {}) }, async (_, { env }) => {
            const [captured] = await captureHome(env);
            expect(told(captured!.outcome)).toBe(captured!.outcome.records);
            expect(captured!.ref.native_id).toBe(ID);
            expect(captured!.facts).toMatchObject({ title: 'A title' });
            const found = talk(captured!.events);
            expect(preface ? found.slice(1) : found).toEqual(factsOf(session, shapeOf(version).plain));
          });
        }),
        propertyRuns(80, 201),
      );
    },
    PROPERTY_MS,
  );

  it(
    'carries what it says it carries',
    async () => {
      await fc.assert(
        fc.asyncProperty(anySession, async (session) => {
          const all = (await messages(session)).map((message) => JSON.stringify(message)).join('\n');
          for (const event of session.events) {
            const { outcome } = carryToGemini(event, 'claude');
            if (outcome !== 'kept' || event.type === 'tool.call' || event.type === 'tool.result') continue;
            for (const block of (event.payload.content ?? []) as { kind: string; text?: string }[])
              if (block.kind === 'text' && block.text!.trim() !== '')
                expect(all).toContain(JSON.stringify(block.text!.toWellFormed()).slice(1, -1));
          }
        }),
        propertyRuns(80, 202),
      );
    },
    PROPERTY_MS,
  );
});

describe('reading back', () => {
  const damage: Record<string, (text: string) => string> = {
    'a changed text': (text) => text.replace('List the files.', 'List the flies.'),
    'a changed argument': (text) => text.replaceAll('run toolu_1', 'run it'),
    'a changed result': (text) => text.replace('{"output":"a\\nb"}', '{"output":"b"}'),
    'a result that became an error': (text) => text.replace('{"output":"a\\nb"}', '{"error":"a\\nb"}'),
    'a lost line': (text) => text.replace(/^.*Two files.*\n/m, ''),
    'a line twice': (text) => text.replace(/^.*Two files.*\n/m, (line) => line + line),
    'a torn line': (text) => text.slice(0, -20),
    'another id': (text) => text.replace(ID, ID.replace('0a', '0b')),
    'a rewind': (text) => `${text}{"$rewindTo":"x"}\n`,
  };
  it.each(Object.entries(damage))('finds %s', async (_, change) => {
    await written(talked(), {}, async (path, all) => {
      const before = readFileSync(path, 'utf8');
      writeFileSync(path, change(before));
      expect(readFileSync(path, 'utf8')).not.toBe(before);
      const result = await target.readBack({ temp: '', final: path }, talked().source(), all, 'final');
      expect(result).toMatchObject({ ok: false, error: { code: 'readback_mismatch' } });
    });
  });
});

/** What capture must find, from the model view alone. */
function factsOf(session: TestSession, plain: boolean): string[] {
  const arranger = new Arranger(() => {});
  const steps = [...session.events.flatMap((event) => arranger.push(event)), ...arranger.end()];
  const said = ({ payload }: SessionEvent): string =>
    ((payload.content ?? payload.summary ?? []) as { kind: string; text?: string }[])
      .flatMap(({ kind, text }) => (kind === 'image' ? ['[image]'] : text?.trim() === '' ? [] : [text!.toWellFormed()]))
      .join('|');
  const facts: string[] = [];
  const calls: string[] = [];
  let thoughts = 0;
  let response = '';
  for (const step of steps) {
    // thoughts of an answer stand in front of it
    const own = step.kind === 'output' ? response : String(step.event.payload.response ?? '');
    if (own !== response) [response, thoughts] = [own, facts.length];
    // calls of an answer stand behind its texts
    if (step.kind === 'output') facts.push(...calls.splice(0));
    if (step.kind === 'output') facts.push(`result ${outputOf(step.result, said)}`);
    else if (step.kind === 'call') {
      const args = step.event.payload.arguments;
      (plain ? calls : facts).push(
        `call ${String(step.event.payload.name)} ${wellFormed(typeof args === 'string' ? { input: args } : args)}`,
      );
    } else if (step.kind === 'thinking') {
      const text = String(step.event.payload.text ?? '').toWellFormed();
      if (!plain && text.trim() !== '') facts.splice(thoughts++, 0, `thinking ${text}`);
    } else if (said(step.event) !== '') {
      const kind = { prompt: 'prompt', context: 'note', summary: 'note', reply: 'reply' }[step.kind];
      facts.push(`${kind} ${said(step.event)}`);
    }
  }
  return facts;
}

function outputOf(result: SessionEvent | null, said: (event: SessionEvent) => string): string {
  if (result === null) return NOT_RUN;
  const text = said(result);
  return text === '' && result.payload.is_error === true ? FAILED : text;
}

const wellFormed = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'string' ? inner.toWellFormed() : inner));
