import { useQuery } from '@tanstack/react-query';
import type { SessionRow } from '../../../shared/session.ts';
import { useClient } from '../../app/client-context.ts';
import { queries, useSession } from '../../app/queries.ts';
import { type InspectorTab, openHandoff, setInspectorOpen, showInspector, useView } from '../../app/view-state.ts';
import { t } from '../../i18n/t.ts';
import { useCommands } from '../../keymap/command-context.ts';
import { usePane } from '../../keymap/panes.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import type { IconName } from '../../ui/icon.tsx';
import { UnderTabs } from '../../ui/tabs.tsx';
import { Details } from './details.tsx';
import { EventPanel } from './event-panel.tsx';
import { FilesPanel } from './files-panel.tsx';
import { LineagePanel } from './lineage-panel.tsx';
import { TokensPanel } from './tokens-panel.tsx';
import { WarningsPanel } from './warnings-panel.tsx';

const STRIP: readonly { tab: InspectorTab; icon: IconName }[] = [
  { tab: 'details', icon: 'info' },
  { tab: 'tokens', icon: 'compile' },
  { tab: 'files', icon: 'file' },
  { tab: 'lineage', icon: 'graph' },
  { tab: 'warnings', icon: 'warn' },
];

interface InspectorProps {
  id: string | null;
  onOpenSession(id: string): void;
  onBack(): void;
}

/** Always about what is chosen: the open session, and the event picked in it. Narrow, it is a strip of 44 px. */
export function Inspector({ id, onOpenSession, onBack }: InspectorProps) {
  const session = useSession(id ?? '').data;
  return (
    <aside className="pane side r" aria-label={t.inspector.label} data-pane="inspector" tabIndex={-1}>
      <Strip />
      <div className="insp-body">
        <div className="row h-9 flex-none border-line-1 border-b px-3">
          <span className="fill font-title text-12">{t.inspector.title}</span>
          <IconButton
            icon="panel"
            small
            label={t.inspector.hide}
            binding="Mod+."
            onClick={() => setInspectorOpen(false)}
          />
        </div>
        {id !== null && session ? <Open session={session} onOpenSession={onOpenSession} onBack={onBack} /> : null}
      </div>
    </aside>
  );
}

function Strip() {
  return (
    <div className="strip">
      <IconButton icon="panel" label={t.inspector.show} binding="Mod+." onClick={() => setInspectorOpen(true)} />
      {STRIP.map(({ tab, icon }) => (
        <IconButton key={tab} icon={icon} label={t.inspector.tabs[tab]} onClick={() => showInspector(tab)} />
      ))}
    </div>
  );
}

function Open({
  session,
  onOpenSession,
  onBack,
}: {
  session: SessionRow;
  onOpenSession(id: string): void;
  onBack(): void;
}) {
  const tab = useView((view) => view.inspectorTab);
  const seq = useView((view) => view.seq);
  const files = useFilesCount(session.id);
  usePane('inspector', { session, actions: { back: onBack } });
  const tabs = [
    { value: 'details', label: t.inspector.tabs.details },
    { value: 'tokens', label: t.inspector.tabs.tokens },
    { value: 'files', label: t.inspector.tabs.files, count: files },
    { value: 'lineage', label: t.inspector.tabs.lineage },
    ...(tab === 'event' || seq !== null
      ? [{ value: 'event' as const, label: t.inspector.tabs.event }]
      : [
          { value: 'warnings' as const, label: t.inspector.tabs.warnings, count: session.warnings.length || undefined },
        ]),
  ] as const;
  return (
    <>
      <UnderTabs
        label={t.inspector.label}
        value={tabs.some((known) => known.value === tab) ? tab : 'details'}
        onChange={(next) => useView.setState({ inspectorTab: next, ...(next === 'event' ? {} : { seq: null }) })}
        tabs={tabs}
      >
        {tab === 'tokens' ? (
          <TokensPanel session={session} />
        ) : tab === 'files' ? (
          <FilesPanel id={session.id} />
        ) : tab === 'lineage' ? (
          <LineagePanel id={session.id} onOpenSession={onOpenSession} />
        ) : tab === 'warnings' ? (
          <WarningsPanel session={session} />
        ) : tab === 'event' ? (
          <EventPanel id={session.id} seq={seq} />
        ) : (
          <Details session={session} />
        )}
      </UnderTabs>
      <Foot session={session} />
    </>
  );
}

const useFilesCount = (id: string): number | undefined => useQuery(queries.files(useClient(), id)).data?.length;

function Foot({ session }: { session: SessionRow }) {
  const commands = useCommands();
  const run = (id: string) => commands.find((command) => command.id === id)?.run();
  const electron = useClient().host === 'electron';
  const handoff = commands.find((command) => command.id === 'handoff');
  return (
    <div className="foot gap-1.5">
      <span className="joined min-w-0">
        <Button onClick={() => run('resume.copy')}>{t.inspector.copyResume}</Button>
        {electron ? <Button onClick={() => run('resume.open')}>{t.inspector.openTerminal}</Button> : null}
      </span>
      <span className="fill" />
      <Button
        kind="primary"
        icon="handoff"
        onClick={() => (handoff ? handoff.run() : openHandoff(session.id, session.agent))}
      >
        {t.inspector.handOff}
      </Button>
    </div>
  );
}
