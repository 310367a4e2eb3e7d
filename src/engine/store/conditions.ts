import type { SESSION_HAS } from '../../shared/choices.ts';
import { HAS } from './session-row.ts';

/** A condition over `listing`, with the values of its `?`. */
export interface Condition {
  sql: string;
  values: unknown[];
}

/** In this folder or below it. */
export function inFolder(cwd: string): Condition {
  const folder = cwd.replace(/[\\/]+$/, '');
  return {
    sql: '(listing.cwd = ? OR substr(listing.cwd, 1, ?) IN (?, ?))',
    values: [folder, folder.length + 1, `${folder}/`, `${folder}\\`],
  };
}

export function holds(what: (typeof SESSION_HAS)[number]): Condition {
  if (what !== 'subagent') return { sql: 'listing.has & ? != 0', values: [HAS[what]] };
  return {
    sql: `EXISTS (SELECT 1 FROM session AS me JOIN session AS child ON child.parent = me.uid
      WHERE me.id = listing.id AND child.parent_kind = 'subagent')`,
    values: [],
  };
}
