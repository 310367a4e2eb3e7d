import type { SearchFilters } from '../../core/search/query.ts';
import { type Condition, holds, inFolder } from '../store/conditions.ts';
import { HAS } from '../store/session-row.ts';

/** What of a search is a matter of the session. */
type SessionFilter = Omit<SearchFilters, 'places' | 'notPlaces'>;

/** Conditions over `listing`; none when every session will do. Times leave only sessions out that lie wholly apart. */
export function sessionConditions(filter: SessionFilter): Condition[] {
  const { agents, notAgents, folders, projects, has, after, before } = filter;
  const conditions: Condition[] = [];
  const add = (sql: string, ...values: unknown[]) => void conditions.push({ sql, values });
  if (agents.length > 0) add('listing.agent IN (SELECT value FROM json_each(?))', JSON.stringify(agents));
  if (notAgents.length > 0) add('listing.agent NOT IN (SELECT value FROM json_each(?))', JSON.stringify(notAgents));
  if (folders.length > 0) conditions.push(either(folders.map(inFolder)));
  if (projects.length > 0) conditions.push(either(projects.map(inProject)));
  conditions.push(...has.map(holds));
  if (after !== null) add('listing.at >= ?', after);
  if (before !== null) add('listing.started < ?', before);
  return conditions;
}

export const NO_SUBAGENT: Condition = { sql: 'listing.has & ? = 0', values: [HAS.subagent] };

/** A folder of that name is on the way to the session's. */
function inProject(name: string): Condition {
  const folded = name.toLowerCase().replace(/^[\\/]+|[\\/]+$/g, '');
  return { sql: `instr(lower(replace(listing.cwd, '\\', '/')) || '/', ?) > 0`, values: [`/${folded}/`] };
}

const either = (conditions: Condition[]): Condition => ({
  sql: `(${conditions.map(({ sql }) => sql).join(' OR ')})`,
  values: conditions.flatMap(({ values }) => values),
});
