import { t } from '../i18n/t.ts';
import { Icon } from '../ui/icon.tsx';
import { useInfo, useJobs } from './queries.ts';

/** What holds for the whole app: how many sessions, what runs, how the store is locked, which version. */
export function StatusBar() {
  const info = useInfo();
  const jobs = useJobs();
  const reading = jobs.find((job) => job.kind === 'import' && job.state === 'running');
  const failed = jobs.findLast((job) => job.state === 'failed');
  if (!info) return <footer className="statusbar" />;
  return (
    <footer className="statusbar">
      <span>{t.bar.sessions(info.sessions)}</span>
      {reading ? (
        <span>
          <Icon name="s-work" size={12} tone="ac" />
          {t.bar.reading(reading.done, reading.total)}
        </span>
      ) : (
        <span>
          <Icon name={info.watching ? 'ok' : 's-stale'} size={12} />
          {info.watching ? t.bar.watching : t.bar.notWatching}
        </span>
      )}
      <span className={info.keys.weaker ? 'text-warn-tx' : ''} title={info.keys.text}>
        <Icon name={info.keys.kind === 'none' ? 'lock' : 'unlock'} size={12} />
        {t.bar.keys[info.keys.kind]}
      </span>
      {info.sample ? (
        <span>
          <Icon name="info" size={12} />
          {t.bar.sample}
        </span>
      ) : null}
      <span className="flex-1" />
      {failed ? (
        <span className="text-bad-tx" title={failed.error?.message}>
          <Icon name="error" size={12} />
          {t.bar.jobFailed}
        </span>
      ) : null}
      <span className="mono">{info.version}</span>
    </footer>
  );
}
