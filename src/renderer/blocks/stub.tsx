import type { ReactNode } from 'react';
import { Icon, type IconName } from '../ui/icon.tsx';

/** Dashed: not here, or not to be shown. Says what and how many, with one action. */
export function Stub({
  icon,
  children,
  action,
}: {
  icon: IconName;
  children: ReactNode;
  action?: { label: string; run(): void };
}) {
  return (
    <div className="stub">
      <Icon name={icon} />
      <span className="fill">{children}</span>
      {action ? (
        <button type="button" className="link" onClick={action.run}>
          {action.label}
        </button>
      ) : null}
    </div>
  );
}
