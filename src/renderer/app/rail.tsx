import { Link } from '@tanstack/react-router';
import { t } from '../i18n/t.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Tip } from '../ui/tooltip.tsx';

/** The views of the app. Only those that exist have a place here. */
export function Rail({ view }: { view: 'sessions' | 'graph' | 'receipts' }) {
  return (
    <nav className="rail" aria-label={t.app.views} data-pane="rail">
      <h1 className="sr-only">{`${t.app.name}: ${t.app[view]}`}</h1>
      <Place to="/sessions" icon="sessions" label={t.app.sessions} on={view === 'sessions'} binding="g s" />
      <Place to="/graph" icon="graph" label={t.app.graph} on={view === 'graph'} binding="g g" />
      <Place to="/receipts" icon="receipts" label={t.app.receipts} on={view === 'receipts'} binding="g v" />
      <span className="flex-1" />
      <Place to="/welcome" icon="folder" label={t.app.sources} on={false} binding="g o" />
    </nav>
  );
}

interface PlaceProps {
  to: '/sessions' | '/graph' | '/receipts' | '/welcome';
  icon: IconName;
  label: string;
  on: boolean;
  binding: string;
}

function Place({ to, icon, label, on, binding }: PlaceProps) {
  return (
    <Tip text={label} binding={binding} side="right">
      <Link to={to} className="rail-i" aria-current={on ? 'page' : undefined} aria-label={label}>
        <Icon name={icon} size={18} />
        <span>{label}</span>
      </Link>
    </Tip>
  );
}
