import { describe, expect, it } from 'vitest';
import { classifyLog } from '../../src/core/view/classify-log.ts';
import { FLAG } from '../../src/core/view/flags.ts';
import type { SessionEvent } from '../../src/shared/events.ts';
import type { Captured } from './testing/fixtures.ts';
import { Records, SESSION, uuid } from './testing/records.ts';

const events = ({ main }: Captured, type: string): SessionEvent[] =>
  (main?.events ?? []).filter((event) => event.type === type);
const payloads = (captured: Captured, type: string): Record<string, unknown>[] =>
  events(captured, type).map(({ payload }) => payload);

/** Prompts of a person, as the list counts them. */
function prompts({ main }: Captured): number {
  const { flags, type } = classifyLog(main?.events ?? []);
  return (main?.events ?? []).filter((event, i) => event.type === 'message.user' && type[i] && flags[i]! & FLAG.PROMPT)
    .length;
}

const text = (value: string): unknown[] => [{ kind: 'text', text: value }];

describe('what a user line is', () => {
  it.each([
    ['<command-name>/cost</command-name>\n<command-args></command-args>', 'message.user', { via: 'command' }],
    ['<bash-input>ls</bash-input>', 'message.user', { via: 'command' }],
    [
      '<local-command-stdout>total</local-command-stdout>',
      'message.system',
      { about: 'command_output', to_model: true },
    ],
    ['<task-notification>\n<task-id>a1</task-id>', 'message.system', { about: 'notice', to_model: true }],
    ['[Request interrupted by user]', 'message.system', { about: 'notice', to_model: true }],
    ['<system-reminder>\nx', 'message.system', { about: 'reminder', to_model: true }],
    ['<div>why is this blue?</div>', 'message.user', { via: 'prompt' }],
  ])('%j is no more than it is', async (content, type, payload) => {
    const records = new Records();
    records.user('first');
    records.user(content);
    expect(events(await records.capture(), type).at(-1)?.payload).toMatchObject(payload);
  });

  it('is no prompt when the client says that it wrote it', async () => {
    const records = new Records();
    records.user('first');
    records.user('Resume directly', { isMeta: true });
    records.user('done', { origin: { kind: 'task-notification' }, promptSource: 'system' });
    const captured = await records.capture();
    expect(prompts(captured)).toBe(1);
    expect(events(captured, 'message.system')).toHaveLength(2);
  });

  it('gives the command and the output of a `!` line', async () => {
    const records = new Records();
    records.user('<bash-input>git status</bash-input>');
    records.user('<bash-stdout>clean</bash-stdout><bash-stderr></bash-stderr>');
    expect(events(await records.capture(), 'command.run')).toMatchObject([
      { actor: 'user', refs: ['seq:1'], payload: { cmd: 'git status', stdout_tail: 'clean' } },
    ]);
  });
});

describe('prompts that wait in the queue', () => {
  const queued = (prompt: string): Record<string, unknown> => ({
    type: 'queued_command',
    prompt,
    commandMode: 'prompt',
  });

  it('count once: as an attachment, as a line of their own, or as the open request', async () => {
    const records = new Records();
    records.user('start');
    records.call('msg_1', 'toolu_a', 'Bash', { command: 'make' });
    records.line('queue-operation', { operation: 'enqueue', content: 'also this' });
    records.result('toolu_a', 'made');
    records.line('queue-operation', { operation: 'remove' });
    records.list.push({ type: 'attachment', attachment: queued('also this'), sessionId: SESSION });
    records.say('msg_2', 'both done');
    records.line('queue-operation', { operation: 'enqueue', content: 'and that' });
    records.line('queue-operation', { operation: 'dequeue' });
    records.user('and that');
    records.line('queue-operation', { operation: 'enqueue', content: 'not yet' });
    const captured = await records.capture();
    expect(events(captured, 'message.user').map(({ payload }) => [payload.content, payload.via])).toEqual([
      [text('start'), 'prompt'],
      [text('also this'), 'queued'],
      [text('and that'), 'prompt'],
      [text('not yet'), 'queued'],
    ]);
    // a record without parent stands on the path all the same
    expect(events(captured, 'message.assistant')[0]?.parent_seq).toBe(events(captured, 'message.user')[1]?.seq);
  });

  it('are no prompts when they are notices', async () => {
    const records = new Records();
    records.user('start');
    const attachment = { ...queued('<task-notification>x'), commandMode: 'task-notification' };
    records.chain('attachment', { attachment });
    const captured = await records.capture();
    expect(prompts(captured)).toBe(1);
    expect(payloads(captured, 'message.system')).toMatchObject([{ about: 'notice', to_model: true }]);
  });
});

describe('what a tool did', () => {
  const shell = async (content: string, twin: unknown, error = false): Promise<Captured> => {
    const records = new Records();
    records.call('msg_1', 'toolu_a', 'Bash', { command: 'make test' });
    const block = { type: 'tool_result', tool_use_id: 'toolu_a', content, ...(error ? { is_error: true } : {}) };
    records.user([block], { toolUseResult: twin });
    return records.capture();
  };

  it('is a command with its exit code and the end of its output', async () => {
    const failed = await shell('Exit code 3\n2 failed', 'Error: Exit code 3\n2 failed', true);
    expect(payloads(failed, 'tool.result')).toMatchObject([{ exit_code: 3, is_error: true, closed: 'ran' }]);
    expect(events(failed, 'command.run')).toMatchObject([
      { refs: ['seq:1'], payload: { cmd: 'make test', cwd: '/home/dev/orchard', exit_code: 3 } },
    ]);
    const ran = await shell('ok', { stdout: 'ok', stderr: '', interrupted: false, isImage: false });
    expect(payloads(ran, 'command.run')).toMatchObject([{ exit_code: 0, stdout_tail: 'ok' }]);
  });

  it('is told apart when the user stopped or refused it', async () => {
    const stopped = await shell('', { stdout: '', stderr: '', interrupted: true });
    expect(payloads(stopped, 'tool.result')).toMatchObject([{ closed: 'interrupted' }]);
    const refused = await shell("The user doesn't want to proceed with this tool use.", 'User rejected tool use', true);
    expect(payloads(refused, 'tool.result')).toMatchObject([{ closed: 'denied' }]);
  });

  it('does not store the twin of a result twice', async () => {
    const out = 'line of output '.repeat(10);
    const { main } = await shell(out, { stdout: out, stderr: '', interrupted: false, isImage: false });
    expect(JSON.stringify(main?.events).split(out)).toHaveLength(3);
  });

  it('is a read range, an edit with its diff, a created file', async () => {
    const records = new Records();
    records.call('msg_1', 'toolu_r', 'Read', { file_path: '/a.ts', offset: 3, limit: 2 });
    records.result('toolu_r', '3\tx', { type: 'text', file: { filePath: '/a.ts', startLine: 3, numLines: 2 } });
    records.call('msg_2', 'toolu_e', 'Edit', { file_path: '/a.ts', old_string: 'x', new_string: 'y' });
    const lines = [' a', '-x', '+y'];
    const patch = [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines }];
    records.result('toolu_e', 'updated', { filePath: '/a.ts', structuredPatch: patch });
    records.call('msg_3', 'toolu_w', 'Write', { file_path: '/b.ts', content: 'b\n' });
    records.result('toolu_w', 'created', { type: 'create', filePath: '/b.ts', structuredPatch: [] });
    const captured = await records.capture();
    expect(payloads(captured, 'file.read')).toEqual([{ path: '/a.ts', range: [3, 4] }]);
    expect(payloads(captured, 'file.edit')).toMatchObject([
      { diff: '@@ -1,2 +1,2 @@\n a\n-x\n+y\n', op: 'edit', path: '/a.ts' },
      { diff: '@@ -0,0 +1,1 @@\n+b\n', op: 'create', path: '/b.ts', after_digest: expect.stringMatching(/^sha256:/) },
    ]);
  });

  it('is a list of tasks that changes', async () => {
    const records = new Records();
    records.call('msg_1', 'toolu_1', 'TaskCreate', { subject: 'Pick' });
    records.result('toolu_1', 'created', { task: { id: '1', subject: 'Pick' } });
    records.call('msg_2', 'toolu_2', 'TaskUpdate', { taskId: '1', status: 'completed' });
    records.result('toolu_2', 'updated', { success: true, taskId: '1' });
    const todos = [{ content: 'Press', status: 'in_progress', activeForm: 'Pressing' }];
    records.call('msg_3', 'toolu_3', 'TodoWrite', { todos });
    records.result('toolu_3', 'ok', { oldTodos: [], newTodos: todos });
    const captured = await records.capture();
    expect(payloads(captured, 'todo.add').map(({ id, status }) => [id, status])).toEqual([
      ['1', 'pending'],
      ['Press', 'in_progress'],
    ]);
    expect(payloads(captured, 'todo.update')).toEqual([{ id: '1', order: 0, status: 'done', text: 'Pick' }]);
  });

  it('keeps head and tail of a long output, whole characters, and the rest in an artifact', async () => {
    const long = '日本語 '.repeat(2000);
    const { main, sink } = await shell(long, { stdout: long, stderr: '', interrupted: false, isImage: false });
    const [result] = (main?.events ?? []).filter(({ type }) => type === 'tool.result');
    const { content, truncated } = (result as SessionEvent).payload as unknown as {
      content: { text: string }[];
      truncated: { bytes: number; artifact: string };
    };
    expect(Buffer.byteLength(content[0]?.text ?? '')).toBeLessThan(8400);
    expect(content[0]?.text).not.toContain('\uFFFD');
    expect(truncated.bytes).toBe(Buffer.byteLength(long));
    expect(Buffer.from(await sink.read(truncated.artifact)).toString()).toBe(long);
  });
});

describe('records', () => {
  it('of one id count once, the first copy, and are told as a number', async () => {
    const records = new Records();
    records.user('one');
    records.say('msg_1', 'answer');
    records.list.push(...records.list.slice(0, 2).map((record) => ({ ...record, cwd: '/home/dev/orchard/sub' })));
    const captured = await records.capture();
    expect(captured.outcome.declared).toEqual({ duplicate: 2 });
    expect(captured.main?.warnings).toMatchObject([{ about: 'duplicate-records', count: 2 }]);
    expect(events(captured, 'message.user')).toHaveLength(1);
  });

  it('of another type are not swallowed by an id they share', async () => {
    const records = new Records();
    records.user('one');
    for (const note of ['a', 'b'])
      records.list.push({ type: 'saved_hook_context', uuid: uuid(1), parentUuid: null, content: [note] });
    records.user('two');
    const captured = await records.capture();
    expect(captured.outcome.unknown).toEqual({ saved_hook_context: 2 });
    expect(events(captured, 'message.user')).toHaveLength(2);
    expect(payloads(captured, 'meta').filter(({ key }) => key === 'unknown')).toHaveLength(2);
  });

  it('without a readable time have none', async () => {
    const records = new Records();
    records.user('one', { timestamp: 'yesterday' });
    const captured = await records.capture();
    expect(events(captured, 'message.user')[0]).toMatchObject({ ts: null, origin: { native_ts: 'yesterday' } });
    expect(captured.main?.warnings).toMatchObject([{ about: 'bad-timestamp', line: 1 }]);
  });

  it('without a message id are answers of their own', async () => {
    const records = new Records();
    records.user('one');
    for (const text of ['a', 'b'])
      records.chain('assistant', { message: { role: 'assistant', content: [{ type: 'text', text }] } });
    const responses = payloads(await records.capture(), 'message.assistant').map(({ response }) => response);
    expect(new Set(responses).size).toBe(2);
  });

  it('tell their usage once, and again only when it changed', async () => {
    const records = new Records();
    records.user('one');
    const usage = (output_tokens: number): unknown => ({ input_tokens: 9, output_tokens, cache_read_input_tokens: 5 });
    for (const [n, tokens] of [1, 1, 30].entries()) {
      const content = [{ type: 'text', text: `part ${n}` }];
      records.chain('assistant', { message: { id: 'msg_1', role: 'assistant', content, usage: usage(tokens) } });
    }
    expect(payloads(await records.capture(), 'message.assistant').map(({ usage: told }) => told)).toEqual([
      { cache_read: 5, input: 9, output: 1 },
      undefined,
      { cache_read: 5, input: 9, output: 30 },
    ]);
  });

  it('of errors and images are what they are', async () => {
    const records = new Records();
    const data = Buffer.from('\x89PNG\r\n\x1a\nabcdefgh').toString('base64');
    const source = { type: 'base64', media_type: 'image/png', data };
    records.user([
      { type: 'image', source },
      { type: 'text', text: 'what is this?' },
    ]);
    records.chain('assistant', {
      isApiErrorMessage: true,
      error: 'rate_limit',
      message: { id: 'e1', model: '<synthetic>', role: 'assistant', content: [{ type: 'text', text: 'API Error' }] },
    });
    const captured = await records.capture();
    expect(payloads(captured, 'message.user')).toMatchObject([
      { content: [{ kind: 'image', media_type: 'image/png', bytes: 17 }, { kind: 'text' }] },
    ]);
    expect(JSON.stringify(captured.main?.events)).not.toContain(data);
    expect(payloads(captured, 'message.assistant')).toMatchObject([{ synthetic: true, error: 'rate_limit' }]);
  });
});

describe('an id that holds a secret', () => {
  it('is hidden in the call and in its result alike, so that they stay a pair', async () => {
    const id = `toolu_${['ghp', 'x7Kq2mV9sLr4Tz8Wb3Nd6Yc1Hf5Jg0PaQeRt'].join('_')}`;
    const records = new Records();
    records.user('Go');
    records.call('msg_1', id, 'Bash', { command: 'ls' });
    records.result(id, 'done');
    const all = (await records.capture()).main?.events ?? [];
    const ids = all.flatMap(({ payload }) => (typeof payload.call_id === 'string' ? [payload.call_id] : []));
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(JSON.stringify(all)).not.toContain(id.slice(6));
  });
});

describe('fields of a tool that are named as the client names its own', () => {
  it('keep no secret, in what it takes and in what it gives', async () => {
    const token = ['ghp', 'x7Kq2mV9sLr4Tz8Wb3Nd6Yc1Hf5Jg0PaQeRt'].join('_');
    const records = new Records();
    records.user('Go');
    records.call('msg_1', 'toolu_1', 'mcp__vault__get', {
      sessionId: token,
      deep: [{ signature: token, uuid: token }],
    });
    records.result('toolu_1', 'done', { requestId: token, rows: [{ sessionId: token }] });
    const { main, sink } = await records.capture();
    expect(
      JSON.stringify([main?.events, [...sink.artifacts.values()].map(({ bytes }) => String(bytes))]),
    ).not.toContain(token);
    expect(JSON.stringify(main?.events)).toContain('[REDACTED:github-token:1]');
  });
});
