import { useQueryClient } from '@tanstack/react-query';
import { toAppError } from '../../../shared/errors.ts';
import type { SessionRow } from '../../../shared/session.ts';
import { useClient } from '../../app/client-context.ts';
import { queries } from '../../app/queries.ts';
import { t } from '../../i18n/t.ts';
import { useCommands } from '../../keymap/command-context.ts';
import { AgentMark } from '../../ui/agent-mark.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy.ts';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { sayError } from '../../ui/toast.tsx';
import { titleOf } from '../sessions/words.ts';
import { TranscriptRows } from './transcript-rows.tsx';
import { useTranscript } from './use-transcript.ts';

interface TranscriptViewProps {
  id: string;
  /** the event a link points at */
  seq: number | null;
  onOpenSession(id: string): void;
  onSearch(text: string): void;
  onBack(): void;
  onCloseTab(): void;
  linkTo(session: string, seq: number): string;
}

/** One session: its title, and its rows. */
export function TranscriptView({ id, seq, onOpenSession, onSearch, onBack, onCloseTab, linkTo }: TranscriptViewProps) {
  const client = useClient();
  const queryClient = useQueryClient();
  const transcript = useTranscript(id, seq);
  if (transcript.state === 'opening') return <div className="scroll" aria-busy="true" />;
  if (transcript.state === 'failed') {
    return (
      <Empty
        icon="search"
        title={transcript.missing ? t.app.noSession : t.app.failed}
        why={transcript.missing ? t.app.noSessionWhy(id) : transcript.message}
      >
        <Button kind="primary" onClick={() => onSearch(id)}>
          {t.app.searchFor}
        </Button>
      </Empty>
    );
  }
  const { session, rows } = transcript;
  return (
    <>
      <SessionHead session={session} />
      {rows.total === 0 ? (
        <Empty icon="sessions" title={t.reader.empty} why={t.reader.emptyWhy(session.events)} />
      ) : (
        <TranscriptRows
          key={`${session.id} ${seq}`}
          session={session}
          jumps={transcript.jumps}
          rows={rows}
          first={transcript.first}
          onOpenSession={onOpenSession}
          onBack={onBack}
          onCloseTab={onCloseTab}
          onCopyEvent={async (event) => {
            try {
              await copyText(
                JSON.stringify(await queryClient.fetchQuery(queries.event(client, session.id, event)), null, 2),
              );
            } catch (thrown) {
              sayError(toAppError(thrown).message);
            }
          }}
          linkTo={(event) => linkTo(session.id, event)}
        />
      )}
    </>
  );
}

const MENU = [
  'handoff',
  'resume.open',
  'resume.copy',
  'export',
  'verify',
  'pane.foldAll',
  'pane.thinking',
  'pane.copyLink',
];

function SessionHead({ session }: { session: SessionRow }) {
  const commands = useCommands();
  const entries = () =>
    MENU.flatMap((id) => commands.find((command) => command.id === id) ?? []).map((command) => {
      const state = command.when();
      return {
        id: command.id,
        title: command.title,
        icon: command.icon,
        binding: command.keys?.[0],
        reason: state === true ? undefined : state || undefined,
        run: command.run,
      };
    });
  return (
    <div className="head line">
      <AgentMark agent={session.agent} size={20} />
      <h2 className="cut fill text-15" title={titleOf(session)}>
        {titleOf(session)}
      </h2>
      {session.git_branch ? (
        <span className="row max-w-60 gap-1.5 text-12 text-tx-3 max-rail:hidden">
          <Icon name="branch" size={12} />
          <span className="mono cut">{session.git_branch}</span>
        </span>
      ) : null}
      <ActionMenu label={t.app.more} entries={entries} trigger={<IconButton icon="more" label={t.app.more} />} />
    </div>
  );
}
