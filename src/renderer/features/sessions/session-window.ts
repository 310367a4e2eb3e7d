import { useEffect, useMemo, useState } from 'react';
import type { SessionQuery } from '../../../shared/api.ts';
import type { SessionRow } from '../../../shared/session.ts';
import type { Client } from '../../app/client.ts';
import { useClient } from '../../app/client-context.ts';
import { throttled, useAppEvents } from '../../app/live.ts';
import { PagedWindow } from '../../app/paged-window.ts';
import { useWindow } from '../../app/use-window.ts';
import { sayError } from '../../ui/toast.tsx';

export type SessionWindow = PagedWindow<SessionRow>;

const createWindow = (client: Client, query: SessionQuery, onError: (thrown: unknown) => void): SessionWindow =>
  new PagedWindow<SessionRow>({
    pageSize: 100,
    keep: 1000,
    fetch: (offset, limit, signal) => client.call('sessions.list', { ...query, offset, limit }, signal),
    onError,
  });

/** The rows of a query. The old ones stay on screen until the first of the new ones are here; changes come in live. */
export function useSessionWindow(query: SessionQuery): SessionWindow {
  const client = useClient();
  const key = JSON.stringify(query);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the query is compared by its content
  const wanted = useMemo(() => createWindow(client, query, (thrown) => sayError(messageOf(thrown))), [client, key]);
  const [shown, setShown] = useState(wanted);

  useEffect(() => {
    wanted.ensure(0, 30);
    const show = () => setShown(wanted);
    if (wanted.total !== null) show();
    const stop = wanted.subscribe(show);
    return stop;
  }, [wanted]);
  useEffect(() => () => shown.close(), [shown]);

  const [refresh] = useState(() => ({ run: () => {} }));
  refresh.run = () => wanted.invalidate();
  const [soon] = useState(() => throttled(() => refresh.run(), 250));
  useEffect(() => () => soon.cancel(), [soon]);
  useAppEvents((event) => {
    const changed = event.topic === 'session' || event.topic === 'missed';
    if (changed || (event.topic === 'job' && event.job.state !== 'running')) soon.request();
  });
  return useWindow(shown);
}

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
