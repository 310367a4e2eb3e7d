import { Fragment, useState } from 'react';
import { openDialog, setLetters, useView } from '../../app/view-state.ts';
import { t } from '../../i18n/t.ts';
import { useCommands } from '../../keymap/command-context.ts';
import type { Command, CommandGroup } from '../../keymap/commands.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Keys } from '../../ui/kbd.tsx';
import { Overlay } from '../../ui/overlay.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { matchWords } from './match.ts';

const GROUPS: readonly CommandGroup[] = ['reader', 'list', 'session', 'copy', 'everywhere', 'go'];

/** Every key, by what it is about; drawn from the commands themselves, so it cannot be out of date. */
export function KeysSheet() {
  const open = useView((view) => view.dialog === 'keys');
  return (
    <Overlay label={t.keys.label} className="pal keys flex flex-col" open={open} onClose={() => openDialog(null)}>
      <KeysBody />
    </Overlay>
  );
}

function KeysBody() {
  const [words, setWords] = useState('');
  const letters = useView((view) => view.letters);
  const shown = useCommands().filter(
    (command) => (command.keys?.length ?? 0) > 0 && (matchWords(command.title, words) || command.keys?.includes(words)),
  );
  return (
    <>
      <div className="head line !ps-5">
        <Icon name="keyboard" size={18} />
        <h2 className="text-15">{t.keys.label}</h2>
        <span className="cnt">{t.keys.hint}</span>
        <span className="fill" />
        <SearchField
          className="w-52"
          label={t.keys.find}
          value={words}
          onChange={setWords}
          clearLabel={t.list.clearSearch}
        />
        <IconButton icon="close" label={t.app.close} onClick={() => openDialog(null)} />
      </div>
      <div className="g min-h-0 overflow-y-auto">
        {GROUPS.map((group) => {
          const commands = shown.filter((command) => command.group === group);
          return commands.length === 0 ? null : <Group key={group} name={t.keys.groups[group]} commands={commands} />;
        })}
      </div>
      <div className="pal-f !mt-0 flex-none">
        <span>{letters ? t.keys.letters : t.keys.lettersOff}</span>
        <span className="flex-1" />
        <Button kind="quiet" size="small" onClick={() => setLetters(!letters)}>
          {letters ? t.keys.turnOff : t.keys.turnOn}
        </Button>
      </div>
    </>
  );
}

function Group({ name, commands }: { name: string; commands: readonly Command[] }) {
  return (
    <section>
      <h3>{name}</h3>
      {commands.map((command) => (
        <div key={command.id}>
          <span>{command.title}</span>
          <span>
            {command.keys?.map((binding, i) => (
              <Fragment key={binding}>
                {i > 0 ? ' / ' : null}
                <Keys binding={binding} />
              </Fragment>
            ))}
          </span>
        </div>
      ))}
    </section>
  );
}
