import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { toAppError } from '../../../shared/errors.ts';
import type { SessionRow } from '../../../shared/session.ts';
import type { TranscriptRow } from '../../../shared/transcript.ts';
import type { Client } from '../../app/client.ts';
import { useClient } from '../../app/client-context.ts';
import { throttled, useAppEvents } from '../../app/live.ts';
import { PagedWindow } from '../../app/paged-window.ts';
import { queries } from '../../app/queries.ts';
import { useWindow } from '../../app/use-window.ts';
import { markRead } from '../../app/view-state.ts';
import { sayError } from '../../ui/toast.tsx';
import type { Jumps } from './jumps.ts';

const PAGE = 100;
const KEEP = 1200;

export type RowWindow = PagedWindow<TranscriptRow>;
export type Transcript =
  | { state: 'opening' }
  | { state: 'failed'; message: string; missing: boolean }
  | { state: 'open'; session: SessionRow; jumps: Jumps; rows: RowWindow; first: number | null };

const createRows = (client: Client, id: string): RowWindow =>
  new PagedWindow<TranscriptRow>({
    pageSize: PAGE,
    keep: KEEP,
    fetch: (from, limit, signal) => client.call('transcript.rows', { id, from, limit }, signal),
    onError: (thrown) => sayError(toAppError(thrown).message),
  });

/** Opens a session with one call (two for a link to an event) and keeps it true while the agent writes on. */
export function useTranscript(id: string, seq: number | null): Transcript {
  const client = useClient();
  const queryClient = useQueryClient();
  const rows = useMemo(() => createRows(client, id), [client, id]);
  const [opened, setOpened] = useState<{ rows: RowWindow; transcript: Transcript } | null>(null);
  useWindow(rows);

  useEffect(() => {
    const stop = new AbortController();
    const open = async () => {
      const first = seq === null ? null : (await client.call('transcript.locate', { id, seq }, stop.signal)).ordinal;
      const from = first === null ? {} : { from: Math.max(0, first - PAGE / 2) };
      const { session, jumps, page } = await client.call('transcript.open', { id, limit: PAGE, ...from }, stop.signal);
      if (stop.signal.aborted) return;
      rows.seed(page.from, page);
      queryClient.setQueryData(queries.session(client, session.id).queryKey, session);
      markRead(session.id);
      setOpened({ rows, transcript: { state: 'open', session, jumps, rows, first } });
    };
    open().catch((thrown) => {
      if (stop.signal.aborted) return;
      const error = toAppError(thrown);
      setOpened({ rows, transcript: { state: 'failed', message: error.message, missing: error.code === 'not_found' } });
    });
    return () => stop.abort();
  }, [client, id, seq, rows, queryClient]);
  useEffect(() => () => rows.close(), [rows]);

  useTail(id, rows, (session, jumps) =>
    setOpened((old) =>
      old?.rows === rows && old.transcript.state === 'open'
        ? { rows, transcript: { ...old.transcript, session, jumps } }
        : old,
    ),
  );
  return opened?.rows === rows ? opened.transcript : { state: 'opening' };
}

/** Reads the end again, in one call, whenever the log of the session grew. */
function useTail(id: string, rows: RowWindow, onRead: (session: SessionRow, jumps: Jumps) => void): void {
  const client = useClient();
  const queryClient = useQueryClient();
  const [latest] = useState(() => ({ read: async () => {} }));
  latest.read = async () => {
    if (rows.total === null) return;
    const from = Math.max(0, rows.total - 1);
    const { session, jumps, page } = await client.call('transcript.open', { id, from, limit: PAGE });
    rows.seed(page.from, page);
    queryClient.setQueryData(queries.session(client, session.id).queryKey, session);
    markRead(session.id);
    onRead(session, jumps);
    // A compaction or a rewind changes what earlier rows are; they are read again as they are looked at.
    if (page.rows.some((row) => !row.active || (row.kind === 'rule' && row.rule === 'compaction'))) rows.invalidate();
  };
  const [soon] = useState(() =>
    throttled(() => void latest.read().catch((thrown) => sayError(toAppError(thrown).message)), 60),
  );
  useEffect(() => () => soon.cancel(), [soon]);
  useAppEvents((event) => {
    if (event.topic === 'missed') rows.invalidate();
    else if (event.topic !== 'session' || event.id !== id) return;
    else if (event.change === 'changed') rows.invalidate();
    soon.request();
  });
}
