import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { useClient } from '../../app/client-context.ts';
import { openDialog, useView } from '../../app/view-state.ts';
import { formatWhen } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { useCommands } from '../../keymap/command-context.ts';
import { AgentMark } from '../../ui/agent-mark.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Keys } from '../../ui/kbd.tsx';
import { Overlay } from '../../ui/overlay.tsx';
import { projectOf, titleOf } from '../sessions/words.ts';
import { matchWords, type Part } from './match.ts';

/** One line of the palette. */
interface Entry {
  id: string;
  group: string;
  mark: ReactNode;
  parts: Part[];
  right: ReactNode;
  off: boolean;
  run(): void;
}

const close = () => openDialog(null);

/** Commands and sessions by a few letters; ">" for commands alone, "@" for sessions. */
export function Palette({ onOpenSession }: { onOpenSession(id: string, inNewTab?: boolean): void }) {
  const open = useView((view) => view.dialog === 'palette');
  const start = useView((view) => view.paletteStart);
  return (
    <Overlay label={t.palette.label} className="pal" open={open} onClose={close}>
      <PaletteBody key={start} start={start} onOpenSession={onOpenSession} />
    </Overlay>
  );
}

function PaletteBody({ start, onOpenSession }: { start: string; onOpenSession(id: string, inNewTab?: boolean): void }) {
  const [text, setText] = useState(start);
  const [at, setAt] = useState(0);
  const list = useId();
  const scope = /^[>@]/.exec(text)?.[0] ?? '';
  const words = text.slice(scope.length).trim();
  const commands = useCommandEntries(scope === '@' ? null : words);
  const sessions = useSessionEntries(scope === '>' ? null : words, onOpenSession);
  const entries = [...commands, ...sessions];
  const chosen = entries[Math.min(at, entries.length - 1)];

  const run = (entry: Entry | undefined) => {
    if (!entry || entry.off) return;
    close();
    // The dialog gives the focus back first, so that the command meets the pane it is about.
    setTimeout(entry.run, 0);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, entries.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else if (event.key === 'Enter') run(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className="pal-in">
        <Icon name="search" size={18} tone="quiet" />
        <PaletteInput
          list={list}
          chosen={chosen}
          value={text}
          onChange={(value) => {
            setText(value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        <span className="text-11 text-tx-3">
          {scope === '>' ? t.palette.commands : scope === '@' ? t.palette.sessions : t.palette.all}
        </span>
      </div>
      <div id={list} role="listbox" aria-label={t.palette.label} className="max-h-[60vh] overflow-y-auto pb-1">
        {entries.length === 0 ? <p className="px-4 py-3 text-12 text-tx-3">{t.palette.nothing}</p> : null}
        {entries.map((entry, i) => (
          <div key={entry.id} role="presentation">
            {entry.group !== entries[i - 1]?.group ? <div className="pal-g">{entry.group}</div> : null}
            <EntryRow
              id={`${list} ${entry.id}`}
              entry={entry}
              on={entry === chosen}
              onPoint={() => setAt(i)}
              onRun={() => run(entry)}
            />
          </div>
        ))}
      </div>
      <PaletteFoot />
    </>
  );
}

interface PaletteInputProps {
  list: string;
  chosen: Entry | undefined;
  value: string;
  onChange(value: string): void;
  onKeyDown(event: KeyboardEvent): void;
}

/** The field keeps the focus; the chosen row is named by aria-activedescendant. */
function PaletteInput({ list, chosen, value, onChange, onKeyDown }: PaletteInputProps) {
  return (
    <input
      className="fill bg-transparent outline-none placeholder:text-tx-3"
      role="combobox"
      aria-expanded="true"
      aria-controls={list}
      aria-activedescendant={chosen ? `${list} ${chosen.id}` : undefined}
      aria-label={t.palette.label}
      placeholder={t.palette.placeholder}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={onKeyDown}
    />
  );
}

function EntryRow({
  id,
  entry,
  on,
  onPoint,
  onRun,
}: {
  id: string;
  entry: Entry;
  on: boolean;
  onPoint(): void;
  onRun(): void;
}) {
  return (
    // The input keeps the focus and has the keys; aria-activedescendant names the row.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    // biome-ignore lint/a11y/useFocusableInteractive: see above
    <div
      id={id}
      ref={(element) => {
        if (on) element?.scrollIntoView({ block: 'nearest' });
      }}
      role="option"
      aria-selected={on}
      aria-disabled={entry.off}
      className={`pal-r ${on ? 'is-on' : ''} ${entry.off ? 'off' : ''}`}
      onMouseMove={on ? undefined : onPoint}
      onClick={onRun}
    >
      {entry.mark}
      <span className="cut">
        {entry.parts.map((part, i) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text
          part.hit ? <mark key={i}>{part.text}</mark> : <span key={i}>{part.text}</span>,
        )}
      </span>
      <span className="r">{entry.right}</span>
    </div>
  );
}

function useCommandEntries(words: string | null): Entry[] {
  const commands = useCommands();
  if (words === null) return [];
  return commands.flatMap((command) => {
    const state = command.when();
    const parts =
      command.palette === false || state === false || command.id === 'palette'
        ? null
        : matchWords(command.title, words);
    if (!parts) return [];
    const key = command.keys?.[0];
    return {
      id: command.id,
      group: t.palette.commands,
      mark: <Icon name={command.icon ?? 'arr-r'} />,
      parts,
      right: state === true ? key ? <Keys binding={key} /> : null : state,
      off: state !== true,
      run: command.run,
    };
  });
}

const SHOWN = 12;

function useSessionEntries(words: string | null, onOpenSession: (id: string) => void): Entry[] {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['palette', words],
    queryFn: ({ signal }) => client.call('sessions.list', { ...(words ? { text: words } : {}), limit: SHOWN }, signal),
    enabled: words !== null,
    staleTime: 0,
    placeholderData: (old) => old,
  });
  if (words === null) return [];
  return (data?.rows ?? []).map((row) => ({
    id: row.id,
    group: t.palette.sessions,
    mark: <AgentMark agent={row.agent} />,
    parts: matchWords(titleOf(row), words) ?? [{ text: titleOf(row), hit: false }],
    right: [row.cwd ? projectOf(row.cwd) : '', row.last_activity === null ? '' : formatWhen(row.last_activity)]
      .filter(Boolean)
      .join(' · '),
    off: false,
    run: () => onOpenSession(row.id),
  }));
}

function PaletteFoot() {
  return (
    <div className="pal-f">
      <span>
        <Keys binding="ArrowUp" />
        <Keys binding="ArrowDown" /> {t.palette.choose}
      </span>
      <span>
        <Keys binding="Enter" /> {t.palette.run}
      </span>
      <span className="flex-1" />
      <span>
        <Keys binding=">" /> {t.palette.commandsOnly}
      </span>
      <span>
        <Keys binding="@" /> {t.palette.sessionsOnly}
      </span>
    </div>
  );
}
