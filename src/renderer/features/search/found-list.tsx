import { type KeyboardEvent, type MouseEvent, useRef } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { toAppError } from '../../../shared/errors.ts';
import { indexes } from '../../app/use-window.ts';
import { t } from '../../i18n/t.ts';
import { usePane } from '../../keymap/panes.ts';
import { Empty } from '../../ui/empty.tsx';
import { useRoving, visibleRange } from '../../ui/use-roving.ts';
import { FoundRow } from './found-row.tsx';
import type { Search } from './use-search.ts';

interface FoundListProps {
  search: Search;
  openId: string | null;
  /** opens a session where it was said; without a number where it was left */
  onOpen(id: string, seq?: number): void;
  onSearch(): void;
}

/** Rows that are left below when the next page is fetched. */
const AHEAD = 30;

/** What was said, by session; Enter opens the session at that place. */
export function FoundList({ search, ...rest }: FoundListProps) {
  const { rows, first } = search;
  if (search.error) return <Empty icon="error" title={t.app.failed} why={toAppError(search.error).message} />;
  if (rows.length === 0)
    return search.pending || first?.index.complete === false ? (
      <Notes search={search} />
    ) : (
      <>
        <Notes search={search} />
        <Empty icon="search" title={t.found.none} why={t.found.noneWhy} />
      </>
    );
  return (
    <>
      <Notes search={search} />
      <FoundRows search={search} {...rest} />
    </>
  );
}

/** What of the query was taken otherwise, and how far the index is. */
function Notes({ search: { first } }: { search: Search }) {
  const index = first?.index;
  const notes = [
    ...(first?.notes ?? []),
    ...(index && !index.complete ? [t.found.indexing(index.sessions, index.sessions_total)] : []),
  ];
  return (
    <div role="status">
      {notes.map((note) => (
        <p key={note} className="px-4 pb-2 text-11 text-tx-3">
          {note}
        </p>
      ))}
    </div>
  );
}

function FoundRows({ search, openId, onOpen, onSearch }: FoundListProps) {
  const { rows } = search;
  const total = rows.length;
  const list = useRef<HTMLDivElement>(null);
  const handle = useRef<VirtualizerHandle>(null);
  const { active, go, mark } = useRoving(list, handle, total, {
    get: (index) => rows[index],
    find: (fits) => {
      const at = rows.findIndex(fits);
      return at < 0 ? null : at;
    },
  });
  const look = () => {
    if (handle.current && visibleRange(handle.current)[1] > total - AHEAD) search.more();
  };
  const open = (index: number) => {
    const row = rows[index];
    if (row?.kind === 'hit') onOpen(row.session.id, row.hit.seq);
    else if (row?.kind === 'more') void search.moreOf(row.session.id);
    else if (row) onOpen(row.session.id);
  };
  const step = (delta: 1 | -1) => go(list.current?.contains(document.activeElement) ? active + delta : active);
  usePane('list', {
    session: rows[active]?.session,
    actions: {
      next: () => step(1),
      previous: () => step(-1),
      first: () => go(0),
      last: () => go(total - 1),
      search: onSearch,
    },
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') step(event.key === 'ArrowDown' ? 1 : -1);
    else if (event.key === 'Enter') open(active);
    else return;
    event.preventDefault();
  };
  const onClick = (event: MouseEvent) => {
    const index = (event.target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset.index;
    if (index === undefined) return;
    mark(Number(index));
    open(Number(index));
  };
  return (
    <div
      ref={list}
      className="scroll list-body"
      role="listbox"
      aria-label={t.found.label}
      onKeyDown={onKeyDown}
      onClick={onClick}
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
          const row = rows[index];
          return row ? (
            <FoundRow
              key={row.id}
              row={row}
              index={index}
              total={total}
              focusable={index === active}
              selected={row.kind === 'session' && row.session.id === openId}
            />
          ) : (
            <span key={index} />
          );
        }}
      </Virtualizer>
    </div>
  );
}
