import { Menu } from '@base-ui/react/menu';
import type { ReactElement } from 'react';
import { Icon, type IconName } from './icon.tsx';
import { Keys } from './kbd.tsx';

export interface MenuEntry {
  id: string;
  title: string;
  icon?: IconName | undefined;
  binding?: string | undefined;
  /** a disabled entry stays, with its reason */
  reason?: string | undefined;
  checked?: boolean;
  run(): void;
}

interface ActionMenuProps {
  label: string;
  trigger: ReactElement;
  /** asked when the menu opens, since what can be done changes */
  entries(): readonly MenuEntry[];
}

/** A menu on a button. Entries are rows of 28 px with icon, words and key. */
export function ActionMenu({ label, trigger, entries }: ActionMenuProps) {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger render={trigger} />
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="start" className="z-[var(--z-popover)]">
          <Menu.Popup className="menu" aria-label={label}>
            <MenuRows entries={entries} />
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

const MenuRows = ({ entries }: Pick<ActionMenuProps, 'entries'>) =>
  entries().map((entry) => <MenuRow key={entry.id} entry={entry} />);

function MenuRow({ entry }: { entry: MenuEntry }) {
  const off = entry.reason !== undefined;
  return (
    <Menu.Item className={`menu-i ${off ? 'off' : ''}`} disabled={off} onClick={entry.run}>
      {entry.checked ? <Icon name="check" size={14} /> : entry.icon ? <Icon name={entry.icon} size={14} /> : <span />}
      <span className="cut">{entry.title}</span>
      <span>{off ? entry.reason : entry.binding ? <Keys binding={entry.binding} /> : null}</span>
    </Menu.Item>
  );
}
