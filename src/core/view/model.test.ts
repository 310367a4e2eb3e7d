import { describe, expect, it } from 'vitest';
import { modelOrder, readSpecial, specialSeqs } from './model.ts';
import { LogBuilder } from './testing.ts';

function order(log: LogBuilder): number[] {
  const index = log.index();
  return [...modelOrder(index, readSpecial(specialSeqs(index).map((seq) => log.events[seq]!)))];
}

describe('modelOrder', () => {
  it('is the active branch without what is never sent', () => {
    const log = new LogBuilder();
    log.event('session.start', { cwd: '/home/dev/a' });
    const kept = log.system('CLAUDE.md', undefined, 'instructions', true);
    log.system('hidden', undefined, 'notice');
    const prompt = log.user('a');
    log.assistant('e1', 'API Error', undefined, { synthetic: true });
    const call = log.call('r1', 'A');
    log.event('command.run', { cmd: 'ls' });
    const result = log.result('A');
    log.meta('usage', { input: 1 });
    expect(order(log)).toEqual([kept, prompt, call, result]);
  });

  it('follows the leaf event', () => {
    const log = new LogBuilder();
    const a = log.user('a');
    const b = log.assistant('r1', 'b', a);
    log.user('c', b);
    log.meta('leaf', b);
    expect(order(log)).toEqual([a, b]);
  });

  it('starts with the summary of the last compaction, then what it kept', () => {
    const log = new LogBuilder();
    log.user('old');
    const kept = log.assistant('r1', 'kept');
    const summary = log.compacted([kept]);
    const next = log.user('new');
    expect(order(log)).toEqual([summary, kept, next]);
  });

  it('puts kept events before the summary where the agent does', () => {
    const log = new LogBuilder();
    const first = log.user('old');
    const second = log.assistant('r1', 'kept');
    const summary = log.compacted([first, second, second, 99, -1], { kept_first: true });
    expect(order(log)).toEqual([first, second, summary]);
  });

  it('takes the last compaction that is on the branch', () => {
    const log = new LogBuilder();
    const a = log.user('a');
    const one = log.compacted([]);
    const b = log.user('b');
    const two = log.compacted([one]);
    const dead = log.user('c');
    log.compacted([], {}, dead);
    const again = log.user('d', two);
    expect(order(log)).toEqual([two, one, again]);
    expect([a, b]).toHaveLength(2);
  });

  it('leaves out an answer that broke off, with its reasoning and its calls', () => {
    const log = new LogBuilder();
    const prompt = log.user('go on');
    log.event('message.thinking', { response: 'r1', form: 'plain', text: 'hm', synthetic: true });
    log.assistant('r1', 'half a sen', undefined, { synthetic: true });
    log.event('tool.call', {
      response: 'r1',
      call_id: 'c1',
      name: 'bash',
      arguments: {},
      tool: 'shell',
      synthetic: true,
    });
    const reply = log.assistant('r2', 'the whole sentence');
    expect(order(log)).toEqual([prompt, reply]);
  });

  it('is empty for an empty log', () => {
    expect(order(new LogBuilder())).toEqual([]);
  });
});
