import { ok } from '../../shared/errors.ts';
import { type HandlersOf, resolveSession, withHome } from './context.ts';

/** Full-text search. */
export const searchProcedures: HandlersOf<'sessions.search'> = {
  'sessions.search': (context, { wait_ms, session, ...query }, signal) =>
    withHome(context, async ({ store, search }) => {
      const row = session === undefined ? null : await resolveSession(store.reader, session);
      if (row !== null && !row.ok) return row;
      await search.catchUp(wait_ms, { signal });
      return ok(await search.search({ ...query, session: row?.value.id }));
    }),
};
