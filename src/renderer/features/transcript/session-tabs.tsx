import { useSession } from '../../app/queries.ts';
import { t } from '../../i18n/t.ts';
import { AgentMark } from '../../ui/agent-mark.tsx';
import { IconButton } from '../../ui/button.tsx';
import { titleOf } from '../sessions/words.ts';

interface SessionTabsProps {
  tabs: readonly string[];
  openId: string | null;
  onOpen(id: string): void;
  onClose(id: string): void;
  onNew(): void;
}

/** The open sessions, one tab each. */
export function SessionTabs({ tabs, openId, onOpen, onClose, onNew }: SessionTabsProps) {
  return (
    <nav className="tabs" aria-label={t.reader.tabs}>
      {tabs.map((id) => (
        <SessionTab key={id} id={id} on={id === openId} onOpen={() => onOpen(id)} onClose={() => onClose(id)} />
      ))}
      <div className="row px-1">
        <IconButton icon="plus" small label={t.commands.switchSession} binding="Mod+P" onClick={onNew} />
      </div>
    </nav>
  );
}

function SessionTab({ id, on, onOpen, onClose }: { id: string; on: boolean; onOpen(): void; onClose(): void }) {
  const session = useSession(id).data;
  const title = session ? titleOf(session) : id;
  return (
    <div className={`tab ${on ? 'is-on' : ''}`}>
      <button
        type="button"
        className="row gap-1.5 self-stretch"
        aria-current={on ? 'page' : undefined}
        title={title}
        onClick={onOpen}
      >
        {session ? <AgentMark agent={session.agent} size={14} /> : null}
        <span className="cut">{title}</span>
      </button>
      <IconButton icon="close" small className="x" label={t.reader.closeTab} onClick={onClose} />
    </div>
  );
}
