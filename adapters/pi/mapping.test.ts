import { describe, expect, it } from 'vitest';
import type { ContentBlock, SessionEvent } from '../../src/shared/events.ts';
import { modelView } from '../testing/model-view.ts';
import type { Captured } from './testing/fixtures.ts';
import { ID, Records } from './testing/records.ts';
import { rowOf } from './testing/rows.ts';

const words = ({ payload }: SessionEvent): string =>
  ((payload.content ?? payload.summary ?? []) as ContentBlock[])
    .map((block) => (block.kind === 'text' ? block.text : '?'))
    .join('|');
const view = (captured: Captured): string[] => modelView(captured.events).map(words);
const ofType = ({ events }: Captured, type: string): Record<string, unknown>[] =>
  events.flatMap((event) => (event.type === type ? [event.payload] : []));
const metas = (captured: Captured, key: string): unknown[] =>
  ofType(captured, 'meta').flatMap((payload) => (payload.key === key ? [payload.value] : []));
const topics = ({ warnings }: Captured): string[] => warnings.map(({ about }) => about);

describe('the tree', () => {
  it('keeps what was left and goes on from the newest message', async () => {
    const r = new Records();
    const first = r.user('one');
    r.say('two');
    r.user('dead end');
    r.user('again', { parentId: first });
    const captured = await r.capture();
    expect(view(captured)).toEqual(['one', 'again']);
    expect(rowOf(captured)).toMatchObject({ branches: 2, counts: { user: 2, assistant: 0 } });
    expect(topics(captured)).toEqual([]);
  });

  it('is not moved by a last entry that says nothing, and says so', async () => {
    const r = new Records();
    const first = r.user('one');
    r.say('two');
    r.entry('label', { parentId: first, targetId: first, label: 'here' });
    const captured = await r.capture();
    expect(view(captured)).toEqual(['one', 'two']);
    expect(captured.warnings).toMatchObject([{ about: 'ambiguous-leaf', line: 4 }]);
  });

  it('is moved by a summary of the branch that was left', async () => {
    const r = new Records();
    const first = r.user('one');
    const left = r.say('two');
    r.entry('branch_summary', { parentId: first, fromId: left, summary: 'It said two.' });
    const captured = await r.capture();
    expect(view(captured)).toEqual(['one', expect.stringContaining('It said two.')]);
    expect(topics(captured)).toEqual([]);
  });

  it('has several roots, of which one is shown', async () => {
    const r = new Records();
    r.entry('custom_message', { customType: 'x', content: 'note', display: true });
    r.user('one');
    r.user('two', { parentId: null });
    expect(view(await r.capture())).toEqual(['two']);
  });

  it('puts the results of parallel calls below their answer', async () => {
    const r = new Records();
    r.user('go');
    r.assistant([
      { type: 'text', text: 'Both.' },
      { type: 'toolCall', id: 'a', name: 'bash', arguments: { command: 'a' } },
      { type: 'toolCall', id: 'b', name: 'bash', arguments: { command: 'b' } },
    ]);
    r.result('a', 'bash', 'A');
    r.result('b', 'bash', 'B');
    r.say('Done.');
    const captured = await r.capture();
    expect(modelView(captured.events).map(({ type }) => type)).toEqual([
      'message.user',
      'message.assistant',
      'tool.call',
      'tool.call',
      'tool.result',
      'tool.result',
      'message.assistant',
    ]);
    expect(rowOf(captured)).toMatchObject({ branches: 1, counts: { tool_call: 2, tool_result: 2, assistant: 2 } });
  });
});

describe('edits of the context', () => {
  const talk = (): Records => {
    const r = new Records();
    r.user('one');
    r.say('two');
    r.user('three');
    r.say('four');
    return r;
  };

  it('leave an entry out, or put something in its place, and are no compaction', async () => {
    const r = talk();
    r.entry('context_edit', { targetId: 'e2', replacement: null });
    r.entry('context_edit', { targetId: 'e3', replacement: { content: 'THREE' } });
    r.entry('context_edit', { targetId: 'e3', replacement: { content: [{ type: 'text', text: 'THREE!' }] } });
    r.user('five');
    const captured = await r.capture();
    expect(view(captured)).toEqual(['one', 'THREE!', 'four', 'five']);
    expect(rowOf(captured).counts.compaction).toBe(0);
  });

  it('do not reach another branch', async () => {
    const r = talk();
    r.entry('context_edit', { targetId: 'e2', replacement: null });
    r.user('elsewhere', { parentId: 'e4' });
    expect(view(await r.capture())).toEqual(['one', 'two', 'three', 'four', 'elsewhere']);
  });

  it('hold in what a compaction keeps', async () => {
    const r = talk();
    r.entry('context_edit', { targetId: 'e4', replacement: { content: 'FOUR' } });
    r.entry('compaction', { summary: 'sum', firstKeptEntryId: 'e3', tokensBefore: 9 });
    r.user('five');
    const captured = await r.capture();
    expect(view(captured)).toEqual(['sum', 'three', 'FOUR', 'five']);
    expect(rowOf(captured).counts.compaction).toBe(1);
  });

  it('change nothing where the answer is not sent anyway', async () => {
    const r = talk();
    const failed = r.assistant([], { stopReason: 'error', errorMessage: '500: no', usage: {} });
    r.entry('context_edit', { targetId: failed, replacement: null });
    r.say('again');
    const captured = await r.capture();
    expect(view(captured)).toEqual(['one', 'two', 'three', 'four', 'again']);
    expect(ofType(captured, 'context.compacted')).toEqual([]);
  });

  it('of an entry that is not there are told', async () => {
    const r = talk();
    r.entry('context_edit', { targetId: 'nowhere', replacement: null });
    expect(topics(await r.capture())).toEqual(['dangling-parent']);
  });
});

describe('compactions', () => {
  it.each([
    ['an entry', 'e3', ['sum', 'three', 'four', 'five']],
    ['its own id', 'e5', ['sum', 'five']],
    ['an id that is not there', 'nope', ['sum', 'five']],
  ])('keep the path from %s on', async (_, firstKeptEntryId, expected) => {
    const r = new Records();
    r.user('one');
    r.say('two');
    r.user('three');
    r.say('four');
    r.entry('compaction', { summary: 'sum', firstKeptEntryId, tokensBefore: 77, usage: { input: 3, output: 4 } });
    r.user('five');
    const captured = await r.capture();
    expect(view(captured)).toEqual(expected);
    expect(ofType(captured, 'context.compacted')).toMatchObject([{ tokens_before: 77 }]);
    expect(rowOf(captured).usage).toMatchObject({ input: 23, output: 14 });
  });
});

describe('answers that broke off', () => {
  it('stay to be seen, with their reasoning and calls, and are not sent', async () => {
    const r = new Records();
    r.user('go');
    r.assistant(
      [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'half a sen' },
        { type: 'toolCall', id: 'c', name: 'bash', arguments: {} },
      ],
      { stopReason: 'aborted' },
    );
    r.user('go on');
    const captured = await r.capture();
    expect(view(captured)).toEqual(['go', 'go on']);
    expect(captured.events.filter(({ payload }) => payload.synthetic === true).map(({ type }) => type)).toEqual([
      'message.thinking',
      'message.assistant',
      'tool.call',
    ]);
    expect(rowOf(captured)).toMatchObject({ branches: 1, usage: { input: 10, output: 5 } });
    expect(topics(captured)).toEqual([]);
  });

  it('say why', async () => {
    const r = new Records();
    r.user('go');
    r.assistant([], { stopReason: 'error', errorMessage: '401: bad key' });
    expect(ofType(await r.capture(), 'message.assistant')).toMatchObject([
      { content: [{ text: '401: bad key' }], stop_reason: 'error', synthetic: true },
    ]);
  });
});

describe('reasoning', () => {
  it.each([
    ['plain', { thinking: 'hm' }, { text: 'hm' }],
    ['plain', { thinking: 'hm', thinkingSignature: 'reasoning_content' }, { text: 'hm', opaque: 'reasoning_content' }],
    ['signed', { thinking: 'hm', thinkingSignature: 'c2lnbmF0dXJl' }, { text: 'hm', opaque: 'c2lnbmF0dXJl' }],
    ['summary', { thinking: 'hm', thinkingSignature: '{"type":"reasoning"}' }, { opaque: '{"type":"reasoning"}' }],
    [
      'encrypted',
      { thinking: '[Reasoning redacted]', thinkingSignature: 'ZGF0YQ==', redacted: true },
      { opaque: 'ZGF0YQ==' },
    ],
  ])('is %s by its signature', async (form, block, expected) => {
    const r = new Records();
    r.user('go');
    r.assistant([
      { type: 'thinking', ...block },
      { type: 'text', text: 'so' },
    ]);
    expect(ofType(await r.capture(), 'message.thinking')).toMatchObject([{ form, provider: 'local', ...expected }]);
  });

  it('loses a signature in which a secret stands, whole', async () => {
    const secret = `${['ghp', 'R7wq2ZkTn4VbXy6Pd'].join('_')}${'Ls8MfJc1HgAeQ0iUoYt'}`;
    const r = new Records();
    r.user('go');
    r.assistant([
      { type: 'thinking', thinking: 'hm', thinkingSignature: JSON.stringify({ summary: `use ${secret} now` }) },
    ]);
    const captured = await r.capture();
    expect(JSON.stringify(captured.events)).not.toContain(secret);
    expect(ofType(captured, 'message.thinking')[0]).not.toHaveProperty('opaque');
  });
});

describe('tools', () => {
  it('tell what was run, read and changed, with how it ended', async () => {
    const r = new Records();
    r.user('go');
    r.call('1', 'bash', { command: 'make' });
    r.result('1', 'bash', 'boom\n\nCommand exited with code 2', { isError: true, durationMs: 40, details: {} });
    r.call('2', 'read', { path: 'a.txt', offset: 3, limit: 2 });
    r.result('2', 'read', 'c\nd');
    r.call('3', 'edit', { path: 'a.txt', edits: [] });
    r.result('3', 'edit', 'ok', { details: { diff: '+1 x', patch: '@@ x' } });
    r.call('4', 'write', { path: 'b.txt', content: 'x' });
    r.result('4', 'write', 'ok');
    r.call('5', 'bash', { command: 'sleep' });
    r.result('5', 'bash', 'Command aborted', { isError: true });
    const captured = await r.capture();
    expect(ofType(captured, 'command.run')).toEqual([
      { cmd: 'make', exit_code: 2, stdout_tail: 'boom\n\nCommand exited with code 2', duration_ms: 40 },
      { cmd: 'sleep', stdout_tail: 'Command aborted' },
    ]);
    expect(ofType(captured, 'file.read')).toEqual([{ path: 'a.txt', range: [3, 4] }]);
    expect(ofType(captured, 'file.edit')).toEqual([
      { path: 'a.txt', op: 'edit', diff: '@@ x' },
      { path: 'b.txt', op: 'create' },
    ]);
    expect(ofType(captured, 'tool.result')).toMatchObject([
      { exit_code: 2, is_error: true, closed: 'ran' },
      {},
      {},
      {},
      { closed: 'interrupted' },
    ]);
  });

  it('keep head and tail of a long output, the whole beside it, once', async () => {
    const output = `${'line of output\n'.repeat(2000)}end`;
    const r = new Records();
    r.user('go');
    r.call('1', 'bash', { command: 'cat' });
    r.result('1', 'bash', output, { details: { truncation: { content: output.slice(0, 9000), truncated: true } } });
    const captured = await r.capture();
    const [result] = ofType(captured, 'tool.result') as [{ truncated: { artifact: string; bytes: number } }];
    expect(result.truncated.bytes).toBe(output.length);
    expect(String(Buffer.from(captured.sink.artifacts.get(result.truncated.artifact)!.bytes))).toBe(output);
    expect(JSON.stringify(result).length).toBeLessThan(10_000);
  });

  it('that are not answered, or answered without a call, are told', async () => {
    const r = new Records();
    r.user('go');
    r.call('1', 'bash', { command: 'x' });
    r.user('hello?');
    r.result('9', 'bash', 'late');
    const captured = await r.capture();
    expect(topics(captured)).toEqual(['unanswered-call', 'orphan-result']);
  });
});

describe('what is beside the conversation', () => {
  it('is kept: commands of the person, notes of extensions, names, labels, settings, usage', async () => {
    const r = new Records();
    const ran = { output: 'out\n', exitCode: 7, cancelled: false, truncated: false };
    r.message('bashExecution', { command: 'ls', ...ran });
    r.message('bashExecution', { command: 'secretly', ...ran, excludeFromContext: true });
    r.entry('custom_message', { customType: 'ext', content: 'mind the tabs', display: false });
    const prompt = r.user('go');
    r.entry('custom', { customType: 'state', data: { n: 1 } });
    r.entry('thinking_level_change', { thinkingLevel: 'high' });
    r.entry('model_change', { provider: 'p', modelId: 'm-2' });
    r.entry('label', { targetId: prompt, label: 'start' });
    r.entry('usage', { kind: 'cache_warm', provider: 'p', model: 'm', usage: { input: 1, output: 2 } });
    r.entry('session_info', { name: ' A\nname ' });
    const captured = await r.capture();
    expect(view(captured)).toEqual(['Ran `ls`\n```\nout\n\n```\n\nCommand exited with code 7', 'mind the tabs', 'go']);
    expect(ofType(captured, 'command.run')).toMatchObject([{ cmd: 'ls', exit_code: 7 }, { cmd: 'secretly' }]);
    expect(metas(captured, 'settings')).toEqual([{ thinking_level: 'high' }]);
    const seq = captured.events.find(({ type }) => type === 'message.user')?.seq;
    expect(metas(captured, 'label')).toEqual([{ target: seq, label: 'start' }]);
    expect(rowOf(captured)).toMatchObject({
      title: 'A name',
      title_from: 'user',
      model: 'm-2',
      usage: { input: 1, output: 2 },
    });
    expect(rowOf(captured).counts).toMatchObject({ user: 1, assistant: 0 });
  });

  it('is named by what the person said, not by the files in front of it', async () => {
    const r = new Records();
    r.user('<file name="/x/a.png"></file>\n<file name="/x/b.txt">\nits text\n</file>\nWhat is this?');
    r.user('<file name="/x/c.txt">c</file>\nAnd this?');
    expect(rowOf(await r.capture())).toMatchObject({ title: 'What is this?', title_from: 'prompt' });
  });

  it('lets a name be taken back', async () => {
    const r = new Records();
    r.user('the prompt');
    r.entry('session_info', { name: 'A name' });
    r.entry('session_info', { name: '' });
    expect(rowOf(await r.capture())).toMatchObject({ title: 'the prompt', title_from: 'prompt' });
  });

  it('keeps entries and roles that are not known, and counts them', async () => {
    const r = new Records();
    r.user('go');
    r.entry('hologram', { x: 1 });
    r.message('oracle', { content: 'y' });
    const captured = await r.capture();
    expect(captured.outcome.unknown).toEqual({ hologram: 1, 'message/oracle': 1 });
    expect(metas(captured, 'unknown')).toHaveLength(2);
  });
});

describe('a fork', () => {
  const parent = '/home/elsewhere/2026-11-29T12-00-00-000Z_the-parent.jsonl';

  it('names its parent, and counts the usage of what it copied there', async () => {
    const r = new Records({ parentSession: parent, timestamp: '2026-11-29T13:00:02.500Z' });
    r.user('copied');
    r.say('copied too');
    r.user('new');
    r.say('new too');
    const captured = await r.capture();
    expect(captured.ref).toEqual({ native_id: ID, parent: { kind: 'fork', native_id: 'the-parent' } });
    expect(captured.events[1]).toMatchObject({ type: 'session.fork', payload: { reason: 'fork' } });
    expect(captured.events.map(({ origin }) => origin?.session ?? null)).toEqual([
      null,
      null,
      'the-parent',
      'the-parent',
      null,
      null,
    ]);
    expect(rowOf(captured).usage.input).toBe(10);
  });

  it('takes the id of its parent from that file, where it is here', async () => {
    const r = new Records({ parentSession: '$HOME/parent.jsonl' });
    r.user('go');
    const captured = await r.capture({ 'parent.jsonl': '{"type":"session","version":3,"id":"named-inside"}\n' });
    expect(captured.ref.parent?.native_id).toBe('named-inside');
  });
});
