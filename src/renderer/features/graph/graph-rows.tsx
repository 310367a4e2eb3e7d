import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import type { GraphRow } from '../../../shared/lineage.ts';
import { indexes } from '../../app/use-window.ts';
import { t } from '../../i18n/t.ts';
import { usePane } from '../../keymap/panes.ts';
import { useRoving, visibleRange } from '../../ui/use-roving.ts';
import { GraphCells, graphRowName } from './graph-row.tsx';
import { lanesWidth } from './lanes.tsx';
import type { GraphWindow } from './use-graph.ts';

interface GraphRowsProps {
  view: GraphWindow;
  total: number;
  chosen: string | null;
  /** ids of the stretches that are open */
  open: ReadonlySet<string>;
  onChoose(row: GraphRow): void;
  onOpen(row: GraphRow): void;
  onExpand(id: string): void;
  onCollapse(id: string): void;
  onBack(): void;
}

/** The rows of a graph, virtual over their number; keys move between rows, and between branches. */
export function GraphRows({
  view,
  total,
  chosen,
  open,
  onChoose,
  onOpen,
  onExpand,
  onCollapse,
  onBack,
}: GraphRowsProps) {
  const list = useRef<HTMLDivElement>(null);
  const handle = useRef<VirtualizerHandle>(null);
  const { active, go, mark } = useRoving(list, handle, total, view);
  const [seen, setSeen] = useState<[number, number]>([0, 40]);
  const width = lanesWidth(lanesIn(view, seen));
  const look = () => {
    if (!handle.current) return;
    const range = visibleRange(handle.current);
    view.ensure(...range);
    setSeen(range);
  };
  const isDrawn = total > 0;
  // who came here by a key stands on the pane until there is a row
  useEffect(() => {
    if (isDrawn && document.activeElement === list.current?.closest('[data-pane]')) go(0);
  }, [isDrawn, go]);
  const choose = (index: number) => {
    const row = view.get(index);
    if (row) onChoose(row);
  };
  const move = (index: number) => {
    const to = Math.min(Math.max(0, index), total - 1);
    go(to);
    choose(to);
  };
  const row = view.get(active);
  const expand = () => {
    if (row?.kind === 'run') onExpand(row.id);
  };
  const collapse = () => {
    const id = stretchOf(view, active, open);
    if (id !== null) onCollapse(id);
  };
  usePane('main', {
    actions: {
      next: () => move(active + 1),
      previous: () => move(active - 1),
      first: () => move(0),
      last: () => move(total - 1),
      back: onBack,
    },
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey && (event.key === 'ArrowLeft' || event.key === 'ArrowRight'))
      move(branchFrom(view, active, event.key === 'ArrowLeft' ? 1 : -1, total));
    else if (event.altKey || event.ctrlKey || event.metaKey) return;
    else if (event.key === 'ArrowDown') move(active + 1);
    else if (event.key === 'ArrowUp') move(active - 1);
    else if (event.key === 'ArrowRight') expand();
    else if (event.key === 'ArrowLeft') collapse();
    else if (event.key === 'Enter' && row) onOpen(row);
    else return;
    event.preventDefault();
  };
  const at = (target: EventTarget): number | null => {
    const index = (target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset.index;
    return index === undefined ? null : Number(index);
  };
  return (
    <>
      <GraphHead width={width} />
      <div
        ref={list}
        className="scroll"
        style={{ '--lanes': `${width}px` } as React.CSSProperties}
        role="listbox"
        aria-label={t.graph.label}
        onKeyDown={onKeyDown}
        onClick={(event) => {
          const index = at(event.target);
          if (index === null) return;
          mark(index);
          choose(index);
        }}
        onDoubleClick={(event) => {
          const here = view.get(at(event.target) ?? -1);
          if (here?.kind === 'run') onExpand(here.id);
          else if (here) onOpen(here);
        }}
      >
        <Virtualizer
          ref={handle}
          data={indexes(total)}
          keepMounted={total > 0 ? [active] : []}
          onScroll={look}
          itemSize={28}
        >
          {(_, index) => {
            const here = view.get(index);
            const on = here !== undefined && here.id === chosen;
            return (
              <div
                key={here === undefined ? index : `${here.id} ${here.kind}`}
                role="option"
                aria-selected={on}
                aria-setsize={total}
                aria-posinset={index + 1}
                aria-label={here ? graphRowName(here) : undefined}
                tabIndex={index === active ? 0 : -1}
                data-entry
                data-index={index}
                className={`lrow in ${on ? 'is-on' : ''} ${here?.active === false ? 'is-dead' : ''}`}
              >
                {here ? <GraphCells row={here} width={width} /> : null}
              </div>
            );
          }}
        </Virtualizer>
      </div>
    </>
  );
}

function GraphHead({ width }: { width: number }) {
  const { columns } = t.graph;
  return (
    <div className="lhead" style={{ '--lanes': `${width}px` } as React.CSSProperties} aria-hidden="true">
      <span>{columns.lanes}</span>
      <span>{columns.time}</span>
      <span />
      <span>{columns.node}</span>
      <span className="num">{columns.tokens}</span>
      <span className="num">{columns.files}</span>
    </div>
  );
}

/** Lanes that the rows on screen need: the text begins where they end. */
function lanesIn(view: GraphWindow, [first, last]: [number, number]): number {
  let most = 3;
  for (let index = first; index <= last; index += 1)
    for (const { lane } of view.get(index)?.strokes ?? []) most = Math.max(most, lane + 1);
  return most;
}

/** The stretch that a row was opened from: the nearest opened id above it in its session. */
function stretchOf(view: GraphWindow, from: number, open: ReadonlySet<string>): string | null {
  const session = view.get(from)?.session;
  for (let index = from; index >= 0; index -= 1) {
    const row = view.get(index);
    if (row === undefined) return null;
    if (row.session === session && open.has(row.id)) return row.id;
  }
  return null;
}

/** The next row, that way, where a branch begins or ends. */
function branchFrom(view: GraphWindow, from: number, step: 1 | -1, total: number): number {
  for (let index = from + step; index >= 0 && index < total; index += step) {
    const row = view.get(index);
    if (row === undefined || row.branches.length > 0 || row.head !== null || row.came !== null) return index;
  }
  return from;
}
