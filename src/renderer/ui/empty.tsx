import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

interface EmptyProps {
  icon: IconName;
  title: string;
  why?: ReactNode;
  /** under the sentence: a progress bar, a field */
  detail?: ReactNode;
  /** the one action, or none */
  children?: ReactNode;
}

/** An empty view says why, with numbers, and gives one action. */
export function Empty({ icon, title, why, detail, children }: EmptyProps) {
  return (
    <div className="empty">
      <Icon name={icon} size={32} />
      <h2 className="text-15">{title}</h2>
      {why ? <p>{why}</p> : null}
      {detail ? <div className="mt-2 w-60">{detail}</div> : null}
      {children ? <div className="btns">{children}</div> : null}
    </div>
  );
}
