import { useRef, useState } from 'react';
import type { SearchResult } from '../../../shared/search.ts';
import { formatCount } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { IconButton } from '../../ui/button.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { UnderTabs } from '../../ui/tabs.tsx';
import { FoundList } from '../search/found-list.tsx';
import { useSearch } from '../search/use-search.ts';
import { Filters } from './filters.tsx';
import { ListEmpty } from './list-empty.tsx';
import { addFilter, parseQuery, toSearchQuery, toSessionQuery } from './query-language.ts';
import { SessionRows } from './session-rows.tsx';
import { useSessionWindow } from './session-window.ts';

interface SessionListProps {
  /** the text of the search box; it is in the URL */
  text: string;
  onText(text: string): void;
  openId: string | null;
  onOpen(id: string, inNewTab?: boolean): void;
  /** at one of its events */
  onOpenAt(id: string, seq: number): void;
}

/** Where is looked for words: in what sessions are called and where they are, or in all that was said. */
type Scope = 'sessions' | 'said';

/** The list of sessions: a search box, its filters as chips, and the rows, virtual over the known total. */
export function SessionList({ text, onText, openId, onOpen, onOpenAt }: SessionListProps) {
  const parsed = parseQuery(text);
  const query = toSessionQuery(parsed);
  const view = useSessionWindow(query);
  const looksFor = toSearchQuery(parsed);
  const said = useSearch(looksFor);
  const [chosen, setChosen] = useState<Scope | null>(null);
  if (looksFor === null && chosen !== null) setChosen(null);
  // Who looks for what no title says wants to see where it was said.
  const scope: Scope = chosen ?? (view.total === 0 ? 'said' : 'sessions');
  const search = useRef<HTMLInputElement>(null);
  const toSearch = () => search.current?.focus();
  const onFound = (id: string, seq?: number) => (seq === undefined ? onOpen(id) : onOpenAt(id, seq));
  const listed =
    view.total === 0 ? (
      <div className="scroll">
        <ListEmpty text={text} onText={onText} />
      </div>
    ) : (
      <SessionRows
        view={view}
        grouped={(query.sort ?? 'recent') === 'recent'}
        openId={openId}
        onOpen={onOpen}
        onSearch={toSearch}
      />
    );
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
      {looksFor === null ? (
        listed
      ) : (
        <UnderTabs<Scope>
          label={t.found.scope}
          value={scope}
          onChange={setChosen}
          panelClass="contents"
          tabs={[
            { value: 'sessions', label: t.found.inTitles, count: formatCount(view.total ?? 0) },
            { value: 'said', label: t.found.inAll, count: said.first && countOf(said.first.total) },
          ]}
        >
          {scope === 'said' ? <FoundList search={said} openId={openId} onOpen={onFound} onSearch={toSearch} /> : listed}
        </UnderTabs>
      )}
    </section>
  );
}

const countOf = ({ hits, exact }: SearchResult['total']): string => `${formatCount(hits)}${exact ? '' : '+'}`;

/** From the search box into the rows. */
const focusEntry = (from: HTMLElement): void =>
  from.closest('[data-pane]')?.querySelector<HTMLElement>('[data-entry][tabindex="0"]')?.focus();
