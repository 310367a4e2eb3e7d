import { QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import type { Client } from './client.ts';
import { useClient } from './client-context.ts';

/** The engine says when something changed (live.ts), so nothing goes stale by time and nothing is asked twice. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      // The engine is on this machine: the browser's "offline" says nothing about it.
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        retry: false,
        networkMode: 'always',
        refetchOnWindowFocus: false,
      },
      mutations: { networkMode: 'always' },
    },
  });

export const queries = {
  info: (client: Client) =>
    queryOptions({ queryKey: ['info'], queryFn: ({ signal }) => client.call('app.info', {}, signal) }),
  sources: (client: Client) =>
    queryOptions({
      queryKey: ['sources'],
      queryFn: ({ signal }) => client.call('sources.list', {}, signal),
      // counted in the agents' own folders, which change without an event: asked anew by each view that shows them
      staleTime: 0,
    }),
  jobs: (client: Client) =>
    queryOptions({ queryKey: ['jobs'], queryFn: ({ signal }) => client.call('jobs.list', {}, signal) }),
  session: (client: Client, id: string) =>
    queryOptions({ queryKey: ['session', id], queryFn: ({ signal }) => client.call('sessions.get', { id }, signal) }),
  lineage: (client: Client, id: string) =>
    queryOptions({
      queryKey: ['lineage', id],
      queryFn: ({ signal }) => client.call('sessions.lineage', { id }, signal),
    }),
  files: (client: Client, id: string) =>
    queryOptions({ queryKey: ['files', id], queryFn: ({ signal }) => client.call('sessions.files', { id }, signal) }),
  event: (client: Client, id: string, seq: number) =>
    queryOptions({
      queryKey: ['event', id, seq],
      queryFn: ({ signal }) => client.call('events.get', { id, seq }, signal),
    }),
  resume: (client: Client, id: string) =>
    queryOptions({ queryKey: ['resume', id], queryFn: ({ signal }) => client.call('resume.command', { id }, signal) }),
  verdict: (client: Client, id: string) =>
    queryOptions({
      queryKey: ['verdict', id],
      queryFn: ({ signal }) => client.call('receipts.verify', { id }, signal),
    }),
  receipt: (client: Client, id: string) =>
    queryOptions({ queryKey: ['receipt', id], queryFn: ({ signal }) => client.call('receipts.get', { id }, signal) }),
};

export const useInfo = () => useQuery(queries.info(useClient())).data;
export const useJobs = () => useQuery(queries.jobs(useClient())).data ?? [];
export const useSources = () => useQuery(queries.sources(useClient()));
/** No id, no question: the caller has none yet. */
export const useSession = (id: string) => useQuery({ ...queries.session(useClient(), id), enabled: id !== '' });
export const useLineage = (id: string, enabled = true) => useQuery({ ...queries.lineage(useClient(), id), enabled });
