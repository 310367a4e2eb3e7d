import { appendFileSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listFixtures, loadFixture } from '../../../fixtures/load.ts';
import { canonicalJson } from '../../../src/core/log/canonical-json.ts';
import { unwrap } from '../../../src/shared/errors.ts';
import type { SessionEvent } from '../../../src/shared/events.ts';
import type { AgentEnv, Cursor } from '../../contract.ts';
import { MemorySink } from '../../testing/memory-sink.ts';
import { modelView } from '../../testing/model-view.ts';
import { PROPERTY_MS, propertyRuns } from '../../testing/property-runs.ts';
import { rebuildRecords } from '../rebuild.ts';
import { type Captured, captureHome, captureSource, talk, told, withHome } from '../testing/home.ts';
import { discoverSessions, recogniseSession } from './discover.ts';
import type { Json } from './record.ts';

const fixtures = await listFixtures('gemini');
const ID = '11111111-2222-4333-8444-555555555555';
let env: AgentEnv;
let done: () => void;
beforeEach(async () => {
  await new Promise<void>((ready) => {
    void withHome(
      (made) =>
        new Promise<void>((resolve) => {
          env = made;
          done = resolve;
          ready();
        }),
    );
  });
});
afterEach(() => done());

function place(name = `session-2026-11-29T13-42-${ID.slice(0, 8)}.jsonl`, project = 'loom'): string {
  const path = join(env.home, '.gemini', 'tmp', project, 'chats', name);
  mkdirSync(dirname(path), { recursive: true });
  return path;
}

let clock = 0;
const time = (): string => new Date(1_795_960_000_000 + 1000 * clock++).toISOString();
const header = (more: Json = {}): Json => ({
  sessionId: ID,
  projectHash: 'h',
  startTime: time(),
  lastUpdated: time(),
  kind: 'main',
  ...more,
});
const user = (id: string, text: string, more: Json = {}): Json => ({
  id,
  timestamp: time(),
  type: 'user',
  content: [{ text }],
  ...more,
});
const reply = (id: string, content: unknown, more: Json = {}): Json => ({
  id,
  timestamp: time(),
  type: 'gemini',
  content,
  ...more,
});
const call = (id: string, more: Json = {}): Json => ({
  id,
  name: 'run_shell_command',
  args: { command: 'ls' },
  status: 'success',
  timestamp: time(),
  result: [{ functionResponse: { id, name: 'run_shell_command', response: { output: `out ${id}` } } }],
  ...more,
});
const set = (...messages: Json[]): Json => ({ $set: { messages, lastUpdated: time() } });
const lines = (...records: Json[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');

async function capture(...records: Json[]): Promise<Captured> {
  writeFileSync(place(), lines(...records));
  const [session] = await captureHome(env);
  expect(told(session!.outcome)).toBe(session!.outcome.records);
  return session!;
}

const view = (session: { events: SessionEvent[] }): string[] => talk(modelView(session.events));
const warned = ({ warnings }: Captured): string[] => warnings.map(({ about }) => about);

describe('messages', () => {
  it('with the same id replace one another, and the old version stays, inactive, named by the new one', async () => {
    const session = await capture(
      header(),
      user('u1', 'Count.'),
      reply('g1', 'Counting', { tokens: { input: 9, output: 40 } }),
      reply('g1', 'Counted 480.', { tokens: { input: 5, output: 60 } }),
      user('u2', 'Thanks.'),
    );
    expect(view(session)).toEqual(['prompt Count.', 'reply Counted 480.', 'prompt Thanks.']);
    const [old, now] = session.events.filter(({ type }) => type === 'message.assistant');
    expect(now?.refs).toEqual([`seq:${old!.seq}`]);
    expect(talk([old!])).toEqual(['reply Counting']);
  });

  it('can change in the middle: what follows stands behind the new version', async () => {
    const session = await capture(
      header(),
      user('u1', 'A'),
      reply('g1', 'B'),
      user('u2', 'C'),
      reply('g2', 'D', { toolCalls: [call('c1')] }),
      reply('g1', 'B2'),
    );
    expect(view(session)).toEqual([
      'prompt A',
      'reply B2',
      'prompt C',
      'reply D',
      'call run_shell_command {"command":"ls"}',
      'result out c1',
    ]);
  });

  it('can change in the middle after a restart: the file is read again and nothing stands twice', async () => {
    const path = place();
    writeFileSync(path, lines(header(), user('u1', 'A'), reply('g1', 'B'), user('u2', 'C')));
    const [source] = (await discoverSessions(env)).sources;
    const first = await captureSource(source!, env);
    appendFileSync(path, lines(reply('g1', 'B2')));
    const cursor = JSON.parse(JSON.stringify(first.outcome.cursor)) as Cursor;
    const second = await captureSource(source!, env, first.sink, cursor);
    expect(told(second.outcome)).toBe(second.outcome.records);
    expect(view(second.session!)).toEqual(['prompt A', 'reply B2', 'prompt C']);
    expect(talk(second.session!.events).filter((line) => line === 'prompt A')).toHaveLength(1);
  });

  it('that are extended give only what is new', async () => {
    const answer = reply('g1', 'I look.');
    const session = await capture(
      header(),
      user('u1', 'A'),
      answer,
      { ...answer, toolCalls: [call('c1')] },
      { ...answer, toolCalls: [call('c1'), call('c2')] },
    );
    expect(view(session)).toEqual([
      'prompt A',
      'reply I look.',
      'call run_shell_command {"command":"ls"}',
      'result out c1',
      'call run_shell_command {"command":"ls"}',
      'result out c2',
    ]);
  });

  it('that are written again with less stay as rich as they were', async () => {
    const session = await capture(
      header(),
      user('u1', 'A'),
      reply('g1', 'B', { thoughts: [{ subject: 'S', description: 'D' }], toolCalls: [call('c1')] }),
      set(
        user('u1', 'A'),
        reply('g1', [
          { text: 'B' },
          { functionCall: { id: 'c1', name: 'run_shell_command', args: { command: 'ls' } } },
        ]),
      ),
    );
    expect(view(session)).toEqual([
      'prompt A',
      'thinking **S** D',
      'reply B',
      'call run_shell_command {"command":"ls"}',
      'result out c1',
    ]);
    expect(session.events.filter(({ payload }) => payload.key === 'leaf')).toEqual([]);
  });

  it('are prompts only where a person wrote them', async () => {
    const session = await capture(
      header(),
      user('x', '<session_context>\nToday is Monday.\n</session_context>'),
      user('u1', 'A', { content: [{ text: '<hook_context>h</hook_context>' }, { text: 'A' }] }),
      user('u2', "Here is the user's editor context as a JSON object. {}"),
      { id: 'i', timestamp: time(), type: 'info', content: 'Update available' },
      { id: 'e', timestamp: time(), type: 'error', content: 'It broke' },
      user('u3', '/deploy now'),
    );
    expect(talk(session.events)).toEqual([
      'note <session_context>\nToday is Monday.\n</session_context>',
      'note <hook_context>h</hook_context>',
      'prompt A',
      "note Here is the user's editor context as a JSON object. {}",
      'note Update available',
      'note It broke',
      'prompt /deploy now',
    ]);
    expect(session.events.find(({ payload }) => payload.via === 'command')).toBeDefined();
    expect(view(session)).toHaveLength(4);
  });

  it('have pictures in answers of tools, beside or inside the response', async () => {
    const data = Buffer.from('not really a picture').toString('base64');
    const image = { inlineData: { mimeType: 'image/png', data } };
    const response = { functionResponse: { id: 'c1', name: 'read_file', response: { output: 'ok' } } };
    const session = await capture(
      header(),
      user('u1', 'A'),
      reply('g1', '', {
        toolCalls: [
          call('c1', { result: [response, image] }),
          call('c2', {
            result: [{ functionResponse: { id: 'c2', name: 'r', response: { output: 'ok' }, parts: [image] } }],
          }),
        ],
      }),
      user('u2', '', { content: [response, image] }),
    );
    expect(view(session).slice(3)).toEqual(['result ok|[image]', 'result ok|[image]']);
    expect(JSON.stringify(session.events)).not.toContain(data);
  });

  it('keep long outputs in artifacts', async () => {
    const long = 'line 日本\n'.repeat(3000);
    const response = { functionResponse: { id: 'c1', name: 'x', response: { output: long } } };
    const session = await capture(
      header(),
      user('u1', 'A'),
      reply('g1', '', { toolCalls: [call('c1', { result: [response] })] }),
    );
    const result = session.events.find(({ type }) => type === 'tool.result')!;
    const { truncated } = result.payload as { truncated: { artifact: string; bytes: number } };
    expect(Buffer.from(await session.sink.read(truncated.artifact)).toString()).toBe(long);
    expect(JSON.stringify(session.events).length).toBeLessThan(12_000);
  });

  it('with a result that has no call, and a call without a result, are told', async () => {
    const session = await capture(
      header(),
      user('u1', 'A'),
      reply('g1', '', { toolCalls: [call('c1', { result: undefined, status: 'executing' })] }),
      user('u2', 'B'),
      user('u3', '', { content: [{ functionResponse: { id: 'zz', name: 'x', response: { output: 'lost' } } }] }),
    );
    expect(warned(session)).toEqual(['unanswered-call', 'orphan-result']);
  });

  it('tell what was denied or interrupted', async () => {
    const said = (error: string): Json => ({
      status: 'cancelled',
      result: [{ functionResponse: { id: 'c', name: 'x', response: { error } } }],
    });
    const session = await capture(
      header(),
      user('u1', 'A'),
      reply('g1', '', {
        toolCalls: [
          call('c', said('[Operation Cancelled] Reason: User did not allow tool call')),
          call('d', { ...said('[Operation Cancelled] Reason: Operation cancelled by the user.'), result: 'stopped' }),
        ],
      }),
    );
    expect(session.events.filter(({ type }) => type === 'tool.result').map(({ payload }) => payload.closed)).toEqual([
      'denied',
      'interrupted',
    ]);
  });
});

describe('the list', () => {
  const talked = [header(), user('u1', 'A'), reply('g1', 'B'), user('u2', 'C'), reply('g2', 'D')];

  it('ends before the message that was rewound to; the rest stays, inactive', async () => {
    const session = await capture(...talked, { $rewindTo: 'u2' }, user('u3', 'E'));
    expect(view(session)).toEqual(['prompt A', 'reply B', 'prompt E']);
    expect(talk(session.events)).toContain('reply D');
  });

  it('is where a rewind left it when nothing follows', async () => {
    const session = await capture(...talked, { $rewindTo: 'g1' });
    expect(view(session)).toEqual(['prompt A']);
  });

  it('is empty after a rewind to an unknown message', async () => {
    const session = await capture(...talked, { $rewindTo: 'nobody' });
    expect(view(session)).toEqual([]);
    expect(view(await capture(...talked, { $rewindTo: 'nobody' }, user('u9', 'Anew')))).toEqual(['prompt Anew']);
  });

  it('can bring back what was taken away, without writing it again', async () => {
    const session = await capture(...talked, set(...talked.slice(1, 3)), set(...talked.slice(1)));
    expect(view(session)).toEqual(['prompt A', 'reply B', 'prompt C', 'reply D']);
    expect(talk(session.events)).toHaveLength(4);
  });

  it('keeps through a summary what stays, and the summary is no prompt', async () => {
    const session = await capture(
      ...talked,
      set(
        user('s', 'The story so far.'),
        reply('k', [{ text: 'Got it. Thanks for the additional context!' }]),
        user('n2', 'C'),
        reply('h2', [{ text: 'D' }]),
      ),
      user('u3', 'E'),
      { $rewindTo: 'h2' },
      user('u4', 'F'),
    );
    expect(view(session)).toEqual(['summary The story so far.', 'prompt C', 'reply D', 'prompt F']);
  });

  it('is not lost by headers that come again, nor by book-keeping', async () => {
    const session = await capture(
      ...talked,
      header(),
      { $set: { summary: 'A title', directories: ['/x'] } },
      user('u3', 'E'),
    );
    expect(view(session)).toHaveLength(5);
    expect(session.facts.title).toBe('A title');
  });
});

describe('what is unknown or damaged', () => {
  it('is kept and counted', async () => {
    const session = await capture(
      header(),
      user('u1', 'A'),
      { novelty: 1, $set: 3 },
      { type: 'new', value: 2 },
      reply('g1', 'B'),
    );
    expect(session.outcome.unknown).toEqual({ '{novelty, $set}': 1, 'type new': 1 });
    expect(
      session.events.filter(({ payload }) => payload.key === 'unknown').map(({ payload }) => payload.value),
    ).toEqual([
      { novelty: 1, $set: 3 },
      { type: 'new', value: 2 },
    ]);
  });

  it('does not hide that nothing was recognised', async () => {
    expect(warned(await capture(header(), { novelty: 1 }))).toContain('no-turns-recognised');
  });

  it('is named with its line, a torn last line once', async () => {
    const path = place();
    const whole = `${lines(header(), user('u1', 'A'))}{"id":"g1","timest\n${lines(reply('g2', 'B'))}`;
    writeFileSync(path, `${whole}{"id":"u3","ty`);
    const [source] = (await discoverSessions(env)).sources;
    const { outcome, sink, session } = await captureSource(source!, env);
    expect(session!.warnings.map(({ about, line }) => [about, line])).toEqual([
      ['malformed-line', 3],
      ['truncated-line', 5],
    ]);
    expect(outcome.unreadable).toBe(2);
    const again = await captureSource(source!, env, sink, outcome.cursor);
    expect(again.session!.warnings).toHaveLength(2);
    writeFileSync(path, whole + lines(user('u3', 'C')));
    await captureSource(source!, env, sink, again.outcome.cursor);
    expect(view(session!)).toEqual(['prompt A', 'reply B', 'prompt C']);
  });

  it('is a file without conversation: no session, and every record declared', async () => {
    const path = place();
    writeFileSync(path, lines(header(), set(user('x', '<session_context>'))));
    const [source] = (await discoverSessions(env)).sources;
    const { outcome, session } = await captureSource(source!, env);
    expect(session).toBeUndefined();
    expect(outcome).toMatchObject({ records: 2, declared: { 'no-conversation': 2 } });
    appendFileSync(path, lines(user('u1', 'A')));
    const later = await captureSource(source!, env, new MemorySink(), outcome.cursor);
    expect(view(later.session!)).toEqual(['prompt A']);
  });

  it('is a missing header, or a time that is none', async () => {
    const session = await capture(user('u1', 'A', { timestamp: 'yesterday' }));
    expect(warned(session)).toEqual(expect.arrayContaining(['missing-header', 'bad-timestamp']));
    expect(session.ref.native_id).toBe(ID.slice(0, 8));
  });
});

describe('a file that grows or changes', () => {
  it.each(fixtures)('line by line, with the cursor as JSON, gives what one capture gives: %s', async (name) => {
    await loadFixture('gemini', name, env.home);
    for (const source of (await discoverSessions(env)).sources) {
      const { session: whole, sink: wholeSink } = await captureSource(source, env);
      const text = readFileSync(source.path, 'utf8');
      const pieces = source.path.endsWith('.json') ? [text] : text.split(/(?<=\n)/);
      const sink = new MemorySink();
      let cursor: Cursor | null = null;
      writeFileSync(source.path, '');
      for (const piece of pieces) {
        appendFileSync(source.path, piece);
        const { outcome } = await captureSource(source, env, sink, cursor);
        cursor = JSON.parse(JSON.stringify(outcome.cursor)) as Cursor;
      }
      const [grown] = [...sink.sessions.values()];
      expect(grown === undefined).toBe(whole === undefined);
      if (grown === undefined || whole === undefined) continue;
      const events = ({ events }: { events: SessionEvent[] }): unknown[] =>
        events
          .filter(({ payload }) => payload.key !== 'leaf')
          .map(({ seq: _, parent_seq: __, refs: ___, payload, ...rest }) => [
            rest,
            payload.kept === undefined ? payload : null,
          ]);
      expect(events(grown)).toEqual(events(whole));
      expect(view(grown)).toEqual(view(whole));
      expect(grown.facts).toEqual(whole.facts);
      expect([...sink.artifacts.keys()].sort()).toEqual([...wholeSink.artifacts.keys()].sort());
    }
  });

  it.each(fixtures)('read again from its start, adds nothing: %s', async (name) => {
    await loadFixture('gemini', name, env.home);
    for (const source of (await discoverSessions(env)).sources) {
      const { outcome, sink, session } = await captureSource(source, env);
      const before = session?.events.filter(({ type }) => type !== 'meta').length;
      const text = readFileSync(source.path, 'utf8');
      rmSync(source.path);
      writeFileSync(source.path, text.replace('"startTime"', '"startTime" '));
      const again = await captureSource(source, env, sink, outcome.cursor);
      expect(told(again.outcome)).toBe(again.outcome.records);
      expect(again.session?.events.filter(({ type }) => type !== 'meta').length).toBe(before);
      if (session !== undefined) expect(view(again.session!)).toEqual(view(session));
    }
  });

  it('cut short, loses nothing that was captured, and goes on', async () => {
    const path = place();
    const all = [header(), user('u1', 'A'), reply('g1', 'B'), user('u2', 'C')];
    writeFileSync(path, lines(...all));
    const [source] = (await discoverSessions(env)).sources;
    const { outcome, sink, session } = await captureSource(source!, env);
    writeFileSync(path, lines(...all.slice(0, 3), user('u9', 'other')));
    utimesSync(path, 1, 1);
    const cut = await captureSource(source!, env, sink, outcome.cursor);
    expect(cut.outcome.warnings.map(({ about }) => about)).toEqual([
      expect.stringMatching(/^source-(truncated|replaced)$/),
    ]);
    expect(view(session!)).toEqual(['prompt A', 'reply B', 'prompt other']);
    expect(talk(session!.events)).toHaveLength(4);
  });

  it('that is one document, is the same session when a newer client goes on in lines beside it', async () => {
    const path = place(`session-2026-11-29T13-42-${ID.slice(0, 8)}.json`);
    const talked = [user('u1', 'A'), reply('g1', 'B')];
    writeFileSync(path, JSON.stringify({ ...header(), messages: talked }, null, 2));
    const [source] = (await discoverSessions(env)).sources;
    const first = await captureSource(source!, env);
    writeFileSync(`${path}l`, lines(header(), ...talked, user('u2', 'C')));
    const [same] = (await discoverSessions(env)).sources;
    expect(same).toMatchObject({ path, bytes: readFileSync(`${path}l`).length });
    const second = await captureSource(same!, env, first.sink, first.outcome.cursor);
    expect(second.outcome.warnings).toEqual([]);
    expect(talk(second.session!.events)).toEqual(['prompt A', 'reply B', 'prompt C']);
  });

  it('that is one document, is read whole each time and gives what is new', async () => {
    const path = place(`session-2026-11-29T13-42-${ID.slice(0, 8)}.json`);
    const document = (...messages: Json[]): string => JSON.stringify({ ...header(), messages }, null, 2);
    const talked = [user('u1', 'A'), reply('g1', 'B', { toolCalls: [call('c1')] })];
    writeFileSync(path, document(...talked));
    const [source] = (await discoverSessions(env)).sources;
    const first = await captureSource(source!, env);
    writeFileSync(path, document(...talked, user('u2', 'C')));
    const second = await captureSource(source!, env, first.sink, first.outcome.cursor);
    expect(second.outcome.warnings).toEqual([]);
    expect(talk(second.session!.events)).toEqual([
      'prompt A',
      'reply B',
      'call run_shell_command {"command":"ls"}',
      'result out c1',
      'prompt C',
    ]);
    writeFileSync(path, document(...talked, user('u2', 'C')).slice(0, -60));
    const third = await captureSource(source!, env, second.sink, second.outcome.cursor);
    expect(third.session!.warnings).toMatchObject([{ about: 'truncated-line' }]);
    expect(view(third.session!).slice(0, 2)).toEqual(['prompt A', 'reply B']);
  });
});

describe('random damage', () => {
  it(
    'of lines: no failure, everything counted, every sound message kept',
    async () => {
      const records = [
        header(),
        ...Array.from({ length: 12 }, (_, n) =>
          n % 2 === 0 ? user(`u${n}`, `text ${n}`) : reply(`g${n}`, `text ${n}`),
        ),
      ];
      const path = place();
      const hit = fc.record({
        line: fc.nat(records.length - 1),
        at: fc.nat(),
        kind: fc.constantFrom('cut', 'zero', 'byte', 'glue', 'drop'),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(hit, { minLength: 1, maxLength: 6 }), async (hits) => {
          const byLine = new Map(hits.map((one) => [one.line, one]));
          const bytes = records.map((record, n) => {
            const what = byLine.get(n);
            const text = Buffer.from(`${JSON.stringify(record)}\n`);
            if (what === undefined) return text;
            const at = what.at % (text.length - 1);
            if (what.kind === 'drop') return Buffer.alloc(0);
            if (what.kind === 'glue') return text.subarray(0, -1);
            if (what.kind === 'cut') return Buffer.concat([text.subarray(0, at), Buffer.from('\n')]);
            if (what.kind === 'zero') text.fill(0, at, Math.min(at + 5, text.length - 1));
            else text[at] = 0xff;
            return text;
          });
          writeFileSync(path, Buffer.concat(bytes));
          const [source] = (await discoverSessions(env)).sources;
          const { outcome, session } = await captureSource(source!, env);
          expect(told(outcome)).toBe(outcome.records);
          const said = session === undefined ? [] : talk(session.events).join('\n');
          for (const [n, record] of records.entries())
            if (n > 0 && !byLine.has(n) && byLine.get(n - 1)?.kind !== 'glue')
              expect(said).toContain((record.content as string).at(-1) === undefined ? '' : `text ${n - 1}`);
        }),
        propertyRuns(150, 101),
      );
    },
    PROPERTY_MS,
  );

  it(
    'of a document: no failure, every message whose bytes are sound kept',
    async () => {
      const path = place(`session-2026-11-29T13-42-${ID.slice(0, 8)}.json`);
      const messages = Array.from({ length: 8 }, (_, n) => user(`u${n}`, `text-${n};`));
      const text = JSON.stringify({ ...header(), messages }, null, 2);
      const spans = messages.map((_, n) => text.indexOf(`"id": "u${n}"`));
      await fc.assert(
        fc.asyncProperty(
          fc.nat(text.length - 1),
          fc.constantFrom('"', '{', '}', '\\', '\0', ''),
          fc.boolean(),
          async (at, put, cut) => {
            writeFileSync(path, cut ? text.slice(0, at) : text.slice(0, at) + put + text.slice(at + 1));
            const [source] = (await discoverSessions(env)).sources;
            const { outcome, session } = await captureSource(source!, env);
            expect(told(outcome)).toBe(outcome.records);
            const said = session === undefined ? '' : talk(session.events).join('\n');
            if (at < spans[0]! - 60) return;
            for (const [n] of messages.entries()) {
              const end = n + 1 < spans.length ? spans[n + 1]! - 14 : text.length - 6;
              if (end < at || (!cut && spans[n]! - 13 > at)) expect(said).toContain(`text-${n};`);
            }
          },
        ),
        propertyRuns(150, 102),
      );
    },
    PROPERTY_MS,
  );

  it(
    'of shapes: records of any form are kept or told',
    async () => {
      const anything = fc.jsonValue({ maxDepth: 2 });
      const part = fc.oneof(
        anything,
        fc.record({ text: anything }),
        fc.record({ functionCall: fc.record({ id: anything, name: anything, args: anything }) }),
        fc.record({ functionResponse: fc.record({ id: anything, response: anything }) }),
        fc.record({ inlineData: fc.record({ mimeType: anything, data: anything }) }),
      );
      const message = fc.record(
        {
          id: fc.constantFrom('a', 'b', 'c'),
          type: fc.constantFrom('user', 'gemini', 'info', 'other'),
          timestamp: anything,
          content: fc.oneof(anything, fc.array(part, { maxLength: 3 })),
          thoughts: fc.oneof(
            anything,
            fc.array(fc.record({ subject: anything, description: anything }), { maxLength: 2 }),
          ),
          tokens: anything,
          toolCalls: fc.oneof(
            anything,
            fc.array(fc.record({ id: anything, name: anything, args: anything, result: anything, status: anything }), {
              maxLength: 2,
            }),
          ),
        },
        { requiredKeys: ['id', 'type'] },
      );
      const record = fc.oneof(
        message,
        fc.record({
          $set: fc.oneof(
            anything,
            fc.record({ messages: fc.array(fc.oneof(message, anything), { maxLength: 4 }), summary: anything }),
          ),
        }),
        fc.record({ $rewindTo: fc.constantFrom('a', 'b', 'z') }),
        fc.record({
          sessionId: fc.constant(ID),
          projectHash: fc.constant('h'),
          messages: fc.oneof(anything, fc.array(message, { maxLength: 3 })),
        }),
        fc.dictionary(fc.string(), anything),
      );
      const path = place();
      await fc.assert(
        fc.asyncProperty(fc.array(record, { maxLength: 10 }), async (records) => {
          writeFileSync(path, lines(...(records as Json[])));
          const [source] = (await discoverSessions(env)).sources;
          const { outcome, session, sink } = await captureSource(source!, env);
          expect(told(outcome)).toBe(outcome.records);
          if (session === undefined) return;
          const native = records.map((one) => canonicalJson(JSON.parse(JSON.stringify(one)) as Json));
          for await (const { line, record: rebuilt } of rebuildRecords(session.events, sink.read))
            expect(canonicalJson(rebuilt)).toBe(native[line]);
        }),
        propertyRuns(150, 103),
      );
    },
    PROPERTY_MS,
  );
});

describe('finding sessions', () => {
  it('follows GEMINI_CLI_HOME, and takes the newer of two files of one session', async () => {
    const name = `session-2026-11-29T13-42-${ID.slice(0, 8)}`;
    for (const [file, project] of [
      [`${name}.json`, 'loom'],
      [`${name}.jsonl`, 'loom'],
      [`${name}.json`, 'a'.repeat(64)],
    ] as const)
      writeFileSync(place(file, project), lines(header(), user('u1', 'A')));
    const paths = (await discoverSessions(env)).sources.map(({ path }) => path);
    expect(paths).toEqual([place(`${name}.json`)]);
    expect(await recogniseSession(place(`${name}.jsonl`))).toMatchObject({ value: { path: place(`${name}.json`) } });
    const elsewhere = { home: '/nowhere', env: { GEMINI_CLI_HOME: env.home } };
    expect((await discoverSessions(elsewhere)).sources).toHaveLength(1);
    expect(await discoverSessions({ home: '/nowhere', env: {} })).toMatchObject({
      sources: [],
      warnings: [],
      roots: [{ exists: false }],
    });
  });

  it('recognises a session by its header, wherever it lies, and nothing else', async () => {
    const path = join(env.home, 'copy.jsonl');
    writeFileSync(path, lines(header(), user('u1', 'A')));
    expect(unwrap(await recogniseSession(path))).toMatchObject({ agent: 'gemini', path });
    writeFileSync(path, JSON.stringify({ ...header(), messages: [] }, null, 2));
    expect(await recogniseSession(path.replace('l', 'l'))).toMatchObject({ ok: false });
    const document = join(env.home, 'copy.json');
    writeFileSync(document, JSON.stringify({ ...header(), messages: [] }, null, 2));
    expect(await recogniseSession(document)).toMatchObject({ ok: true });
    writeFileSync(path, '{"type":"user","sessionId":"x","uuid":"y"}\n');
    expect(await recogniseSession(path)).toMatchObject({ ok: false, error: { code: 'not_a_session' } });
    expect(await recogniseSession('/nowhere/x.jsonl')).toMatchObject({
      ok: false,
      error: { code: 'source_unreadable' },
    });
  });
});
