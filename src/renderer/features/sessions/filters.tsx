import type { SessionRow } from '../../../shared/session.ts';
import { useInfo } from '../../app/queries.ts';
import { t } from '../../i18n/t.ts';
import { AgentMark, agentLabel } from '../../ui/agent-mark.tsx';
import { ChipButton } from '../../ui/chip.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ActionMenu, type MenuEntry } from '../../ui/menu.tsx';
import { addFilter, type Filter, parseQuery, removeFilter } from './query-language.ts';
import type { SessionWindow } from './session-window.ts';
import { projectOf } from './words.ts';

interface FiltersProps {
  text: string;
  onChange(text: string): void;
  view: SessionWindow;
}

/** The filters of the search box as chips: those that are on first, then those that could be. */
export function Filters({ text, onChange, view }: FiltersProps) {
  const { filters } = parseQuery(text);
  const on = filters.filter((filter) => filter.key !== 'sort');
  const has = (key: Filter['key']) => on.some((filter) => filter.key === key);
  const add = (filter: Filter) => onChange(addFilter(text, filter));
  const agents = useInfo()?.agents ?? [];
  return (
    <div className="row flex-none gap-1 overflow-hidden px-3 pb-2">
      {on.map((filter) => (
        <ChipButton
          key={`${filter.key}:${filter.value}`}
          on
          removable
          lead={<Lead filter={filter} />}
          aria-label={`${wordsOf(filter)}, ${t.app.close.toLowerCase()}`}
          onClick={() => onChange(removeFilter(text, filter))}
        >
          {wordsOf(filter)}
        </ChipButton>
      ))}
      {has('project') ? null : <FilterMenu label={t.list.filterProject} entries={() => projectEntries(view, add)} />}
      {has('agent') ? null : (
        <FilterMenu
          label={t.list.filterAgent}
          entries={() =>
            agents.map((agent) => ({
              id: agent.id,
              title: agent.label,
              run: () => add({ key: 'agent', value: agent.id }),
            }))
          }
        />
      )}
      <FilterMenu
        label={t.list.filterHas}
        entries={() => [
          ...Object.entries(t.list.has).map(([value, title]) => ({
            id: value,
            title,
            run: () => add({ key: 'has', value }),
          })),
          { id: 'subagents', title: t.list.withSubagents, run: () => add({ key: 'with', value: 'subagents' }) },
          { id: 'empty', title: t.list.withEmpty, run: () => add({ key: 'with', value: 'empty' }) },
        ]}
      />
    </div>
  );
}

function FilterMenu({ label, entries }: { label: string; entries(): MenuEntry[] }) {
  return <ActionMenu label={label} entries={entries} trigger={<ChipButton>{label}</ChipButton>} />;
}

/** Projects of the rows that are here; others are found by typing. */
function projectEntries(view: SessionWindow, add: (filter: Filter) => void): MenuEntry[] {
  const folders = new Set<string>();
  for (let i = 0; i < (view.total ?? 0) && folders.size < 12; i += 1) {
    const row: SessionRow | undefined = view.get(i);
    if (row?.cwd) folders.add(row.cwd);
  }
  return [...folders].map((cwd) => ({
    id: cwd,
    title: projectOf(cwd),
    icon: 'folder',
    run: () => add({ key: 'project', value: cwd }),
  }));
}

function Lead({ filter }: { filter: Filter }) {
  if (filter.key === 'agent') return <AgentMark agent={filter.value} size={12} decorative />;
  return filter.key === 'project' ? <Icon name="folder" size={12} /> : null;
}

function wordsOf({ key, value }: Filter): string {
  switch (key) {
    case 'agent':
      return agentLabel(value);
    case 'project':
      return projectOf(value);
    case 'has':
      return t.list.has[value as keyof typeof t.list.has];
    case 'before':
      return t.list.before(value);
    case 'after':
      return t.list.after(value);
    case 'with':
      return value === 'empty' ? t.list.withEmpty : t.list.withSubagents;
    case 'sort':
      return t.list.sort[value as keyof typeof t.list.sort];
  }
}
