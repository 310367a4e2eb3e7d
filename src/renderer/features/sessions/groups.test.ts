import { describe, expect, it } from 'vitest';
import { type Group, groupOf, headAt } from './groups.ts';

const now = new Date(2026, 10, 29, 14, 10);
const at = (day: number, hour = 12) => new Date(2026, 10, day, hour).getTime() / 1000;

describe('groupOf', () => {
  it('goes by calendar days, not by 24 hours', () => {
    expect([at(29, 0), at(28, 23), at(27), at(22), at(21), at(1), null].map((ts) => groupOf(ts, now))).toEqual([
      'today',
      'yesterday',
      'week',
      'week',
      'month',
      'month',
      'undated',
    ]);
    expect(groupOf(new Date(2026, 8, 1).getTime() / 1000, now)).toBe('older');
  });
});

describe('headAt', () => {
  const rows: (Group | undefined)[] = ['today', 'today', 'yesterday', 'yesterday', undefined, 'week'];
  const group = (index: number) => rows[index];

  it('heads the first row of each group, with its count when that is certain', () => {
    expect(headAt(0, 6, group)).toEqual({ group: 'today', count: 2 });
    expect(headAt(1, 6, group)).toBeNull();
    expect(headAt(2, 6, group)).toEqual({ group: 'yesterday', count: null });
  });

  it('gives no heading where the row above is not known', () => {
    expect(headAt(4, 6, group)).toBeNull();
    expect(headAt(5, 6, group)).toBeNull();
  });

  it('knows the last group by the end of the list', () => {
    expect(headAt(2, 4, group)).toEqual({ group: 'yesterday', count: 2 });
  });
});
