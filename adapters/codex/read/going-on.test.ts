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
import { captureThread } from './capture.ts';
import { discoverRollouts, recogniseRollout } from './discover.ts';

let home: ReturnType<typeof tempHome>;
beforeEach(() => {
  home = tempHome();
});
afterEach(() => home.dispose());

const pathOf = (id?: string, folder?: string): string => pathIn(home, id, folder);
const capture = (...lines: string[]): Promise<Captured> => captureLines(home, ...lines);
const CHILD = '01a22792-4327-79c3-9a89-db2a49f6acd5';

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
    // each of its files stands for the thread: what Codex goes on with stands in the newest one
    for (const named of [path, pathOf()])
      expect(unwrap(await recogniseRollout(named, home.env))).toEqual(JSON.parse(JSON.stringify(sources[0])));
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
