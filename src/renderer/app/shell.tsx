import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useRouterState, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { toAppError } from '../../shared/errors.ts';
import { Dock } from '../features/dock/dock.tsx';
import { DragLayer } from '../features/dock/drag-layer.tsx';
import { ExportDialog } from '../features/export/export-dialog.tsx';
import { FirstRun } from '../features/first-run/first-run.tsx';
import { HandoffLayer } from '../features/handoff/handoff-sheet.tsx';
import { recordProgress } from '../features/handoff/runs.ts';
import { KeysSheet } from '../features/palette/keys-sheet.tsx';
import { Palette } from '../features/palette/palette.tsx';
import { ReceiptsView } from '../features/receipts/receipts-view.tsx';
import { t } from '../i18n/t.ts';
import { CommandContext } from '../keymap/command-context.ts';
import { useKeys } from '../keymap/dispatcher.ts';
import { focusPane, trackPanes } from '../keymap/panes.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { ToastHost } from '../ui/toast.tsx';
import { Browse } from './browse.tsx';
import { useClient } from './client-context.ts';
import { GraphPage } from './graph-page.tsx';
import { useAppEvents, useLiveQueries } from './live.ts';
import { Locked } from './locked.tsx';
import { useOpenSession } from './navigation.ts';
import { queries, useSession } from './queries.ts';
import { Rail } from './rail.tsx';
import { StatusBar } from './status-bar.tsx';
import { useAppCommands } from './use-app-commands.ts';
import { useView } from './view-state.ts';

/** Everything on screen. Until the engine answers there is nothing to show; a store that is not there yet starts the first run. */
export function Shell() {
  const { data: info, error } = useQuery(queries.info(useClient()));
  const path = useRouterState({ select: (state) => state.location.pathname });
  if (error) {
    const problem = toAppError(error);
    if (problem.code.startsWith('key_')) return <Locked message={problem.message} />;
    return (
      <Empty icon="error" title={t.app.unreachable} why={problem.message || t.app.unreachableWhy}>
        <Button kind="primary" onClick={() => window.location.reload()}>
          {t.app.reload}
        </Button>
      </Empty>
    );
  }
  if (!info) return null;
  if (!info.initialised || path === '/welcome') {
    return (
      <>
        <FirstRun />
        <ToastHost />
      </>
    );
  }
  return <Frame path={path} />;
}

function Frame({ path }: { path: string }) {
  const { q } = useSearch({ strict: false });
  const { sessionId, seq, receiptId, graphId } = useParams({ strict: false });
  const navigate = useNavigate();
  const openId = sessionId ?? null;
  const open = useOpenSession(openId);
  const commands = useAppCommands();
  const inspector = useView(
    (view) => `${view.inspectorOpen ? '' : 'no-insp'} ${view.inspectorOver ? 'insp-over' : ''}`,
  );
  const receipts = path.startsWith('/receipts');
  const graph = path.startsWith('/graph');

  useLiveQueries(openId);
  useAppEvents((event) => {
    if (event.topic === 'handoff') recordProgress(event.progress);
  });
  useKeys(commands);
  useEffect(trackPanes, []);

  const depth = openId === null && receiptId === undefined && !graph ? 'list' : 'content';
  const layout = receipts ? 'two' : graph ? `no-list ${inspector}` : inspector;
  return (
    <CommandContext value={commands}>
      <div className="stage">
        <div className={`app ${layout}`} data-depth={depth}>
          <Rail view={receipts ? 'receipts' : graph ? 'graph' : 'sessions'} />
          {receipts ? (
            <ReceiptsView
              openId={receiptId ?? null}
              onOpen={(id) => void navigate({ to: '/receipts/$receiptId', params: { receiptId: id } })}
              onOpenSession={open}
              onBack={() => {
                if (!focusPane('list')) void navigate({ to: '/receipts' });
              }}
            />
          ) : graph ? (
            <GraphPage id={graphId ?? null} />
          ) : (
            <Browse text={q ?? ''} openId={openId} seq={seq === undefined ? null : Number(seq)} />
          )}
          <StatusBar />
        </div>
        <DockLayer openId={openId} />
      </div>
      <DragLayer />
      <HandoffLayer />
      <ExportDialog />
      <Palette onOpenSession={open} />
      <KeysSheet />
      <ToastHost />
    </CommandContext>
  );
}

/** The dock: while something is picked up, or pinned beside the open session. The sheet has its own. */
function DockLayer({ openId }: { openId: string | null }) {
  const drag = useView((view) => view.drag);
  const shown = useView((view) => view.dockPinned && view.handoff === null);
  const session = useSession(openId ?? '').data;
  const about = drag?.session ?? (shown ? session : undefined);
  return about ? <Dock session={about} drag={drag} chosen={null} /> : null;
}
