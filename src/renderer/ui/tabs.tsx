import { Tabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

interface UnderTabsProps<T extends string> {
  label: string;
  value: T;
  onChange(value: T): void;
  tabs: readonly { value: T; label: string; count?: number | string | undefined }[];
  /** of the panel, which else scrolls by itself */
  panelClass?: string;
  /** the panel of the chosen tab */
  children: ReactNode;
}

/** Underlined tabs inside a pane, with a count in caption. */
export function UnderTabs<T extends string>({
  label,
  value,
  onChange,
  tabs,
  panelClass = 'scroll in',
  children,
}: UnderTabsProps<T>) {
  return (
    <Tabs.Root className="contents" value={value} onValueChange={(next) => onChange(next as T)}>
      <Tabs.List className="utabs" aria-label={label} activateOnFocus>
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.value} value={tab.value} className="in">
            {tab.label}
            {tab.count === undefined ? null : <span className="cnt">{tab.count}</span>}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={value} className={panelClass}>
        {children}
      </Tabs.Panel>
    </Tabs.Root>
  );
}
