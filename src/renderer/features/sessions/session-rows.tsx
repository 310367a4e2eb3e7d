import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { indexes } from '../../app/use-window.ts';
import { pickUp } from '../../app/view-state.ts';
import { formatCount } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { usePane } from '../../keymap/panes.ts';
import { useRoving, visibleRange } from '../../ui/use-roving.ts';
import { type GroupHead, groupOf, headAt } from './groups.ts';
import { KinRows } from './kin-rows.tsx';
import { RowMenu } from './row-menu.tsx';
import { SessionItem } from './session-item.tsx';
import type { SessionWindow } from './session-window.ts';

interface SessionRowsProps {
  view: SessionWindow;
  /** headings by time; only where the list is sorted by time */
  grouped: boolean;
  openId: string | null;
  onOpen(id: string, inNewTab?: boolean): void;
  onSearch(): void;
}

/** The rows of the list: one tab stop, arrows and j/k move, Enter opens, Space picks up. */
export function SessionRows(props: SessionRowsProps) {
  const { view, grouped, openId, onOpen } = props;
  const total = view.total ?? 0;
  const rows = useRows(props, total);
  return (
    <RowMenu>
      <div
        ref={rows.list}
        className="scroll list-body"
        role="listbox"
        aria-label={t.list.label}
        aria-busy={view.total === null}
        onKeyDown={rows.onKeyDown}
        onClick={rows.onClick}
        onContextMenu={rows.onContextMenu}
      >
        <Virtualizer
          ref={rows.handle}
          data={indexes(total)}
          keepMounted={total > 0 ? [rows.active] : []}
          onScroll={rows.look}
          onResize={rows.look}
          bufferSize={400}
        >
          {(_, index) => {
            const row = view.get(index);
            const expanded = row !== undefined && rows.expanded.has(row.id);
            return (
              <div key={row?.id ?? index} data-item={index} className={index === total - 1 ? 'pb-2' : ''}>
                <Heading head={grouped ? headAt(index, total, (i) => groupAt(view, i)) : null} />
                {row ? (
                  <SessionItem
                    row={row}
                    index={index}
                    total={total}
                    selected={row.id === openId}
                    focusable={index === rows.active}
                    expanded={expanded}
                    onToggle={() => rows.toggle(row.id, !expanded)}
                  />
                ) : (
                  <div className="h-12" aria-hidden="true" />
                )}
                {expanded ? <KinRows row={row} openId={openId} onOpen={onOpen} /> : null}
              </div>
            );
          }}
        </Virtualizer>
      </div>
    </RowMenu>
  );
}

function Heading({ head }: { head: GroupHead | null }) {
  if (!head) return null;
  return (
    <div className="gh">
      {t.list.groups[head.group]}
      {head.count === null ? null : <span className="cnt">{formatCount(head.count)}</span>}
    </div>
  );
}

const groupAt = (view: SessionWindow, index: number) => {
  const row = view.get(index);
  return row === undefined ? undefined : groupOf(row.last_activity);
};

const indexIn = (event: MouseEvent): number | null => {
  const index = (event.target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset.index;
  return index === undefined ? null : Number(index);
};

/** Focus, opening and folding of the rows, and what the pane offers to keys and menus. */
function useRows({ view, openId, onOpen, onSearch }: SessionRowsProps, total: number) {
  const list = useRef<HTMLDivElement>(null);
  const handle = useRef<VirtualizerHandle>(null);
  const { active, isChosen, go, mark } = useRoving(list, handle, total, view);
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const look = () => {
    if (handle.current) view.ensure(...visibleRange(handle.current));
  };
  useEffect(look);

  const toggle = (id: string, open: boolean) =>
    setExpanded((old) => (open ? new Set([...old, id]) : new Set([...old].filter((other) => other !== id))));
  const open = (index: number, inNewTab = false) => {
    const row = view.get(index);
    if (row) onOpen(row.id, inNewTab);
  };
  const neighbour = (delta: 1 | -1) => {
    const from = view.find((row) => row.id === openId);
    const next = from === null ? 0 : from + delta;
    if (next < 0 || next >= total) return;
    mark(next);
    open(next);
  };
  const step = (delta: 1 | -1) => {
    const next = nextInItem(list.current, active, delta);
    if (next) next.focus();
    else go(list.current?.contains(document.activeElement) ? active + delta : active);
  };
  const standing = view.get(active);
  const row = standing && isChosen(standing.id) ? standing : undefined;
  usePane('list', {
    session: row,
    actions: {
      next: () => step(1),
      previous: () => step(-1),
      first: () => go(0),
      last: () => go(total - 1),
      search: onSearch,
      nextSession: () => neighbour(1),
      previousSession: () => neighbour(-1),
      expand: () => row && toggle(row.id, true),
      collapse: () => row && toggle(row.id, false),
      pickUp: () => row && pickUp(row, 'keys'),
    },
  });
  return {
    list,
    handle,
    active,
    expanded,
    toggle,
    look,
    onKeyDown(event: KeyboardEvent) {
      const id = (event.target as HTMLElement).dataset.session;
      if (event.key === 'ArrowDown' || event.key === 'ArrowUp') step(event.key === 'ArrowDown' ? 1 : -1);
      else if (event.key === 'Enter' && id) onOpen(id, event.ctrlKey || event.metaKey);
      else return;
      event.preventDefault();
    },
    onClick(event: MouseEvent) {
      const index = indexIn(event);
      if (index === null) return;
      mark(index);
      open(index, event.ctrlKey || event.metaKey);
    },
    onContextMenu(event: MouseEvent) {
      const index = indexIn(event);
      if (index !== null) mark(index);
    },
  };
}

/** The next option within the item that has the focus: a row and, opened, its family. */
function nextInItem(list: HTMLElement | null, active: number, delta: 1 | -1): HTMLElement | undefined {
  const item = list?.querySelector(`[data-item="${active}"]`);
  const options = [...(item?.querySelectorAll<HTMLElement>('[role="option"]') ?? [])];
  const at = document.activeElement instanceof HTMLElement ? options.indexOf(document.activeElement) : -1;
  return at < 0 ? undefined : options[at + delta];
}
