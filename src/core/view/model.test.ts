import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../shared/events.ts';
import { modelOrder, readOrder, readSpecial, specialSeqs } from './model.ts';
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

  it('is empty for an empty log', () => {
    expect(order(new LogBuilder())).toEqual([]);
  });
});

describe('readOrder', () => {
  it('reads every event of any order, streaming only forward', async () => {
    const log = new LogBuilder();
    for (let i = 0; i < 40; i++) log.user(`p${i}`);
    const plan = fc.tuple(
      fc.uniqueArray(fc.nat(39), { maxLength: 8 }),
      fc.uniqueArray(fc.nat(39)),
      fc.integer({ min: 1, max: 9 }),
    );
    await fc.assert(
      fc.asyncProperty(plan, async ([moved, rest, size]) => {
        const wanted = [...moved, ...rest.toSorted((a, b) => a - b)];
        const reader = {
          eventsAt: async (seqs: readonly number[]) => seqs.map((seq) => log.events[seq]!),
          async *stream(from: number) {
            for (let at = from; at < log.events.length; at += size) yield log.events.slice(at, at + size);
          },
        };
        const read: SessionEvent[] = [];
        for await (const event of readOrder(Uint32Array.from(wanted), reader)) read.push(event);
        expect(read.map((event) => event.seq)).toEqual(wanted);
      }),
    );
  });
});
