import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SearchHit } from '../../../shared/search.ts';
import type { Client } from '../../app/client.ts';
import { useClient } from '../../app/client-context.ts';
import { useSettled } from '../../ui/use-settled.ts';

const SETTLE_MS = 120;
const HITS = 500;
/** Hits that can be walked through: more are counted. */
const MOST = 5000;

export interface Found {
  /** hits that a row of the transcript shows, as they stand in the session */
  hits: readonly SearchHit[];
  total: number;
  exact: boolean;
  complete: boolean;
}

/** All hits of a query in one session, in the order in which they were said. Looked for in the store, not in what is drawn. */
export function useFind(session: string, text: string): Found | undefined {
  const client = useClient();
  const query = useSettled(text.trim(), SETTLE_MS);
  const { data } = useQuery({
    queryKey: ['find', session, query],
    queryFn: ({ signal }) => findAll(client, session, query, signal),
    enabled: query !== '',
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.complete === false ? 1500 : false),
  });
  return query === '' || text.trim() === '' ? undefined : data;
}

async function findAll(client: Client, session: string, query: string, signal: AbortSignal): Promise<Found> {
  const hits: SearchHit[] = [];
  let more = true;
  let found: Omit<Found, 'hits'> = { total: 0, exact: true, complete: true };
  while (more && hits.length < MOST) {
    const answer = await client.call(
      'sessions.search',
      { query, session, hits: HITS, hits_offset: hits.length, limit: 1 },
      signal,
    );
    const [of] = answer.sessions;
    hits.push(...(of?.hits ?? []));
    found = { total: of?.total ?? hits.length, exact: of?.exact ?? true, complete: answer.index.complete };
    more = (of?.hits.length ?? 0) === HITS;
  }
  return { ...found, hits: hits.filter((hit) => hit.ordinal !== null).sort((a, b) => a.seq - b.seq) };
}

/** Whether the bar is open, and at which hit the reader is. */
export function useFindBar() {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const [at, setAt] = useState<number | null>(null);
  return { open, setOpen, text, setText, at, setAt };
}
