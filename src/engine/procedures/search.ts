import { fail, ok } from '../../shared/errors.ts';
import type { SearchResult } from '../../shared/search.ts';
import type { Search, SearchEngine } from '../search/contract.ts';
import { type HandlersOf, resolveSession, withHome } from './context.ts';

/** Full-text search. */
export const searchProcedures: HandlersOf<'sessions.search'> = {
  'sessions.search': (context, { wait_ms, session, ...query }, signal) =>
    withHome(context, async ({ store, search }) => {
      const row = session === undefined ? null : await resolveSession(store.reader, session);
      if (row !== null && !row.ok) return row;
      await search.catchUp(wait_ms, { signal });
      if (signal.aborted) return fail('cancelled', 'The search was cancelled.');
      return ok(await firstFound(search, { ...query, session: row?.value.id }, signal));
    }),
};

/** How long a search goes on that looked at much and found nothing so far. */
const PATIENCE_MS = 3000;

async function firstFound(search: SearchEngine, query: Search, signal: AbortSignal): Promise<SearchResult> {
  const end = performance.now() + PATIENCE_MS;
  let found = await search.search(query);
  while (found.sessions.length === 0 && found.next !== null && !signal.aborted && performance.now() < end)
    found = await search.search({ ...query, offset: found.next });
  if (found.sessions.length > 0 || found.next !== null) return found;
  return { ...found, total: { sessions: 0, hits: 0, exact: query.offset === 0 } };
}
