import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

/** An empty view says why, with numbers, and gives one action. */
export function Empty({
  icon,
  title,
  why,
  children,
}: {
  icon: IconName;
  title: string;
  why?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="empty">
      <Icon name={icon} size={32} />
      <h2 className="text-15">{title}</h2>
      {why ? <p>{why}</p> : null}
      {children ? <div className="btns">{children}</div> : null}
    </div>
  );
}
