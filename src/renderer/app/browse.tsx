import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect } from 'react';
import { Inspector } from '../features/inspector/inspector.tsx';
import { SessionList } from '../features/sessions/session-list.tsx';
import { SessionTabs } from '../features/transcript/session-tabs.tsx';
import { TranscriptView } from '../features/transcript/transcript-view.tsx';
import { t } from '../i18n/t.ts';
import { focusPane } from '../keymap/panes.ts';
import { Empty } from '../ui/empty.tsx';
import { Keys } from '../ui/kbd.tsx';
import { useOpenSession } from './navigation.ts';
import { closeTab, openDialog, showTab, useView } from './view-state.ts';

interface BrowseProps {
  /** the text of the search box */
  text: string;
  openId: string | null;
  seq: number | null;
}

/** Back from the inspector: where it lies over the transcript it goes away. */
function leaveInspector(): void {
  useView.setState({ inspectorOver: false });
  focusPane('main');
}

/** List, transcript, inspector. */
export function Browse({ text, openId, seq }: BrowseProps) {
  const navigate = useNavigate();
  const tabs = useView((view) => view.tabs);
  const open = useOpenSession(openId);
  const openAt = (id: string, event: number) => {
    showTab(id, openId);
    void navigate({ to: '/s/$sessionId/e/$seq', params: { sessionId: id, seq: String(event) }, search: true });
  };

  useEffect(() => {
    if (openId !== null) showTab(openId, null);
  }, [openId]);

  const onText = (q: string) => void navigate({ to: '.', search: q === '' ? {} : { q }, replace: true });
  const toList = useCallback(() => {
    // On a narrow window the list is a place of its own; else it is beside, and only the focus goes there.
    if (!focusPane('list')) void navigate({ to: '/sessions', search: true });
  }, [navigate]);
  const close = (id: string) => {
    const next = closeTab(id);
    if (id !== openId) return;
    if (next === null) void navigate({ to: '/sessions', search: true });
    else open(next);
  };
  return (
    <>
      <SessionList text={text} onText={onText} openId={openId} onOpen={open} onOpenAt={openAt} />
      <main className="pane main" data-pane="main" tabIndex={-1}>
        <SessionTabs
          tabs={tabs}
          openId={openId}
          onOpen={open}
          onClose={close}
          onNew={() => openDialog('palette', '@')}
        />
        {openId === null ? (
          <Empty
            icon="sessions"
            title={t.reader.nothingOpen}
            why={
              <>
                {t.reader.nothingOpenWhy} <Keys binding="Mod+P" />
              </>
            }
          />
        ) : (
          <TranscriptView
            key={openId}
            id={openId}
            seq={seq}
            onOpenSession={open}
            onSearch={onText}
            onBack={toList}
            onCloseTab={() => close(openId)}
            linkTo={(session, event) => `${window.location.origin}${window.location.pathname}#/s/${session}/e/${event}`}
          />
        )}
      </main>
      <Inspector id={openId} onOpenSession={open} onBack={leaveInspector} />
    </>
  );
}
