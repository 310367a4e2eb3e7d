import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { GraphRow } from '../../shared/lineage.ts';
import { GraphView } from '../features/graph/graph-view.tsx';
import { Inspector } from '../features/inspector/inspector.tsx';
import { t } from '../i18n/t.ts';
import { focusPane } from '../keymap/panes.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { useOpenSession } from './navigation.ts';
import { openDialog, useView } from './view-state.ts';

/** The graph of a family, and beside it the session of the chosen row. Without an id, that of the session opened last. */
export function GraphPage({ id }: { id: string | null }) {
  const navigate = useNavigate();
  const last = useView((view) => view.tabs.at(-1) ?? null);
  const open = useOpenSession(null);
  const shown = id ?? last;
  const [chosen, setChosen] = useState<GraphRow | null>(null);
  return (
    <>
      <main className="pane main" data-pane="main" tabIndex={-1}>
        {shown === null ? (
          <Empty icon="graph" title={t.graph.choose} why={t.graph.chooseWhy}>
            <Button kind="primary" onClick={() => openDialog('palette', '@')}>
              {t.graph.chooseSession}
            </Button>
          </Empty>
        ) : (
          <GraphView
            key={shown}
            id={shown}
            chosen={chosen}
            onChoose={setChosen}
            onOpenEvent={(session, seq) =>
              void navigate({
                to: '/s/$sessionId/e/$seq',
                params: { sessionId: session, seq: String(seq) },
                search: true,
              })
            }
            onBack={() => open(shown)}
          />
        )}
      </main>
      <Inspector id={chosen?.session ?? shown} onOpenSession={open} onBack={() => focusPane('main')} />
    </>
  );
}
