import { ContextMenu } from '@base-ui/react/context-menu';
import type { ReactElement } from 'react';
import { t } from '../../i18n/t.ts';
import { useCommands } from '../../keymap/command-context.ts';
import { Icon } from '../../ui/icon.tsx';
import { Keys } from '../../ui/kbd.tsx';

const SHOWN = ['handoff', 'resume.open', 'resume.copy', 'export', 'verify'];

/** The menu of a session row, on a right press or Shift+F10: the same commands as the keys and the palette. */
export function RowMenu({ children }: { children: ReactElement }) {
  const commands = useCommands().filter((command) => SHOWN.includes(command.id));
  return (
    <ContextMenu.Root>
      <ContextMenu.Trigger render={children} />
      <ContextMenu.Portal>
        <ContextMenu.Positioner className="z-[var(--z-popover)]">
          <ContextMenu.Popup className="menu" aria-label={t.inspector.title}>
            {commands.map((command) => {
              const state = command.when();
              const off = state !== true;
              return (
                <ContextMenu.Item
                  key={command.id}
                  className={`menu-i ${off ? 'off' : ''}`}
                  disabled={off}
                  onClick={command.run}
                >
                  {command.icon ? <Icon name={command.icon} size={14} /> : <span />}
                  <span className="cut">{command.title}</span>
                  <span>{off ? state : command.keys?.[0] ? <Keys binding={command.keys[0]} /> : null}</span>
                </ContextMenu.Item>
              );
            })}
          </ContextMenu.Popup>
        </ContextMenu.Positioner>
      </ContextMenu.Portal>
    </ContextMenu.Root>
  );
}
