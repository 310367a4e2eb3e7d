import { describe, expect, it } from 'vitest';
import type { Difference } from './compare.ts';
import { declaresThinking, splitLosses } from './declared.ts';

const loss = (kind: Difference['kind']): Difference => ({ kind, what: 'lost', expected: 'x' });
const row = (kind: string, outcome: string, count: number, tokens = 10) => ({ kind, outcome, count, tokens, how: '' });

describe('declared losses', () => {
  it('are those that a row of their kind stands for, as often as it counts', () => {
    const { declared, undeclared } = splitLosses([loss('image'), loss('image')], [row('image', 'dropped', 1)]);
    expect([declared.length, undeclared.length]).toEqual([1, 1]);
  });

  it('are not covered by what was kept, nor by what the source agent does not send itself', () => {
    const rows = [row('prompt', 'kept', 9), row('prompt', 'summarised', 9, 0), row('state', 'dropped', 9)];
    expect(splitLosses([loss('prompt'), loss('result')], rows).undeclared).toHaveLength(2);
  });

  it('of tools are covered by any kind of tool', () => {
    expect(splitLosses([loss('result'), loss('failure')], [row('shell', 'converted', 2)]).undeclared).toEqual([]);
    expect(splitLosses([loss('call')], [row('reply', 'dropped', 2)]).undeclared).toHaveLength(1);
  });

  it('of reasoning need a row that says so', () => {
    expect(declaresThinking([row('thinking', 'dropped', 1)])).toBe(true);
    expect(declaresThinking([row('thinking', 'kept', 1), row('reply', 'dropped', 1)])).toBe(false);
  });
});
