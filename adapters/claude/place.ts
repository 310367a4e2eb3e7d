import type { Group } from './groups.ts';
import type { NativeRecord } from './record.ts';
import type { SessionLog } from './session-log.ts';

/** What a record is for the tree. */
export type Role =
  /** a line of a model's answer */
  | { kind: 'answer'; response: string }
  /** results of calls; `response` = the answer that made the first of them, where known */
  | { kind: 'result'; response: string | undefined }
  /** what begins something new behind the newest answer: a prompt, a summary */
  | { kind: 'prompt' }
  /** attachments, notices, marks */
  | { kind: 'other' }
  /** progress reports: they hang on the chain, but nothing hangs on them that matters */
  | { kind: 'progress' };

/** Where the next record hangs. `exact`: its parent_seq gives its parentUuid back. */
export interface Place {
  parent: number;
  exact: boolean;
  group: Group | undefined;
  /** the record names no parent at all: it is put behind the newest one, and what follows behind it */
  inserted: boolean;
}

/**
 * Finds the place of a record on the chain. Parallel answers are put in one line (groups.ts); a parent that was never
 * written is bridged to the nearest record before it; a record without the field is put behind the newest one.
 */
export function placeOf(log: SessionLog, record: NativeRecord, role: Role): Place {
  const named = record.parentUuid;
  if (named === null) return { parent: -1, exact: true, group: undefined, inserted: false };
  const { graph } = log;
  if (typeof named !== 'string')
    return { parent: graph.tip < 0 ? -1 : graph.behind(graph.tip), exact: false, group: undefined, inserted: true };
  const found = graph.byUuid.get(named);
  if (found === undefined) {
    log.warn('dangling-parent', 'The record before this one was never written. It was put behind the nearest one.');
    return { parent: graph.tip < 0 ? -1 : graph.behind(graph.tip), exact: false, group: undefined, inserted: false };
  }
  const group = log.groups.holding(found);
  const parent = graph.behind(group === undefined ? found : inGroup(log, found, group, role));
  return { parent, exact: parent === found, group, inserted: false };
}

function inGroup(log: SessionLog, found: number, group: Group, role: Role): number {
  if (role.kind === 'progress') return found;
  const late = role.kind === 'result' && group.closed && log.graph.tip >= 0;
  return late && log.graph.descends(log.graph.tip, group.tail) ? log.graph.tip : group.tail;
}

/** Notes where a record was put. `last` = its last event. */
export function settle(log: SessionLog, place: Place, role: Role, last: number): void {
  const { graph, groups } = log;
  const onTail = place.group !== undefined && !place.group.closed && place.parent === place.group.tail;
  if (role.kind === 'answer') groups.answered(role.response, last);
  else if (role.kind === 'prompt') groups.close();
  else if (role.kind === 'result') {
    const group = role.response === undefined ? undefined : groups.of(role.response);
    if (group !== undefined && !group.closed) groups.extend(group, last);
    else if (!place.exact && place.parent >= 0) graph.redirect(place.parent, last);
  } else if (role.kind === 'other' && onTail && place.group !== undefined) groups.extend(place.group, last);
  if (place.inserted && place.parent >= 0) graph.redirect(place.parent, last);
}
