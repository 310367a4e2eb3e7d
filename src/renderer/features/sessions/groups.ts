import { daysAgo } from '../../i18n/format.ts';

export type Group = 'today' | 'yesterday' | 'week' | 'month' | 'older' | 'undated';

/** The group of a time, in the list that is sorted by time. `ts` in seconds. */
export function groupOf(ts: number | null, now: Date = new Date()): Group {
  if (ts === null) return 'undated';
  const days = daysAgo(ts, now);
  if (days <= 0) return 'today';
  if (days === 1) return 'yesterday';
  if (days <= 7) return 'week';
  return days <= 31 ? 'month' : 'older';
}

/** Where a group begins, and how many rows it has when that is known for certain. */
export interface GroupHead {
  group: Group;
  count: number | null;
}

/**
 * The heading above row `index`, or null when its group is that of the row above. Rows that are not loaded give no
 * heading; a count is given only where every row of the group, and the one after it, is loaded.
 */
export function headAt(index: number, total: number, group: (index: number) => Group | undefined): GroupHead | null {
  const own = group(index);
  if (own === undefined) return null;
  if (index > 0) {
    const above = group(index - 1);
    if (above === undefined || above === own) return null;
  }
  let end = index + 1;
  while (end < total && group(end) === own) end += 1;
  return { group: own, count: end < total && group(end) === undefined ? null : end - index };
}
