import { useEffect, useMemo, useState } from 'react';
import type { Output } from '../../../shared/api.ts';
import { toAppError } from '../../../shared/errors.ts';
import type { GraphRow } from '../../../shared/lineage.ts';
import { useClient } from '../../app/client-context.ts';
import { throttled, useAppEvents } from '../../app/live.ts';
import { PagedWindow } from '../../app/paged-window.ts';
import { useWindow } from '../../app/use-window.ts';
import { sayError } from '../../ui/toast.tsx';

export interface GraphChoice {
  rows: 'turns' | 'segments';
  subagents: boolean;
  /** stretches that are drawn turn by turn */
  open: readonly string[];
}

export type GraphWindow = PagedWindow<GraphRow>;
/** What is said of the whole family beside its rows. */
export type GraphFacts = Omit<Output<'lineage.graph'>, 'rows'>;

/** The graph of a session's family: rows by page as they are looked at, drawn again when the family grows. */
export function useGraph(
  id: string,
  { rows, subagents, open }: GraphChoice,
): { view: GraphWindow; facts: GraphFacts | null } {
  const client = useClient();
  const [facts, setFacts] = useState<{ of: GraphWindow; facts: GraphFacts } | null>(null);
  const opened = open.join('\n');
  const view = useMemo(() => {
    const made: GraphWindow = new PagedWindow<GraphRow>({
      pageSize: 100,
      keep: 600,
      fetch: async (from, limit, signal) => {
        const asked = { id, rows, subagents, open: opened === '' ? [] : opened.split('\n'), from, limit };
        const { rows: page, ...about } = await client.call('lineage.graph', asked, signal);
        setFacts({ of: made, facts: about });
        return { total: about.total, rows: page };
      },
      onError: (thrown) => sayError(toAppError(thrown).message),
    });
    return made;
  }, [client, id, rows, subagents, opened]);
  useEffect(() => {
    view.ensure(0, 60);
    return () => view.close();
  }, [view]);
  // a session that is written to changes at each event; a graph need not follow it that fast
  const [soon] = useState(() => ({ now: (): void => {}, later: throttled(() => soon.now(), 500) }));
  soon.now = () => view.invalidate();
  useEffect(() => () => soon.later.cancel(), [soon]);
  useAppEvents((event) => {
    if (event.topic === 'missed' || event.topic === 'session') soon.later.request();
  });
  return { view: useWindow(view), facts: facts?.of === view ? facts.facts : null };
}
