import type { ParentKind, SessionRow } from '../shared/session.ts';
import { plural } from './format.ts';

/** What a session is to the one that it came from. */
export const RELATION: Record<ParentKind, string> = {
  fork: 'fork',
  handoff: 'continued',
  subagent: 'sub-agent',
  continuation: 'goes on',
  reset: 'begun afresh',
};

/** "2 forks, 1 sub-agent": the children of a session by kind; '' when it has none. `only`: of these kinds. */
export function childrenOf({ kin }: Pick<SessionRow, 'kin'>, only?: ParentKind): string {
  const counts = (Object.entries(kin) as [ParentKind, number][]).filter(
    ([kind]) => only === undefined || kind === only,
  );
  return counts.map(([kind, n]) => (WORD[kind] === undefined ? RELATION[kind] : plural(n, WORD[kind]))).join(', ');
}

/** Kinds of which there can be many. */
const WORD: Partial<Record<ParentKind, string>> = { fork: 'fork', handoff: 'handoff', subagent: 'sub-agent' };
