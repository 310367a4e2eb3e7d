import type { SourceInfo } from '../../../shared/api.ts';
import { useInfo } from '../../app/queries.ts';
import { userHome } from '../../app/user-home.ts';
import { formatBytes, formatCount, tildePath } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { AgentMark } from '../../ui/agent-mark.tsx';
import { Button } from '../../ui/button.tsx';
import { Tick } from '../../ui/tick.tsx';

interface SourcesStepProps {
  sources: readonly SourceInfo[];
  isOn(agent: string): boolean;
  onTick(agent: string, on: boolean): void;
  busy: boolean;
  onRead(): void;
  onSkip(): void;
  onSample(): void;
}

/** The sources of this machine with their counts, found by name alone; only what is ticked will be opened. */
export function SourcesStep({ sources, isOn, onTick, busy, onRead, onSkip, onSample }: SourcesStepProps) {
  const ticked = sources.filter((source) => source.exists && isOn(source.agent));
  const sessions = ticked.reduce((sum, source) => sum + source.sessions, 0);
  const bytes = ticked.reduce((sum, source) => sum + source.bytes, 0);
  const { columns } = t.first;
  const info = useInfo();
  return (
    <>
      <main className="pane" data-pane="main" tabIndex={-1}>
        <div className="scroll max-w-[900px] px-14 pt-16 max-insp:px-8">
          <h1 className="text-20">{t.first.title}</h1>
          <p className="mt-1 mb-6 text-tx-2">{t.first.intro}</p>
          <div className="opt !h-7 !border-line-2 text-11 text-tx-3" aria-hidden="true">
            <span />
            <span className="col-span-2">{columns.agent}</span>
            <span className="num">{columns.sessions}</span>
            <span className="num">{columns.size}</span>
            <span className="opt-note text-end">{columns.note}</span>
          </div>
          <ul>
            {sources.map((source) => (
              <SourceRow
                key={source.root}
                source={source}
                on={source.exists && isOn(source.agent)}
                onTick={(on) => onTick(source.agent, on)}
              />
            ))}
          </ul>
          <p className="mt-5 text-12 text-tx-3" role="status">
            {ticked.length === 0 ? t.first.noneTicked : t.first.ticked(ticked.length, sessions, bytes)}
          </p>
        </div>
      </main>
      <footer className="row border-line-1 border-t px-14 max-insp:px-8">
        {info?.sample ? null : (
          <Button kind="quiet" size="large" className="-ms-3.5" disabled={busy} onClick={onSample}>
            {t.first.sample}
          </Button>
        )}
        <span className="fill" />
        <Button kind="quiet" size="large" disabled={busy} onClick={onSkip}>
          {info?.initialised ? t.app.cancel : t.first.skip}
        </Button>
        <Button kind="primary" size="large" disabled={busy || ticked.length === 0} onClick={onRead}>
          {t.first.read(sessions)}
        </Button>
      </footer>
    </>
  );
}

function SourceRow({ source, on, onTick }: { source: SourceInfo; on: boolean; onTick(on: boolean): void }) {
  const home = userHome(useInfo());
  const warned = source.warnings[0];
  const note =
    warned?.detail ??
    (source.exists
      ? source.sessions === 0
        ? t.first.emptyFolder
        : source.enabled
          ? t.first.enabled
          : source.databases
            ? t.first.databases
            : ''
      : t.first.missing);
  return (
    <li className={`opt ${source.exists ? '' : 'off'}`}>
      <Tick label={t.first.tick(source.label)} on={on} disabled={!source.exists} onChange={onTick} />
      <AgentMark agent={source.agent} size={24} decorative />
      <div className="col">
        <span className="font-label">{source.label}</span>
        <span className="mono cut !text-11 text-tx-3" title={source.root}>
          {tildePath(source.root, home)}
        </span>
      </div>
      <span className="num">{source.databases === source.sessions ? '–' : formatCount(source.sessions)}</span>
      <span className="num text-tx-3">{source.exists ? formatBytes(source.bytes) : '–'}</span>
      <span className={`opt-note cut text-end text-12 ${warned ? 'text-warn-tx' : 'text-tx-3'}`} title={note}>
        {note}
      </span>
    </li>
  );
}
