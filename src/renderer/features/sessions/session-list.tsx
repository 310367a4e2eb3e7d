import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { indexes } from '../../app/use-window.ts';
import { pickUp } from '../../app/view-state.ts';
import { formatCount } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { usePane } from '../../keymap/panes.ts';
import { IconButton } from '../../ui/button.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { useRoving, visibleRange } from '../../ui/use-roving.ts';
import { Filters } from './filters.tsx';
import { groupOf, headAt } from './groups.ts';
import { KinRows } from './kin-rows.tsx';
import { ListEmpty } from './list-empty.tsx';
import { addFilter, parseQuery, toSessionQuery } from './query-language.ts';
import { RowMenu } from './row-menu.tsx';
import { SessionItem } from './session-item.tsx';
import { type SessionWindow, useSessionWindow } from './session-window.ts';

interface SessionListProps {
  /** the text of the search box; it is in the URL */
  text: string;
  onText(text: string): void;
  openId: string | null;
  onOpen(id: string, inNewTab?: boolean): void;
}

/** The list of sessions: a search box, its filters as chips, and the rows, virtual over the known total. */
export function SessionList({ text, onText, openId, onOpen }: SessionListProps) {
  const parsed = parseQuery(text);
  const query = toSessionQuery(parsed);
  const view = useSessionWindow(query);
  const search = useRef<HTMLInputElement>(null);
  const sorts = () =>
    Object.entries(t.list.sort).map(([value, title]) => ({
      id: value,
      title,
      checked: (query.sort ?? 'recent') === value,
      run: () => onText(addFilter(text, { key: 'sort', value })),
    }));
  return (
    <section className="pane side l" aria-label={t.list.label} data-pane="list" tabIndex={-1}>
      <div className="head !px-2">
        <SearchField
          className="fill"
          label={t.list.search}
          value={text}
          onChange={onText}
          clearLabel={t.list.clearSearch}
          binding="/"
          inputRef={search}
        />
        <ActionMenu
          label={t.list.sortAndGroup}
          entries={sorts}
          trigger={<IconButton icon="sort" label={t.list.sortAndGroup} />}
        />
      </div>
      <Filters text={text} onChange={onText} view={view} />
      {view.total === 0 ? (
        <div className="scroll">
          <ListEmpty text={text} onText={onText} />
        </div>
      ) : (
        <Rows
          view={view}
          grouped={(query.sort ?? 'recent') === 'recent'}
          openId={openId}
          onOpen={onOpen}
          onSearch={() => search.current?.focus()}
        />
      )}
    </section>
  );
}

interface RowsProps {
  view: SessionWindow;
  grouped: boolean;
  openId: string | null;
  onOpen(id: string, inNewTab?: boolean): void;
  onSearch(): void;
}

function Rows({ view, grouped, openId, onOpen, onSearch }: RowsProps) {
  const list = useRef<HTMLDivElement>(null);
  const handle = useRef<VirtualizerHandle>(null);
  const total = view.total ?? 0;
  const { active, go, mark } = useRoving(list, handle, total);
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const [openAt, setOpenAt] = useState<number | null>(null);

  const look = () => {
    if (handle.current) view.ensure(...visibleRange(handle.current));
  };
  useEffect(look);

  const rowAt = (index: number) => view.get(index);
  const toggle = (id: string, open: boolean) =>
    setExpanded((old) => (open ? new Set([...old, id]) : new Set([...old].filter((other) => other !== id))));
  const open = (index: number, inNewTab = false) => {
    const row = rowAt(index);
    if (!row) return;
    setOpenAt(index);
    onOpen(row.id, inNewTab);
  };
  const neighbour = (step: 1 | -1) => {
    const from = openAt !== null && rowAt(openAt)?.id === openId ? openAt : indexOfId(view, openId);
    const next = from === null ? 0 : from + step;
    if (next >= 0 && next < total) {
      mark(next);
      open(next);
    }
  };
  const step = (delta: 1 | -1) => {
    const here = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    const item = list.current?.querySelector(`[data-item="${active}"]`);
    const options = [...(item?.querySelectorAll<HTMLElement>('[role="option"]') ?? [])];
    const at = here ? options.indexOf(here) : -1;
    const next = at < 0 ? undefined : options[at + delta];
    if (next) next.focus();
    else go(list.current?.contains(here) ? active + delta : active);
  };
  const activeRow = rowAt(active);

  usePane('list', {
    session: activeRow,
    actions: {
      next: () => step(1),
      previous: () => step(-1),
      first: () => go(0),
      last: () => go(total - 1),
      search: onSearch,
      nextSession: () => neighbour(1),
      previousSession: () => neighbour(-1),
      expand: () => activeRow && toggle(activeRow.id, true),
      collapse: () => activeRow && toggle(activeRow.id, false),
      pickUp: () => activeRow && pickUp(activeRow, 'keys'),
    },
  });

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const id = (event.target as HTMLElement).dataset.session;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') step(event.key === 'ArrowDown' ? 1 : -1);
    else if (event.key === 'Enter' && id) onOpen(id, event.ctrlKey || event.metaKey);
    else return;
    event.preventDefault();
  };
  const onClick = (event: MouseEvent) => {
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
    if (!row) return;
    mark(Number(row.dataset.index));
    open(Number(row.dataset.index), event.ctrlKey || event.metaKey);
  };

  return (
    <RowMenu>
      <div
        ref={list}
        className="scroll list-body"
        role="listbox"
        aria-label={t.list.label}
        aria-busy={view.total === null}
        onKeyDown={onKeyDown}
        onClick={onClick}
        onContextMenu={(event) => {
          const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
          if (row) mark(Number(row.dataset.index));
        }}
      >
        <Virtualizer
          ref={handle}
          data={indexes(total)}
          keepMounted={total > 0 ? [active] : []}
          onScroll={look}
          onResize={look}
          bufferSize={400}
        >
          {(_, index) => {
            const row = rowAt(index);
            const head = grouped ? headAt(index, total, (i) => groupAt(view, i)) : null;
            return (
              <div key={row?.id ?? index} data-item={index} className={index === total - 1 ? 'pb-2' : ''}>
                {head ? (
                  <div className="gh">
                    {t.list.groups[head.group]}
                    {head.count === null ? null : <span className="cnt">{formatCount(head.count)}</span>}
                  </div>
                ) : null}
                {row ? (
                  <SessionItem
                    row={row}
                    index={index}
                    total={total}
                    selected={row.id === openId}
                    focusable={index === active}
                    expanded={expanded.has(row.id)}
                    onToggle={() => toggle(row.id, !expanded.has(row.id))}
                  />
                ) : (
                  <div className="h-12" aria-hidden="true" />
                )}
                {row && expanded.has(row.id) ? <KinRows row={row} openId={openId} onOpen={onOpen} /> : null}
              </div>
            );
          }}
        </Virtualizer>
      </div>
    </RowMenu>
  );
}

const groupAt = (view: SessionWindow, index: number) => {
  const row = view.get(index);
  return row === undefined ? undefined : groupOf(row.last_activity);
};

function indexOfId(view: SessionWindow, id: string | null): number | null {
  if (id === null) return null;
  for (let i = 0; i < (view.total ?? 0); i += 1) if (view.get(i)?.id === id) return i;
  return null;
}
