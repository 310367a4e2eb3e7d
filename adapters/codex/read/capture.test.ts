import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { modelView } from '../../testing/model-view.ts';
import { THREAD, tempHome } from '../testing/home.ts';
import { type Captured, captureHome, texts, told } from '../testing/native.ts';
import {
  answered,
  call,
  captureLines,
  event,
  type Json,
  line,
  meta,
  output,
  pathIn,
  reply,
  said,
  shown,
  talk,
  user,
  warned,
} from '../testing/rollout-lines.ts';

let home: ReturnType<typeof tempHome>;
beforeEach(() => {
  home = tempHome();
});
afterEach(() => home.dispose());

const pathOf = (id?: string, folder?: string): string => pathIn(home, id, folder);
const capture = (...lines: string[]): Promise<Captured> => captureLines(home, ...lines);
const CHILD = '01a22792-4327-79c3-9a89-db2a49f6acd5';

describe('messages that stand in two streams', () => {
  it('are one each, whether the event comes before or after', async () => {
    const captured = await capture(
      meta(),
      user('Q'),
      said('Q'),
      answered('A'),
      reply('A'),
      said('Q2'),
      user('Q2'),
      reply('A2'),
      answered('A2'),
    );
    expect(talk(captured)).toEqual(['prompt Q', 'reply A', 'prompt Q2', 'reply A2']);
  });

  it('are found when only one stream has them', async () => {
    const captured = await capture(meta(), user('Q'), reply('A'), said('only an event'), answered('only an event too'));
    expect(talk(captured)).toEqual(['prompt Q', 'reply A', 'prompt only an event', 'reply only an event too']);
  });

  it('are found when a version writes items alone, with either spelling of text', async () => {
    const captured = await capture(
      meta({ history_mode: 'paginated' }),
      shown({ type: 'UserMessage', id: 'i1', content: [{ type: 'text', text: 'Q' }] }),
      shown({ type: 'AgentMessage', id: 'i2', content: [{ type: 'Text', text: 'Looking.' }] }),
      call('c'),
      output('c'),
      shown({ type: 'AgentMessage', id: 'i3', content: [{ type: 'text', text: 'Done.' }] }),
    );
    expect(talk(captured)).toEqual(['prompt Q', 'reply Looking.', 'call c', 'result c', 'reply Done.']);
  });

  it('stay two when the same answer was really given twice', async () => {
    const captured = await capture(
      meta(),
      user('Q'),
      answered('No.'),
      reply('No.'),
      call('c'),
      output('c'),
      answered('No.'),
      reply('No.'),
    );
    expect(talk(captured)).toEqual(['prompt Q', 'reply No.', 'call c', 'result c', 'reply No.']);
  });

  it('give reasoning once, by summary or by its events alone', async () => {
    const reasoning = line('response_item', {
      type: 'reasoning',
      summary: [
        { type: 'summary_text', text: 'one' },
        { type: 'summary_text', text: 'two' },
      ],
      encrypted_content: 'gAAA',
    });
    const captured = await capture(
      meta(),
      user('Q'),
      event('agent_reasoning', { text: 'one' }),
      event('agent_reasoning', { text: 'two' }),
      reasoning,
      reply('A'),
      user('Q2'),
      event('agent_reasoning', { text: 'alone' }),
      answered('A2'),
      reply('A2'),
      call('c'),
    );
    expect(talk(captured)).toEqual([
      'prompt Q',
      'thinking one\n\ntwo',
      'reply A',
      'prompt Q2',
      'reply A2',
      'thinking alone',
      'call c',
    ]);
  });
});

describe('who speaks', () => {
  it('takes instructions and environment for context, never for a prompt', async () => {
    const captured = await capture(
      meta(),
      line('response_item', {
        type: 'message',
        role: 'developer',
        content: [{ type: 'input_text', text: '<permissions instructions>' }],
      }),
      user('# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>metric</INSTRUCTIONS>'),
      user('<environment_context>\n  <cwd>/x</cwd>\n</environment_context>'),
      user('Real.'),
      reply('A'),
    );
    expect(texts(captured.events, 'message.user')).toEqual(['Real.']);
    expect(texts(modelView(captured.events), 'message.system')).toEqual([]);
  });

  it('believes a person who pasted such a tag', async () => {
    const captured = await capture(
      meta(),
      user('<environment_context> is shown twice, why?'),
      said('<environment_context> is shown twice, why?'),
      reply('A'),
    );
    expect(texts(captured.events, 'message.user')).toEqual(['<environment_context> is shown twice, why?']);
  });

  it('goes by the kinds that newer versions note', async () => {
    const kinds = (...content_item_kinds: string[]): Json => ({
      internal_chat_message_metadata_passthrough: { content_item_kinds },
    });
    const captured = await capture(
      meta(),
      user('plain words', kinds('agents_md.instructions')),
      user('<turn_aborted>', kinds('user.text')),
      user('a command ran', kinds('shell.user_command')),
      reply('A'),
    );
    expect(texts(captured.events, 'message.user')).toEqual(['<turn_aborted>']);
    expect(
      captured.events
        .filter(({ type }) => type === 'message.system')
        .map(({ payload }) => [payload.about, payload.to_model]),
    ).toEqual([
      ['instructions', undefined],
      ['command_output', true],
    ]);
  });

  it('separates what an editor puts in front of a prompt', async () => {
    const text = '# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nWhy?';
    const captured = await capture(meta(), user(text), said(text), reply('A'));
    expect(texts(captured.events, 'message.user')).toEqual(['Why?']);
    expect(texts(captured.events, 'message.system')[0]).toContain('Active file: a.py');
  });
});

describe('calls', () => {
  it('that a stopped turn leaves open are counted and kept', async () => {
    const captured = await capture(
      meta(),
      user('Q'),
      call('a'),
      call('b'),
      event('turn_aborted', { reason: 'interrupted' }),
      user('Again'),
      reply('A'),
    );
    expect(captured.warnings).toMatchObject([{ about: 'unanswered-call', count: 2, line: 5 }]);
    expect(talk(captured)).toEqual([
      'prompt Q',
      'call a',
      'call b',
      'note The turn was aborted (interrupted).',
      'prompt Again',
      'reply A',
    ]);
  });

  it('that still run are no defect', async () => {
    expect(warned(await capture(meta(), event('task_started', { turn_id: 't' }), user('Q'), call('a')))).toEqual([]);
  });

  it('tell of an output that belongs to none', async () => {
    expect(warned(await capture(meta(), user('Q'), output('lost'), reply('A')))).toEqual(['orphan-result']);
  });

  it('keep arguments that are no object as they are', async () => {
    const captured = await capture(
      meta(),
      user('Q'),
      call('a', 'x', 'not json'),
      output('a', '{"output":"no","metadata":{"exit_code":7,"duration_seconds":1.5}}'),
    );
    expect(captured.events.find(({ type }) => type === 'tool.call')?.payload).toMatchObject({ arguments: 'not json' });
    expect(captured.events.find(({ type }) => type === 'tool.result')?.payload).toMatchObject({
      exit_code: 7,
      duration_ms: 1500,
      is_error: true,
    });
  });

  it('mark the lines of files that they add or delete', async () => {
    const changes = { '/new': { type: 'add', content: 'a\nb\n' }, '/old': { type: 'delete', content: 'c\n' } };
    const captured = await capture(
      meta(),
      user('Q'),
      call('a', 'apply_patch', '{}'),
      output('a'),
      shown({ type: 'FileChange', id: 'a', changes, status: 'completed' }),
    );
    const edits = captured.events.filter(({ type }) => type === 'file.edit').map(({ payload }) => payload);
    expect(edits).toEqual([
      { path: '/new', op: 'create', diff: '@@ -0,0 +1,2 @@\n+a\n+b\n' },
      { path: '/old', op: 'delete', diff: '@@ -1,1 +0,0 @@\n-c\n' },
    ]);
  });

  it('cut a long output and keep the whole of it', async () => {
    const whole = 'é'.repeat(20_000);
    const captured = await capture(meta(), user('Q'), call('a'), output('a', whole), reply('A'));
    const { content, truncated } = captured.events.find(({ type }) => type === 'tool.result')!.payload as {
      content: { text: string }[];
      truncated: { bytes: number; artifact: string };
    };
    expect(truncated.bytes).toBe(40_000);
    expect(content[0]!.text).toMatch(/^é{2048}\n\[… 31808 of 40000 bytes left out here …\]\né{2048}$/);
    expect(Buffer.from(captured.sink.artifacts.get(truncated.artifact)!.bytes).toString()).toBe(whole);
  });
});

describe('what is odd or broken', () => {
  it('keeps records it does not know, and says so when nothing else is there', async () => {
    const captured = await capture(meta(), event('quantum_delta', { blob: 'q0' }), line('novelty', { a: 1 }));
    expect(captured.outcome.unknown).toEqual({ 'event_msg/quantum_delta': 1, novelty: 1 });
    expect(captured.events.filter(({ payload }) => payload.key === 'unknown')).toHaveLength(2);
    expect(warned(captured)).toEqual(['no-turns-recognised']);
  });

  it('loses only the damaged line', async () => {
    const bad = Buffer.concat([
      Buffer.from(
        '{"timestamp":"2026-11-29T13:50:00.000Z","type":"event_msg","payload":{"type":"agent_message","message":"',
      ),
      Buffer.from([0xe6, 0xbd]),
      Buffer.from('\n'),
    ]);
    writeFileSync(pathOf(), Buffer.concat([Buffer.from(meta() + user('Q')), bad, Buffer.from(reply('A'))]));
    const [captured] = await captureHome(home.env);
    expect(captured!.warnings).toMatchObject([{ about: 'invalid-utf8', line: 3 }]);
    expect(talk(captured!)).toEqual(['prompt Q', 'reply A']);
    expect(captured!.outcome).toMatchObject({ unreadable: 1 });
    expect(told(captured!.outcome)).toBe(captured!.outcome.records);
  });

  it('reads a file without header', async () => {
    const captured = await capture(user('Q'), reply('A'));
    expect(warned(captured)).toEqual(['missing-header']);
    expect(captured.ref.native_id).toBe(THREAD);
    expect(talk(captured)).toEqual(['prompt Q', 'reply A']);
  });

  it('goes by the first header, whatever is copied behind it', async () => {
    const source = { subagent: { thread_spawn: { parent_thread_id: THREAD, depth: 1 } } };
    writeFileSync(
      pathOf(CHILD),
      meta({ source, cwd: '/home/dev/project/part' }, CHILD) + meta() + user('Q') + reply('A'),
    );
    const [captured] = await captureHome(home.env);
    expect(captured!.ref).toEqual({ native_id: CHILD, parent: { kind: 'subagent', native_id: THREAD } });
    expect(captured!.facts.cwd).toBe('/home/dev/project/part');
  });

  it('shows a record whose time cannot be read, without a time', async () => {
    const captured = await capture(
      meta(),
      `${JSON.stringify({ timestamp: 'yesterday', type: 'response_item', payload: { type: 'message', role: 'user', content: 'Q' } })}\n`,
    );
    expect(captured.events.find(({ type }) => type === 'message.user')).toMatchObject({
      ts: null,
      origin: { native_ts: 'yesterday' },
    });
    expect(warned(captured)).toEqual(['bad-timestamp']);
  });

  it('survives payloads of the wrong shape', async () => {
    const odd: Json[] = [
      { type: 'message' },
      { type: 'message', role: 'user', content: 7 },
      { type: 'function_call' },
      { type: 'function_call_output', output: { content: [null] } },
      { type: 'reasoning' },
      { type: 'custom_tool_call', input: 3 },
    ];
    const events = [
      'user_message',
      'agent_message',
      'token_count',
      'item_completed',
      'thread_rolled_back',
      'thread_name_updated',
      'task_complete',
    ].map((type) => event(type, { message: 4, item: [], info: 'x', error: 'x', num_turns: 'x' }));
    const captured = await capture(
      meta({ cwd: 5, git: 'x', source: null }),
      ...odd.map((payload) => line('response_item', payload)),
      ...events,
      line('compacted', { replacement_history: [null, 4, {}] }),
      line('turn_context', {}),
      '5\n',
      '[]\n',
      'null\n',
    );
    expect(told(captured.outcome)).toBe(captured.outcome.records);
  });

  it('tells a rollback that goes back too far', async () => {
    const captured = await capture(
      meta(),
      user('Q'),
      reply('A'),
      event('thread_rolled_back', { num_turns: 3 }),
      user('Q2'),
      reply('A2'),
    );
    expect(warned(captured)).toEqual(['dangling-parent']);
    expect(texts(modelView(captured.events), 'message.user')).toEqual(['Q2']);
  });

  it('notes a failed turn as words of the client', async () => {
    const captured = await capture(
      meta(),
      event('task_started'),
      user('Q'),
      event('task_complete', { error: { message: 'stream closed' } }),
    );
    expect(captured.events.findLast(({ type }) => type !== 'meta')).toMatchObject({
      type: 'message.assistant',
      payload: { synthetic: true, stop_reason: 'error', content: [{ text: 'stream closed' }] },
    });
  });
});
