import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { AppEvent, Job } from '../../shared/api.ts';
import { useClient } from './client-context.ts';
import { queries } from './queries.ts';
import { markUnread } from './view-state.ts';

/** Calls `handler` for each event of the engine while the component is there. */
export function useAppEvents(handler: (event: AppEvent) => void): void {
  const client = useClient();
  const latest = useEffectEvent(handler);
  useEffect(() => client.subscribe((event) => latest(event)), [client]);
}

/** Keeps what react-query holds true to the engine. Mounted once. */
export function useLiveQueries(openSession: string | null): void {
  const queryClient = useQueryClient();
  const client = useClient();
  useAppEvents((event) => {
    switch (event.topic) {
      case 'session':
        if (event.change === 'appended' && event.id !== openSession) markUnread(event.id);
        refreshSession(queryClient, event.id);
        if (event.change !== 'appended') void queryClient.invalidateQueries({ queryKey: ['info'] });
        return;
      case 'job':
        queryClient.setQueryData(queries.jobs(client).queryKey, (jobs) => withJob(jobs ?? [], event.job));
        if (event.job.state !== 'running') void queryClient.invalidateQueries({ queryKey: ['info'] });
        return;
      case 'receipt':
        void queryClient.invalidateQueries({ queryKey: ['receipts'] });
        return;
      case 'sources':
        void queryClient.invalidateQueries({ queryKey: ['sources'] });
        return;
      case 'missed':
        void queryClient.invalidateQueries();
        return;
      case 'handoff':
        return;
    }
  });
}

function refreshSession(queryClient: QueryClient, id: string): void {
  for (const kind of ['session', 'files']) void queryClient.invalidateQueries({ queryKey: [kind, id] });
  // The family of any open session may have changed with this one.
  void queryClient.invalidateQueries({ queryKey: ['lineage'] });
}

/** Jobs with one of them new or changed, the newest last. */
export const withJob = (jobs: readonly Job[], job: Job): Job[] =>
  jobs.some((known) => known.id === job.id) ? jobs.map((known) => (known.id === job.id ? job : known)) : [...jobs, job];

/** Calls `run` at once, then at most every `ms`, and a last time after the last request: for bursts of events. */
export function throttled(run: () => void, ms: number): { request(): void; cancel(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let again = false;
  const start = () => {
    run();
    timer = setTimeout(() => {
      timer = undefined;
      if (again) {
        again = false;
        start();
      }
    }, ms);
  };
  return {
    request() {
      if (timer === undefined) start();
      else again = true;
    },
    cancel() {
      clearTimeout(timer);
      timer = undefined;
      again = false;
    },
  };
}
