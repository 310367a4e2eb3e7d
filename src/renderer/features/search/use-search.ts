import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { toAppError } from '../../../shared/errors.ts';
import type { SearchHit, SearchQuery } from '../../../shared/search.ts';
import { useClient } from '../../app/client-context.ts';
import { sayError } from '../../ui/toast.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { foundRows, type MoreHits } from './found.ts';

/** Typing is waited out for so long: a search costs more than the list does. */
const SETTLE_MS = 150;
/** Asked again so often while the index is still being made, since more is found then. */
const AGAIN_MS = 1500;

/** So many more hits of one session at once. */
const MORE_HITS = 50;

/** What was said, in all sessions, page by page. Null asks nothing. The old rows stay until the new ones are here. */
export function useSearch(query: SearchQuery | null) {
  const client = useClient();
  const asked = useSettled(JSON.stringify(query), SETTLE_MS);
  const search = useInfiniteQuery({
    queryKey: ['search', asked],
    queryFn: ({ pageParam, signal }) =>
      client.call('sessions.search', { ...(JSON.parse(asked) as SearchQuery), offset: pageParam }, signal),
    initialPageParam: 0,
    getNextPageParam: (last) => last.next ?? undefined,
    enabled: asked !== 'null',
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.pages[0]?.index.complete === false ? AGAIN_MS : false),
  });
  const pages = search.data?.pages;
  const [beyond, setBeyond] = useState<{ asked: string; hits: MoreHits }>({ asked, hits: new Map() });
  const rows = useMemo(
    () => foundRows(pages ?? [], beyond.asked === asked ? beyond.hits : undefined),
    [pages, beyond, asked],
  );
  const moreOf = async (session: string) => {
    // of one session hits come as they were said, so what was shown first can be among them: only those asked for so are passed over
    const known = beyond.asked === asked ? (beyond.hits.get(session)?.length ?? 0) : 0;
    const input = { ...(JSON.parse(asked) as SearchQuery), session, hits: MORE_HITS, hits_offset: known };
    try {
      const hits = (await client.call('sessions.search', input)).sessions[0]?.hits ?? [];
      setBeyond((old) => withHits(old.asked === asked ? old.hits : new Map(), asked, session, hits));
    } catch (thrown) {
      sayError(toAppError(thrown).message);
    }
  };
  return {
    rows,
    first: pages?.[0],
    error: search.error,
    pending: search.isPending,
    /** shows more hits of a session */
    moreOf,
    more: () => {
      if (search.hasNextPage && !search.isFetchingNextPage) void search.fetchNextPage();
    },
  };
}
export type Search = ReturnType<typeof useSearch>;

/** With the hits that are not there yet: the same answer twice adds nothing. */
function withHits(old: MoreHits, asked: string, session: string, hits: readonly SearchHit[]) {
  const known = old.get(session) ?? [];
  const fresh = hits.filter((hit) => !known.some((other) => other.seq === hit.seq));
  return { asked, hits: new Map([...old, [session, [...known, ...fresh]]]) };
}
