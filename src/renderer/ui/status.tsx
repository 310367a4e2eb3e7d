import type { SessionRow } from '../../shared/session.ts';
import { t } from '../i18n/t.ts';
import { Icon, type IconName } from './icon.tsx';

type StatusName = SessionRow['status'];

const LOOKS: Record<StatusName, { icon: IconName; className: string }> = {
  working: { icon: 's-work', className: 'text-ac-tx' },
  idle: { icon: 's-idle', className: '' },
  ended_mid_tool: { icon: 's-unclean', className: 'text-bad-tx' },
  empty: { icon: 's-stale', className: '' },
};

/** A session's state: shape and word, colour only repeats them. */
export function Status({ status, iconOnly = false }: { status: StatusName; iconOnly?: boolean }) {
  const look = LOOKS[status];
  return (
    <span className={`stat ${look.className}`}>
      {iconOnly ? <Icon name={look.icon} size={12} label={t.status[status]} /> : <Icon name={look.icon} size={12} />}
      {iconOnly ? null : <span>{t.status[status]}</span>}
    </span>
  );
}
