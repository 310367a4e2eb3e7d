import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fidelityReportSchema } from '../../shared/handoff.ts';
import { eventTokens } from '../tokens/event-tokens.ts';
import { CONVERSATION } from '../view/codes.ts';
import { modelOrder, readSpecial, specialSeqs } from '../view/model.ts';
import { sightOf } from '../view/rows.ts';
import { LogBuilder } from '../view/testing.ts';
import { EventKinds } from './kinds.ts';
import { checkReport, type Fate, FidelityReportBuilder, STATE } from './report.ts';

const KEPT: Fate = { outcome: 'kept', how: 'kept' };
const carry = (type: string): Fate =>
  type === 'message.thinking' ? { outcome: 'dropped', how: 'stays at home' } : KEPT;

function report(log: LogBuilder) {
  const index = log.index();
  const special = readSpecial(specialSeqs(index).map((seq) => log.events[seq]!));
  const order = modelOrder(index, special);
  const builder = new FidelityReportBuilder();
  const kinds = new EventKinds();
  for (const seq of order) {
    const event = log.events[seq]!;
    builder.add(seq, kinds.of(event), carry(event.type), eventTokens(event));
  }
  builder.addOutside(index, sightOf(index, special), order);
  const made = builder.build();
  checkReport(made);
  expect(fidelityReportSchema.parse(made)).toEqual(made);
  return made;
}

describe('a fidelity report', () => {
  it('names what happens by kind, worst first', () => {
    const log = new LogBuilder();
    log.user('a');
    log.thinking('r1', 'long thoughts about it');
    log.call('r1', 'A');
    log.event('command.run', { cmd: 'ls' });
    log.result('A');
    log.assistant('r1', 'done');
    const { rows, events } = report(log);
    expect(rows.map(({ kind, outcome, count, seqs }) => [kind, outcome, count, seqs])).toEqual([
      ['thinking', 'dropped', 1, [[1, 1]]],
      [
        'shell',
        'kept',
        2,
        [
          [2, 2],
          [4, 4],
        ],
      ],
      ['prompt', 'kept', 1, [[0, 0]]],
      ['reply', 'kept', 1, [[5, 5]]],
    ]);
    expect(events).toEqual({ total: 5, arriving: 4 });
  });

  it('declares other branches, what a compaction took, unknown records and the client’s own notes', () => {
    const log = new LogBuilder();
    const first = log.user('old');
    log.assistant('r1', 'dead', first);
    const reply = log.assistant('r2', 'alive', first);
    log.compacted([reply], {}, reply);
    log.system('hidden');
    log.assistant('e', 'API Error', undefined, { synthetic: true });
    log.meta('unknown', { type: 'x' });
    log.meta('mode', 'plan');
    log.user('new');
    const { rows, events } = report(log);
    expect(rows.map(({ kind, outcome, count }) => `${kind} ${outcome} ${count}`)).toEqual([
      'state dropped 3',
      'reply dropped 1',
      'unknown dropped 1',
      'prompt summarised 1',
      'compaction kept 1',
      'prompt kept 1',
      'reply kept 1',
    ]);
    expect(events).toEqual({ total: 6, arriving: 3 });
  });

  it('says that an event with an image is one, whatever it is besides', () => {
    const log = new LogBuilder();
    log.event('message.user', {
      via: 'prompt',
      content: [{ kind: 'image', media_type: 'image/png', artifact: 'a', bytes: 1 }],
    });
    expect(report(log).rows[0]).toMatchObject({ kind: 'image', count: 1 });
  });

  it('adds up for any log', () => {
    const step = fc.tuple(
      fc.constantFrom('user', 'text', 'think', 'call', 'result', 'system', 'meta', 'unknown', 'compact', 'run'),
      fc.nat(),
      fc.nat(4),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const log = new LogBuilder();
        for (const [seq, [kind, where, k]] of steps.entries()) {
          const below = seq === 0 ? null : where % 2 === 0 ? where % seq : seq - 1;
          if (kind === 'user') log.user('u', below);
          else if (kind === 'text') log.assistant(`r${k}`, 't', below, { synthetic: k === 0 });
          else if (kind === 'think') log.thinking(`r${k}`, 't', below);
          else if (kind === 'call') log.call(`r${k}`, `c${k}`, 'shell', {}, below);
          else if (kind === 'result') log.result(`c${k}`, 'x', below);
          else if (kind === 'system') log.system('s', below, 'file', k === 0);
          else if (kind === 'meta') log.meta('mode', 1);
          else if (kind === 'unknown') log.meta('unknown', {});
          else if (kind === 'run') log.event('command.run', {}, { parent: below });
          else
            log.compacted(
              [seq - 1, seq - 2].filter((kept) => kept >= 0),
              { kept_first: k === 1 },
              below,
            );
        }
        const { rows, events } = report(log);
        const state = rows.find((row) => row.kind === STATE)?.count ?? 0;
        const index = log.index();
        const expected = log.events.filter(
          ({ seq, type, payload }) => CONVERSATION[index.type[seq]!] || type === 'meta' || payload.key === 'unknown',
        );
        expect(events.total + state).toBe(expected.length);
        expect(events.arriving).toBeLessThanOrEqual(events.total);
      }),
    );
  });

  it('is refused when it does not add up', () => {
    const row = {
      kind: 'prompt',
      outcome: 'kept' as const,
      how: 'kept',
      count: 1,
      tokens: 2,
      seqs: [[0, 0] as [number, number]],
    };
    const sums = { events: { total: 1, arriving: 1 }, tokens: { total: 2, arriving: 2 } };
    expect(() => checkReport({ rows: [row], ...sums })).not.toThrow();
    expect(() => checkReport({ rows: [row, row], ...sums })).toThrow(/twice/);
    expect(() => checkReport({ rows: [{ ...row, count: 2 }], ...sums })).toThrow(/names 1 events/);
    expect(() => checkReport({ rows: [row], ...sums, tokens: { total: 3, arriving: 2 } })).toThrow(/add up/);
  });
});
