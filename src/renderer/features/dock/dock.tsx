import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import type { SessionRow } from '../../../shared/session.ts';
import { useInfo } from '../../app/queries.ts';
import { type Drag, holdOver, openHandoff, putDown, setDockPinned, useView } from '../../app/view-state.ts';
import { t } from '../../i18n/t.ts';
import { AgentMark } from '../../ui/agent-mark.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { dockOrder, type Path, pathTo } from './paths.ts';
import { usePlans } from './plans.ts';

interface DockProps {
  session: SessionRow;
  drag: Drag | null;
  /** the target of the open sheet, which the dock stands beside */
  chosen: string | null;
}

/** The agents a session can be continued in, each with the way it would take. Slides in for a drag, or stays. */
export function Dock({ session, drag, chosen }: DockProps) {
  const dock = useRef<HTMLElement>(null);
  const pinned = useView((view) => view.dockPinned);
  const agents = dockOrder(useInfo()?.agents ?? [], session.agent);
  const plans = usePlans(drag || chosen ? session : null, agents);
  const byKeys = drag?.by === 'keys';

  useEffect(() => {
    if (byKeys) focusTarget(dock.current, 0);
  }, [byKeys]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && drag) {
      putDown();
      document.querySelector<HTMLElement>(`[data-pane="list"] [data-session="${CSS.escape(session.id)}"]`)?.focus();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      focusTarget(dock.current, event.key === 'ArrowDown' ? 1 : -1);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <aside
      ref={dock}
      className={`dock slide ${chosen ? '' : 'wide'}`}
      aria-label={t.dock.label}
      data-pane="dock"
      onKeyDown={onKeyDown}
    >
      <div className="dock-h">
        <span className="cut fill">{drag ? t.dock.dropTitle : t.dock.title}</span>
        <IconButton icon="pin" small label={t.dock.keepOpen} pressed={pinned} onClick={() => setDockPinned(!pinned)} />
      </div>
      {agents.map((agent) => (
        <DockTarget
          key={agent.id}
          agent={agent.id}
          label={agent.label}
          path={pathTo(agent, session.agent, plans.get(agent.id))}
          over={drag ? drag.over === agent.id : chosen === agent.id}
          onChoose={() => openHandoff(session.id, agent.id)}
        />
      ))}
    </aside>
  );
}

/** Moves the focus among the targets that can be chosen; 0 is the first. */
function focusTarget(dock: HTMLElement | null, step: 0 | 1 | -1): void {
  const targets = [...(dock?.querySelectorAll<HTMLElement>('button.dt:not([aria-disabled="true"])') ?? [])];
  const from = document.activeElement instanceof HTMLElement ? targets.indexOf(document.activeElement) : -1;
  const next = step === 0 || from < 0 ? 0 : (from + step + targets.length) % targets.length;
  targets[next]?.focus();
}

interface DockTargetProps {
  agent: string;
  label: string;
  path: Path;
  over: boolean;
  onChoose(): void;
}

function DockTarget({ agent, label, path, over, onChoose }: DockTargetProps) {
  const element = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!element.current) return;
    return dropTargetForElements({
      element: element.current,
      canDrop: ({ source }) => path.possible && source.data.kind === 'session',
      onDragEnter: () => holdOver(agent),
      onDragLeave: () => holdOver(null),
      onDrop: onChoose,
    });
  }, [agent, path.possible, onChoose]);
  return (
    <button
      ref={element}
      type="button"
      className={`dt ${over ? 'is-over' : ''} ${path.possible ? '' : 'is-not'}`}
      aria-disabled={!path.possible}
      onFocus={() => path.possible && holdOver(agent)}
      onClick={() => path.possible && onChoose()}
    >
      <AgentMark agent={agent} size={24} decorative />
      <span className="nm cut">{label}</span>
      <span className="pth">
        <Icon name={path.icon} size={14} />
        <span className="cut">{path.word}</span>
      </span>
      <span className="why">{path.why}</span>
    </button>
  );
}
