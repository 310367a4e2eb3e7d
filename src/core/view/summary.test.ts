import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_COUNTS } from '../../shared/session.ts';
import { FLAG, MARK, MARK_MASK } from './flags.ts';
import { SummaryProjector } from './summary.ts';
import { draftOf, LogBuilder, textBlocks } from './testing.ts';

const NO_COLUMNS = { n: 0, type: new Uint8Array(0), flags: new Uint8Array(0), parent: new Int32Array(0) };

function project(log: LogBuilder): SummaryProjector {
  const projector = new SummaryProjector();
  for (const event of log.events) projector.add(event.seq, draftOf(event));
  return projector;
}
const rowOf = (log: LogBuilder) => project(log).row();

describe('counts', () => {
  it('counts a reply once, however many records it has', () => {
    const log = new LogBuilder();
    log.user('Fix it');
    log.thinking('r1', 'hm');
    log.thinking('r1', undefined);
    log.assistant('r1', 'looking');
    log.call('r1', 'a');
    log.result('a');
    log.assistant('r1', 'more of the same reply');
    log.assistant('r2', '  ');
    log.assistant('r2', 'done');
    expect(rowOf(log).counts).toEqual({
      ...NO_COUNTS,
      user: 1,
      assistant: 2,
      tool_call: 1,
      tool_result: 1,
      thinking: 1,
    });
  });

  it('leaves out what a client wrote itself, commands, empty prompts and made-up results', () => {
    const log = new LogBuilder();
    log.user('/compact', undefined, 'command');
    log.user('   ');
    log.assistant('r1', 'API Error: 500', undefined, { synthetic: true, stop_reason: 'error' });
    log.call('r2', 'a');
    log.result('a', 'never ran', undefined, { closed: 'missing', is_error: true });
    expect(rowOf(log).counts).toEqual({ ...NO_COUNTS, tool_call: 1 });
    expect(rowOf(log).errors).toBe(2);
  });

  it('counts only the active branch, but usage of all of it', () => {
    const log = new LogBuilder();
    const first = log.user('a');
    log.assistant('r1', 'dead', first, { usage: { input: 10, output: 5 } });
    log.assistant('r2', 'alive', first, { usage: { input: 20, output: 7, cache_read: 100 } });
    const row = rowOf(log);
    expect(row.counts).toEqual({ ...NO_COUNTS, user: 1, assistant: 1 });
    expect(row.branches).toBe(2);
    expect(row.usage).toMatchObject({ input: 30, output: 12, cache_read: 100 });
    expect(row.context_tokens).toBe(127);
  });

  it('counts every image, also several in one result', () => {
    const log = new LogBuilder();
    const image = { kind: 'image', media_type: 'image/png', artifact: 'artifact:sha256:0', bytes: 1 };
    log.event('message.user', { via: 'prompt', content: [image] }, { actor: 'user' });
    log.call('r1', 'a');
    log.event('tool.result', {
      call_id: 'a',
      content: [image, ...textBlocks('x'), image],
      is_error: false,
      closed: 'ran',
    });
    expect(rowOf(log).counts).toMatchObject({ user: 1, image: 3 });
  });
});

describe('what was copied from another session', () => {
  it('fills the context and counts as conversation, but was paid for there', () => {
    const log = new LogBuilder();
    log.user('first');
    log.assistant('r1', 'copied', undefined, { usage: { input: 100, output: 30 } });
    log.meta('usage', { response: 'r1', input: 100, output: 50 });
    for (const event of log.events)
      event.origin = { agent: 'claude', native_id: 'x', native_seq: 0, session: 'parent' };
    expect(rowOf(log)).toMatchObject({ copied: 3, usage: { input: 0, output: 0 }, context_tokens: 150 });
    log.user('second');
    log.assistant('r2', 'own', undefined, { usage: { input: 160, output: 5 } });
    expect(rowOf(log)).toMatchObject({
      copied: 3,
      events: 5,
      counts: { user: 2, assistant: 2 },
      usage: { input: 160, output: 5 },
      context_tokens: 165,
    });
  });
});

describe('a session that was written as a copy', () => {
  const origin = { agent: 'claude', native_id: 'x', native_seq: 0 };
  const begun = (): SummaryProjector => {
    const log = new LogBuilder();
    log.event('session.fork', { from_session: 'sess_1', from_seq: 4, copied_from: 'source', copied_until: 1000 });
    return project(log);
  };

  it('has records of its source up to the first that is newer, however late that comes', () => {
    const projector = begun();
    expect(projector.copyOf({ ts: 999, origin })).toBe('source');
    expect(projector.copyOf({ ts: null, origin })).toBe('source');
    expect(projector.copyOf({ ts: null, origin: null })).toBeNull();
    expect(projector.copyOf({ ts: 1000, origin: { ...origin, session: 'grandparent' } })).toBeNull();
    const later = new SummaryProjector({ columns: NO_COLUMNS, state: JSON.parse(JSON.stringify(projector.save())) });
    expect(later.copyOf({ ts: 1000, origin })).toBe('source');
    expect(later.copyOf({ ts: 1001, origin })).toBeNull();
    expect(later.copyOf({ ts: 999, origin })).toBeNull();
  });

  it('is nothing that a handoff to another agent is', () => {
    const log = new LogBuilder();
    log.event('session.fork', { from_session: 'sess_1', from_seq: 4, reason: 'handoff from claude (native)' });
    expect(project(log).copyOf({ ts: 1, origin })).toBeNull();
  });
});

describe('usage', () => {
  it('takes the maximum of each field, once per response', () => {
    const log = new LogBuilder();
    log.assistant('r1', 'a', undefined, { usage: { input: 100, output: 3 } });
    log.call('r1', 'x');
    log.event('tool.call', {
      response: 'r1',
      call_id: 'y',
      name: 'n',
      arguments: {},
      tool: 'shell',
      usage: { input: 100, output: 162 },
    });
    log.meta('usage', { response: 'r1', input: 100, output: 150, cache_read: 4 });
    log.meta('usage', { input: 7, output: 'x' });
    expect(rowOf(log).usage).toEqual({ input: 107, output: 162, cache_read: 4, cache_write: 0, reasoning: 0 });
  });

  it('forgets the context size at a compaction, unless that tells one', () => {
    const log = new LogBuilder();
    log.assistant('r1', 'a', undefined, { usage: { input: 90_000, output: 10 } });
    log.compacted([]);
    expect(rowOf(log).context_tokens).toBeNull();
    log.compacted([], { tokens_after: 4_000 });
    expect(rowOf(log).context_tokens).toBe(4_000);
    log.assistant('r2', 'b', undefined, { usage: { input: 5_000, output: 10 } });
    expect(rowOf(log).context_tokens).toBe(5_010);
  });
});

describe('prompts and titles', () => {
  it('takes the first and last prompt of the active branch', () => {
    const log = new LogBuilder();
    log.system('<environment>', undefined, 'environment');
    const first = log.user('Make the press hold 40 bar');
    log.user('dead end', first);
    log.user('x'.repeat(400), first);
    const row = rowOf(log);
    expect(row.first_prompt).toBe('Make the press hold 40 bar');
    expect(row.last_prompt).toHaveLength(300);
    expect(row.title).toBe('Make the press hold 40 bar');
    expect(row.title_from).toBe('prompt');
  });

  it('never cuts inside a character', () => {
    const log = new LogBuilder();
    log.user('🍏'.repeat(300));
    const row = rowOf(log);
    expect(row.first_prompt?.isWellFormed()).toBe(true);
    expect(row.title?.isWellFormed()).toBe(true);
  });

  it('prefers the title of the user over the one of the agent, and the facts of the adapter over both', () => {
    const log = new LogBuilder();
    log.user('a');
    log.meta('title', 'Agent title');
    log.meta('title', 'My title', 'user');
    log.meta('title', 'Agent title again');
    expect(rowOf(log)).toMatchObject({ title: 'My title', title_from: 'user' });
    const projector = project(log);
    projector.facts({ title: 'From the file', title_from: 'agent', archived: true });
    projector.facts({ cwd: '/home/dev/x' });
    expect(projector.row()).toMatchObject({
      title: 'From the file',
      title_from: 'agent',
      archived: true,
      cwd: '/home/dev/x',
    });
  });

  it('has none for an empty log', () => {
    expect(new SummaryProjector().row()).toMatchObject({
      title: null,
      title_from: 'none',
      status: 'empty',
      started_at: null,
      branches: 1,
      events: 0,
    });
  });
});

describe('times, status and findings', () => {
  it('ignores times of broken clocks', () => {
    const log = new LogBuilder();
    log.event(
      'session.start',
      { cwd: '/home/dev/a', model: 'm1', git_branch: 'main', agent_version: '2.1' },
      { ts: 0 },
    );
    log.event('message.user', { content: textBlocks('a'), via: 'prompt' }, { ts: 1_790_000_000.5 });
    log.event('message.user', { content: textBlocks('a'), via: 'prompt' }, { ts: null });
    log.event('meta', { key: 'mode', value: 1 }, { ts: 1_799_999_999 });
    expect(rowOf(log)).toMatchObject({
      started_at: 1_790_000_000.5,
      last_activity: 1_790_000_000.5,
      cwd: '/home/dev/a',
      cwd_last: '/home/dev/a',
      model: 'm1',
      git_branch: 'main',
      agent_version: '2.1',
    });
  });

  it('says that a session ended in the middle of a tool', () => {
    const log = new LogBuilder();
    log.user('a');
    log.call('r1', 'a');
    log.call('r1', 'b');
    log.result('a');
    expect(rowOf(log).status).toBe('ended_mid_tool');
    log.result('b');
    expect(rowOf(log).status).toBe('idle');
  });

  it('lists fifty warnings and counts the rest', () => {
    const log = new LogBuilder();
    for (let i = 0; i < 60; i++) log.meta('warning', { about: 'malformed-line', detail: 'bad', line: i + 1 });
    log.meta('warning', 'nonsense');
    const { warnings } = rowOf(log);
    expect(warnings).toHaveLength(51);
    expect(warnings.at(-1)).toMatchObject({ about: 'more-warnings', count: 10 });
  });

  it('counts unknown records and types, and redactions as told', () => {
    const log = new LogBuilder();
    log.meta('unknown', { type: 'x' });
    log.event('x.future', { a: 1 });
    const projector = project(log);
    projector.add(
      2,
      draftOf({ ...log.events[1]!, type: 'message.user', payload: { content: textBlocks('k'), via: 'prompt' } }),
      2,
    );
    expect(projector.row()).toMatchObject({ unknown_records: 2, redactions: 2 });
  });
});

describe('flags', () => {
  it('marks what the store must find again without reading', () => {
    const log = new LogBuilder();
    log.user('a');
    log.thinking('r1', 'readable');
    log.assistant('r1', 'text');
    log.assistant('r1', 'text');
    log.result('a', 'x', undefined, { is_error: true });
    log.meta('leaf', 1);
    log.meta('warning', {});
    log.event('file.edit', { path: 'a' });
    log.system('x', undefined, 'file', true);
    const { flags } = log.index();
    expect(flags[0]).toBe(FLAG.PROMPT);
    expect(flags[1]).toBe(MARK.READABLE);
    expect(flags[2]).toBe(FLAG.REPLY | FLAG.SAME_RESPONSE);
    expect(flags[3]).toBe(FLAG.SAME_RESPONSE);
    expect(flags[4]).toBe(FLAG.ERROR);
    expect(flags[5]! & MARK_MASK).toBe(MARK.LEAF);
    expect(flags[6]! & MARK_MASK).toBe(MARK.WARNING);
    expect(flags[7]).toBe(FLAG.DERIVED | FLAG.HIDDEN);
    expect(flags[8]).toBe(MARK.TO_MODEL);
  });
});

describe('going on', () => {
  it('gives the same row when it was saved and resumed in between', () => {
    const step = fc.tuple(
      fc.constantFrom('user', 'assistant', 'call', 'result', 'usage', 'warning', 'leaf'),
      fc.nat(),
      fc.nat(4),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.nat(40), (steps, cutAt) => {
        const log = new LogBuilder();
        for (const [seq, [kind, where, r]] of steps.entries()) {
          const below = seq === 0 ? null : where % seq;
          if (kind === 'user') log.user(`prompt ${seq}`, below);
          else if (kind === 'assistant') log.assistant(`r${r}`, 'x', below, { usage: { output: where % 100 } });
          else if (kind === 'call') log.call(`r${r}`, `c${seq}`, 'shell', {}, below);
          else if (kind === 'result') log.result(`c${where}`, 'x', below);
          else if (kind === 'usage') log.meta('usage', { response: `r${r}`, input: where % 1000 });
          else if (kind === 'leaf') log.meta('leaf', below);
          else log.meta('warning', { about: 'x', detail: 'y' });
        }
        const whole = project(log);
        const cut = Math.min(cutAt, log.events.length);
        const first = new SummaryProjector();
        const columns = { ...log.index(), n: cut };
        for (const event of log.events.slice(0, cut)) first.add(event.seq, draftOf(event));
        const second = new SummaryProjector({ columns, state: JSON.parse(JSON.stringify(first.save())) });
        for (const event of log.events.slice(cut)) second.add(event.seq, draftOf(event));
        expect(second.row()).toEqual(whole.row());
      }),
    );
  });

  it('refuses a gap', () => {
    const log = new LogBuilder();
    log.user('a');
    expect(() => new SummaryProjector().add(1, draftOf(log.events[0]!))).toThrow(RangeError);
  });
});
