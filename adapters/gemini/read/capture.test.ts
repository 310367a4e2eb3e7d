import { appendFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentEnv, Cursor } from '../../contract.ts';
import { MemorySink } from '../../testing/memory-sink.ts';
import { type Captured, captureSource, talk, told, withHome } from '../testing/home.ts';
import {
  call,
  captureRecords,
  header,
  ID,
  lines,
  placeIn,
  reply,
  set,
  time,
  user,
  view,
  warned,
} from '../testing/records.ts';
import { discoverSessions } from './discover.ts';
import type { Json } from './record.ts';

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

const place = (name?: string, project?: string): string => placeIn(env, name, project);
const capture = (...records: Json[]): Promise<Captured> => captureRecords(env, ...records);

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
