import { describe, expect, it } from 'vitest';
import type { FidelityRow } from '../../shared/handoff.ts';
import { eventsOf, shares, worstFirst } from './fidelity.ts';

const row = (
  kind: string,
  outcome: FidelityRow['outcome'],
  tokens: number,
  seqs: [number, number][] = [],
): FidelityRow => ({
  kind,
  outcome,
  count: 1,
  tokens,
  how: '',
  seqs,
});

describe('worstFirst', () => {
  it('puts what is lost on top, the largest first', () => {
    const rows = [
      row('prompt', 'kept', 9),
      row('unknown', 'dropped', 1),
      row('shell', 'converted', 5),
      row('thinking', 'dropped', 48),
    ];
    expect(worstFirst(rows).map((each) => each.kind)).toEqual(['thinking', 'unknown', 'shell', 'prompt']);
  });
});

describe('shares', () => {
  it('adds up tokens by outcome and leaves empty ones out', () => {
    const report = {
      rows: [row('a', 'kept', 5), row('b', 'kept', 6), row('c', 'dropped', 2), row('d', 'summarised', 0)],
      events: { total: 4, arriving: 2 },
      tokens: { total: 13, arriving: 11 },
    };
    expect(shares(report)).toEqual([
      { outcome: 'dropped', tokens: 2 },
      { outcome: 'kept', tokens: 11 },
    ]);
  });
});

describe('eventsOf', () => {
  it('gives the first events of inclusive ranges and the count of all', () => {
    expect(
      eventsOf(
        row('a', 'kept', 1, [
          [3, 5],
          [9, 9],
          [20, 40],
        ]),
        4,
      ),
    ).toEqual({ seqs: [3, 4, 5, 9], total: 25 });
  });
});
