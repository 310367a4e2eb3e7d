import { useEffect, useRef } from 'react';
import type { Job } from '../../../shared/api.ts';
import { closeExport } from '../../app/view-state.ts';
import { formatBytes } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../ui/button.tsx';
import { CommandLine } from '../../ui/command-line.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Progress } from '../../ui/progress.tsx';

interface ExportRunProps {
  /** undefined: asked for, and not heard of yet */
  job: Job | undefined;
  onCancel(): void;
  onAgain(): void;
}

/** A file that is being written, and what became of it. */
export function ExportRun({ job, onCancel, onAgain }: ExportRunProps) {
  const button = useRef<HTMLButtonElement>(null);
  const state = job?.state ?? 'running';
  // The button changes with the state; the keyboard goes along.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is what changes the button
  useEffect(() => button.current?.focus(), [state]);
  return (
    <>
      <div className="px-5 py-4" role="status">
        <p className="flex items-center gap-2 font-label">
          <Icon name={ICONS[state]} size={14} tone={state === 'failed' ? 'bad' : 'ok'} />
          {state === 'done' && job ? t.exporting.done(formatBytes(job.bytes)) : t.exporting.states[state]}
        </p>
        {state === 'running' ? (
          <div className="mt-3">
            <Progress label={t.exporting.states.running} done={job?.done ?? 0} total={job?.total ?? 0} />
          </div>
        ) : null}
        {state === 'done' && job?.path ? (
          <div className="mt-3">
            <CommandLine text={job.path} label={t.exporting.copyPath} />
          </div>
        ) : null}
        {state === 'failed' ? <p className="mt-2 text-12 text-tx-2">{job?.error?.message ?? t.app.failed}</p> : null}
        {job && job.warnings.length > 0 ? (
          <ul className="mt-3 max-h-40 overflow-y-auto text-12 text-tx-2">
            {job.warnings.map((warning) => (
              <li key={`${warning.about} ${warning.detail}`}>{warning.detail}</li>
            ))}
          </ul>
        ) : null}
      </div>
      <div className="flex items-center gap-3 border-line-1 border-t px-5 py-3">
        <p className="min-w-0 flex-1 text-12 text-tx-3">{state === 'done' ? t.exporting.receipt : null}</p>
        {state === 'running' ? (
          <Button ref={button} onClick={onCancel}>
            {t.app.cancel}
          </Button>
        ) : (
          <>
            <Button kind="quiet" onClick={onAgain}>
              {state === 'done' ? t.exporting.another : t.app.tryAgain}
            </Button>
            <Button ref={button} kind="primary" onClick={closeExport}>
              {t.app.close}
            </Button>
          </>
        )}
      </div>
    </>
  );
}

const ICONS = { running: 'export', done: 'ok', failed: 'error', cancelled: 'undo' } as const;
