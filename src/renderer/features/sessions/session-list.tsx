import { useRef } from 'react';
import { t } from '../../i18n/t.ts';
import { IconButton } from '../../ui/button.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Filters } from './filters.tsx';
import { ListEmpty } from './list-empty.tsx';
import { addFilter, parseQuery, toSessionQuery } from './query-language.ts';
import { SessionRows } from './session-rows.tsx';
import { useSessionWindow } from './session-window.ts';

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
          onKeyDown={(event) => {
            if (event.key !== 'ArrowDown' && event.key !== 'Enter' && event.key !== 'Escape') return;
            event.preventDefault();
            focusEntry(event.currentTarget);
          }}
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
        <SessionRows
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

/** From the search box into the rows. */
const focusEntry = (from: HTMLElement): void =>
  from.closest('[data-pane]')?.querySelector<HTMLElement>('[data-entry][tabindex="0"]')?.focus();
