import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../../src/shared/errors.ts';
import type { Cursor } from '../../contract.ts';
import { MemorySink } from '../../testing/memory-sink.ts';
import { modelView } from '../../testing/model-view.ts';
import { THREAD, tempHome } from '../testing/home.ts';
import { type Captured, captureHome, captureSource, texts, told } from '../testing/native.ts';
import { captureThread } from './capture.ts';
import { discoverRollouts, recogniseRollout } from './discover.ts';

type Json = Record<string, unknown>;

let home: ReturnType<typeof tempHome>;
beforeEach(() => {
  home = tempHome();
});
afterEach(() => home.dispose());

const CHILD = '01a22792-4327-79c3-9a89-db2a49f6acd5';

function pathOf(id = THREAD, folder = 'sessions/2026/11/29'): string {
  const path = join(home.codex, folder, `rollout-2026-11-29T13-49-51-${id}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  return path;
}

let clock = 0;
const line = (type: string, payload: Json, more: Json = {}): string =>
  `${JSON.stringify({ timestamp: new Date(1_795_960_000_000 + 1000 * clock++).toISOString(), type, payload, ...more })}\n`;
const meta = (more: Json = {}, id = THREAD): string =>
  line('session_meta', {
    id,
    timestamp: '2026-11-29T13:49:51.000Z',
    cwd: '/home/dev/project',
    originator: 'codex_cli_rs',
    cli_version: '0.139.0',
    source: 'cli',
    ...more,
  });
const user = (text: string, more: Json = {}): string =>
  line('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text }], ...more });
const reply = (text: string, more: Json = {}): string =>
  line('response_item', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }, more);
const event = (type: string, more: Json = {}): string => line('event_msg', { type, ...more });
const said = (message: string): string => event('user_message', { message });
const answered = (message: string): string => event('agent_message', { message });
const shown = (item: Json): string => event('item_completed', { item });
const call = (call_id: string, name = 'shell', args = '{"command":["bash","-lc","ls"]}'): string =>
  line('response_item', { type: 'function_call', name, arguments: args, call_id });
const output = (call_id: string, text = 'a'): string =>
  line('response_item', { type: 'function_call_output', call_id, output: text });

async function capture(...lines: string[]): Promise<Captured> {
  writeFileSync(pathOf(), lines.join(''));
  const [thread] = await captureHome(home.env);
  expect(told(thread!.outcome)).toBe(thread!.outcome.records);
  return thread!;
}

const warned = (captured: Captured): string[] => captured.warnings.map(({ about }) => about);
const talk = (captured: Captured): string[] =>
  captured.events.flatMap(({ type, payload }) => {
    if (type === 'tool.call') return [`call ${String(payload.call_id)}`];
    if (type === 'tool.result') return [`result ${String(payload.call_id)}`];
    const kind = {
      'message.user': 'prompt',
      'message.assistant': 'reply',
      'message.thinking': 'thinking',
      'message.system': 'note',
    }[type as string];
    return kind === undefined
      ? []
      : [`${kind} ${String(payload.text ?? (payload.content as { text: string }[])[0]?.text)}`];
  });

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

describe('usage', () => {
  const tokens = (n: number, total: number): Json => ({
    info: {
      total_token_usage: { total_tokens: total },
      last_token_usage: {
        input_tokens: n,
        cached_input_tokens: 2,
        cache_write_input_tokens: 1,
        output_tokens: 5,
        reasoning_output_tokens: 3,
        total_tokens: n + 5,
      },
    },
  });
  const usages = (captured: Captured): Json[] =>
    captured.events.flatMap(({ payload }) => (payload.key === 'usage' ? [payload.value as Json] : []));

  it('counts each step of token_count once, in disjoint parts', async () => {
    const captured = await capture(
      meta(),
      user('Q'),
      event('token_count', { info: null }),
      event('token_count', tokens(10, 15)),
      event('token_count', tokens(10, 15)),
      reply('A'),
      event('token_count', tokens(20, 40)),
    );
    expect(usages(captured)).toMatchObject([
      { input: 7, cache_read: 2, cache_write: 1, output: 5, reasoning: 3 },
      { input: 17, cache_read: 2, cache_write: 1, output: 5, reasoning: 3 },
    ]);
  });

  it('takes the records of newer versions and not their token_count as well', async () => {
    const record = line('token_usage_record', {
      response_id: 'resp_1',
      usage: { input_tokens: 10, cached_input_tokens: 4, output_tokens: 5, total_tokens: 15 },
    });
    const captured = await capture(meta(), user('Q'), reply('A'), record, event('token_count', tokens(10, 15)));
    expect(usages(captured)).toEqual([
      { response: 'resp_1', input: 6, output: 5, cache_read: 4, cache_write: 0, reasoning: 0 },
    ]);
  });
});

describe('titles', () => {
  it('come from the index, the last line of an id wins, or from the thread itself', async () => {
    mkdirSync(home.codex, { recursive: true });
    writeFileSync(
      join(home.codex, 'session_index.jsonl'),
      `{"id":"${THREAD}","thread_name":"Old"}\nbroken\n{"id":"${THREAD}","thread_name":"New"}\n`,
    );
    expect(
      (await capture(meta(), user('Q'), event('thread_name_updated', { thread_name: 'Told by the thread' }))).facts,
    ).toMatchObject({ title: 'New', title_from: 'agent' });
  });
});

describe('going on', () => {
  const parts = [
    meta(),
    event('task_started', { turn_id: 't1' }),
    user('Q'),
    said('Q'),
    answered('A'),
    reply('A'),
    call('a'),
    shown({
      type: 'CommandExecution',
      id: 'a',
      command: ['bash', '-lc', 'ls'],
      exit_code: 3,
      status: 'failed',
      aggregated_output: 'x',
      duration: { secs: 1, nanos: 0 },
    }),
    output('a', 'plain'),
    event('agent_reasoning', { text: 'thought' }),
    line('response_item', { type: 'reasoning', summary: [{ type: 'summary_text', text: 'thought' }] }),
    answered('B'),
    reply('B'),
    event('task_complete', { turn_id: 't1' }),
    event('token_count', {
      info: { total_token_usage: { total_tokens: 9 }, last_token_usage: { input_tokens: 9, total_tokens: 9 } },
    }),
    event('thread_rolled_back', { num_turns: 1 }),
    user('Q2'),
    said('Q2'),
    reply('C'),
  ];

  it('gives the same conversation, whichever way the file grew, and after a restart', async () => {
    const whole = await capture(...parts);
    for (let at = 1; at < parts.length; at++) {
      const sink = new MemorySink();
      let cursor: Cursor | null = null;
      for (const text of [parts.slice(0, at).join(''), parts.join('')]) {
        writeFileSync(pathOf(), text);
        const source = unwrap(await recogniseRollout(pathOf(), home.env));
        const step = await captureSource(source, home.env, sink, cursor);
        expect(told(step.outcome)).toBe(step.outcome.records);
        cursor = JSON.parse(JSON.stringify(step.outcome.cursor)) as Cursor;
      }
      const grown = { ...whole, events: [...sink.sessions.values()][0]!.events };
      expect(talk(grown)).toEqual(talk(whole));
      expect(texts(modelView(grown.events), 'message.assistant')).toEqual(
        texts(modelView(whole.events), 'message.assistant'),
      );
      expect(grown.events.find(({ type }) => type === 'tool.result')?.payload.exit_code).toBe(3);
    }
  });

  it('reads only what was added, and nothing twice', async () => {
    const first = await capture(...parts.slice(0, 10));
    appendFileSync(pathOf(), parts.slice(10).join(''));
    const second = await captureSource(first.source, home.env, first.sink, first.outcome.cursor);
    expect(second.outcome.records).toBe(parts.length - 10);
    const third = await captureSource(first.source, home.env, first.sink, second.outcome.cursor);
    expect(third.outcome.records).toBe(0);
  });

  it('lets a torn last line wait, and says it once', async () => {
    const whole = reply('A');
    writeFileSync(pathOf(), meta() + user('Q') + whole.slice(0, 40));
    const [first] = await captureHome(home.env);
    expect(first!.outcome).toMatchObject({ records: 3, unreadable: 1 });
    const second = await captureSource(first!.source, home.env, first!.sink, first!.outcome.cursor);
    expect(warned(second)).toEqual(['truncated-line']);
    appendFileSync(pathOf(), whole.slice(40));
    const third = await captureSource(first!.source, home.env, first!.sink, second.outcome.cursor);
    expect(warned(third)).toEqual(['truncated-line']);
    expect(talk(third)).toEqual(['prompt Q', 'reply A']);
  });

  it('keeps what it has when the file was rewritten, and says so', async () => {
    const first = await capture(...parts);
    writeFileSync(pathOf(), meta() + user('Other'));
    const second = await captureSource(first.source, home.env, first.sink, first.outcome.cursor);
    expect(second.outcome.warnings).toMatchObject([{ about: 'source-truncated' }]);
    appendFileSync(pathOf(), user('Added'));
    const third = await captureSource(first.source, home.env, first.sink, second.outcome.cursor);
    expect(texts(third.events, 'message.user')).toEqual(['Q', 'Q2', 'Added']);
  });

  it('finds a file that a rewind added', async () => {
    const rewound = '01a22792-b6fb-7941-80d7-c9f2bef3dce7';
    const numbered = (text: string, from = 0): string =>
      text
        .trim()
        .split('\n')
        .map((one, i) => `${JSON.stringify({ ...(JSON.parse(one) as Json), ordinal: from + i })}\n`)
        .join('');
    writeFileSync(
      pathOf(),
      numbered(meta({ history_mode: 'paginated' }) + user('One') + reply('1') + user('Two') + reply('2')),
    );
    const [first] = await captureHome(home.env);
    const path = pathOf().replace(`${THREAD}.jsonl`, `${THREAD}_${rewound}.jsonl`).replace('13-49-51', '14-00-00');
    writeFileSync(
      path,
      numbered(
        meta({ history_mode: 'paginated', history_base: { thread_id: THREAD, end_ordinal_exclusive: 3 } }) +
          user('Three') +
          reply('3'),
        3,
      ),
    );
    const { sources } = await discoverRollouts(home.env);
    expect(sources).toMatchObject([{ path: pathOf(), bytes: statSync(pathOf()).size + statSync(path).size }]);
    const second = await captureSource(
      sources[0]!,
      home.env,
      first!.sink,
      JSON.parse(JSON.stringify(first!.outcome.cursor)) as Cursor,
    );
    expect(texts(modelView(second.events), 'message.user')).toEqual(['One', 'Three']);
    expect(unwrap(await recogniseRollout(path, home.env)).path).toBe(pathOf());
  });
});

describe('finding threads', () => {
  it('finds archived and compressed ones, the plain file before its twin, and looks into none', async () => {
    const [plain, archived, packed] = [THREAD, CHILD, '01a22793-1bb6-7000-8000-000000000000'];
    writeFileSync(pathOf(plain), 'not even JSON');
    writeFileSync(`${pathOf(plain)}.zst`, 'twin');
    writeFileSync(pathOf(archived, 'archived_sessions'), '');
    writeFileSync(`${pathOf(packed)}.zst`, '');
    writeFileSync(join(dirname(pathOf()), 'notes.jsonl'), '');
    const { sources, roots } = await discoverRollouts(home.env);
    const folders = ['sessions', 'archived_sessions'];
    expect(roots).toEqual([{ agent: 'codex', path: home.codex, exists: true, folders }]);
    expect(
      sources.map(({ native_id, path, archived: old }) => [native_id, path.endsWith('.zst'), old === true]).sort(),
    ).toEqual([
      [plain, false, false],
      [archived, false, true],
      [packed, true, false],
    ]);
  });

  it('refuses what is no rollout', async () => {
    writeFileSync(join(home.env.home, 'server.log'), 'x');
    expect(await recogniseRollout(join(home.env.home, 'server.log'), home.env)).toMatchObject({
      ok: false,
      error: { code: 'not_a_session' },
    });
    expect(await recogniseRollout(pathOf(), home.env)).toMatchObject({
      ok: false,
      error: { code: 'source_unreadable' },
    });
  });

  it('lists a compressed file that cannot be unpacked, with the reason', async () => {
    writeFileSync(`${pathOf()}.zst`, 'this is no zstd');
    const [captured] = await captureHome(home.env);
    expect(captured!.warnings).toMatchObject([{ about: 'unreadable-file', file: `${pathOf()}.zst` }]);
    expect(captured!.outcome).toMatchObject({ records: 1, unreadable: 1 });
  });

  it('reads a compressed file', async () => {
    writeFileSync(`${pathOf()}.zst`, zstdCompressSync(Buffer.from(meta() + user('Q') + reply('A'))));
    const [captured] = await captureHome(home.env);
    expect(talk(captured!)).toEqual(['prompt Q', 'reply A']);
  });

  it('fails with a message when the file is gone', async () => {
    const source = { agent: 'codex', path: pathOf(), native_id: THREAD, bytes: 0, mtime_ms: 0 } as const;
    expect(
      await captureThread(source, null, new MemorySink(), { env: home.env, redactionKey: new Uint8Array(32) }),
    ).toMatchObject({ ok: false, error: { code: 'source_unreadable' } });
  });

  it('leaves everything as it was', async () => {
    writeFileSync(pathOf(), meta() + user('Q'));
    const before = [readFileSync(pathOf(), 'utf8'), readdirSync(home.codex, { recursive: true })];
    await captureHome(home.env);
    expect([readFileSync(pathOf(), 'utf8'), readdirSync(home.codex, { recursive: true })]).toEqual(before);
  });
});

describe('secrets', () => {
  it('are gone from every message, argument, output and title', async () => {
    const secret = ['ghp', 'a8Kd03jfLq92mNbVcXz7TyUiOp5RwE1sQWEr'].join('_');
    mkdirSync(home.codex, { recursive: true });
    writeFileSync(join(home.codex, 'session_index.jsonl'), `{"id":"${THREAD}","thread_name":"About ${secret}"}\n`);
    const captured = await capture(
      meta(),
      user(`use ${secret}`),
      said(`use ${secret}`),
      call('a', 'shell', JSON.stringify({ command: `echo ${secret}` })),
      output('a', secret.repeat(3)),
      event('surprise', { text: secret }),
    );
    const everything = JSON.stringify([
      captured.events,
      captured.facts,
      captured.outcome,
      [...captured.sink.artifacts.values()].map(({ bytes }) => Buffer.from(bytes).toString()),
    ]);
    expect(everything).not.toContain(secret.slice(4));
    expect(captured.outcome.redactions['github-token']).toBeGreaterThan(3);
    expect(captured.redactions).toBeGreaterThan(0);
  });
});
