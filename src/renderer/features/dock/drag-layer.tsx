import { monitorForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import type { DragLocationHistory } from '@atlaskit/pragmatic-drag-and-drop/types';
import { useEffect, useRef } from 'react';
import { useInfo } from '../../app/queries.ts';
import { type Drag, useView } from '../../app/view-state.ts';
import { formatTokens } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { AgentMark } from '../../ui/agent-mark.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Keys } from '../../ui/kbd.tsx';
import { sizeOf, titleOf } from '../sessions/words.ts';
import { ghostWords, pathTo } from './paths.ts';

/** What follows the pointer, or stands at the bottom for the keyboard: what is being moved and what the drop would do. */
export function DragLayer() {
  const drag = useView((view) => view.drag);
  if (!drag) return null;
  return drag.by === 'mouse' ? <Ghost drag={drag} /> : <Banner drag={drag} />;
}

function Ghost({ drag }: { drag: Drag }) {
  const element = useRef<HTMLDivElement>(null);
  const agents = useInfo()?.agents ?? [];
  const target = agents.find((agent) => agent.id === drag.over);
  useEffect(() => {
    const follow = ({ location }: { location: DragLocationHistory }) => {
      if (!element.current) return;
      const { clientX, clientY } = location.current.input;
      // It never covers the dock, whose targets it is about.
      const dock = document.querySelector('.dock')?.getBoundingClientRect().left ?? window.innerWidth;
      const x = Math.max(0, Math.min(clientX + 12, dock - 304));
      element.current.style.transform = `translate(${x}px, ${clientY + 12}px)`;
      element.current.hidden = false;
    };
    // A change of target replaces the move that led to it.
    return monitorForElements({ onDrag: follow, onDropTargetChange: follow });
  }, []);
  const path = target ? pathTo(target, drag.session.agent, undefined) : null;
  const size = sizeOf(drag.session);
  return (
    <div ref={element} className="ghost" hidden>
      <AgentMark agent={drag.session.agent} decorative />
      <span className="cut font-label">{titleOf(drag.session)}</span>
      <span className="text-11 text-tx-3">{size === null ? '' : formatTokens(size)}</span>
      <span className="to">
        {target && path ? (
          <>
            <Icon name={path.icon} size={14} />
            {ghostWords(target.label, path)}
          </>
        ) : (
          <span className="text-tx-3">{t.dock.ghostNone}</span>
        )}
      </span>
    </div>
  );
}

function Banner({ drag }: { drag: Drag }) {
  return (
    <div className="banner" role="status">
      <Icon name="handoff" size={14} tone="ac" />
      <span className="cut max-w-72">
        {t.dock.moving} <strong>{titleOf(drag.session)}</strong>
      </span>
      <span className="hint">
        <Keys binding="ArrowUp" />
        <Keys binding="ArrowDown" /> {t.dock.choose}
      </span>
      <span className="hint">
        <Keys binding="Enter" /> {t.dock.drop}
      </span>
      <span className="hint">
        <Keys binding="Escape" /> {t.dock.cancel}
      </span>
    </div>
  );
}
