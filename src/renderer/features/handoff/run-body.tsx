import type { RefObject } from 'react';
import type { SagaStep } from '../../../shared/handoff.ts';
import { useClient } from '../../app/client-context.ts';
import { useInfo } from '../../app/queries.ts';
import { userHome } from '../../app/user-home.ts';
import { formatDuration, tildePath } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { agentLabel } from '../../ui/agent-mark.tsx';
import { Button } from '../../ui/button.tsx';
import { CommandLine } from '../../ui/command-line.tsx';
import { copyText } from '../../ui/copy.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Path } from '../../ui/path.tsx';
import { Progress } from '../../ui/progress.tsx';
import { type Run, STEPS, type StepState, stepState, stopRun } from './runs.ts';

/** Title and sentence of the sheet while a handoff runs, and when it is over. */
export function runWords(run: Run): { title: string; why: string } {
  switch (run.state) {
    case 'running':
      return { title: t.handoff.running(run.label), why: t.handoff.runningWhy(run.title) };
    case 'failed':
      return { title: t.handoff.failed(run.label), why: run.error?.message ?? '' };
    default:
      return {
        title: t.handoff.done(run.label),
        why: run.result?.replayed ? t.handoff.doneReplayed : t.handoff.doneWhy(agentLabel(run.from)),
      };
  }
}

interface RunBodyProps {
  run: Run;
  onShowEvent(session: string, seq: number): void;
  onOpenReceipt(id: string): void;
}

/** Every step with what it did; then either what can be done about the failure, or how to go on. */
export function RunBody({ run, onShowEvent, onOpenReceipt }: RunBodyProps) {
  const done = STEPS.filter((step) => stepState(run, step) === 'done').length;
  return (
    <div className="sheet-b one">
      <div className="l">
        <div className="measure">
          {run.state === 'running' ? (
            <div className="mb-3">
              <Progress label={t.handoff.progress(done, STEPS.length)} done={done} total={STEPS.length} />
            </div>
          ) : null}
          {run.state === 'done' && run.result ? <Result run={run} onOpenReceipt={onOpenReceipt} /> : null}
          <Steps run={run} />
          {run.state === 'failed' ? <WhatToDo run={run} onShowEvent={onShowEvent} /> : null}
        </div>
      </div>
    </div>
  );
}

const STEP_LOOKS: Record<StepState, { icon: IconName; tone: 'ok' | 'ac' | 'bad' | 'quiet'; row: string }> = {
  waiting: { icon: 's-idle', tone: 'quiet', row: 'wait' },
  not_started: { icon: 's-idle', tone: 'quiet', row: 'wait' },
  running: { icon: 's-work', tone: 'ac', row: 'now' },
  done: { icon: 'check', tone: 'ok', row: 'done' },
  failed: { icon: 'error', tone: 'bad', row: 'fail' },
  removed: { icon: 'undo', tone: 'quiet', row: 'back' },
};

function Steps({ run }: { run: Run }) {
  return (
    <ol className="saga">
      {STEPS.map((step) => {
        const state = stepState(run, step);
        const look = STEP_LOOKS[state];
        const seen = run.steps[step];
        const end =
          state === 'removed'
            ? t.handoff.removed
            : state === 'failed'
              ? t.handoff.stepFailed
              : seen?.ms === undefined
                ? ''
                : formatDuration(seen.ms);
        return (
          <li key={step} className={look.row} aria-current={state === 'running' ? 'step' : undefined}>
            <Icon name={look.icon} tone={look.tone} />
            <span className="nm">{t.handoff.steps[step]}</span>
            <span className="cut text-tx-2" title={stepText(run, step)}>
              {stepText(run, step)}
            </span>
            <span className="text-11 text-tx-3">{end}</span>
          </li>
        );
      })}
    </ol>
  );
}

/** The engine says what it is doing; once that is done, what was done stands here. */
function stepText(run: Run, step: SagaStep): string {
  const seen = run.steps[step];
  if (seen === undefined) return stepState(run, step) === 'not_started' ? t.handoff.notStarted : '';
  return seen.state === 'done' ? t.handoff.stepsDone[step] : seen.text;
}

function WhatToDo({ run, onShowEvent }: { run: Run; onShowEvent: RunBodyProps['onShowEvent'] }) {
  const seq = run.error?.details?.seq;
  return (
    <div className="mt-5">
      <h3 className="font-title">{t.handoff.whatToDo}</h3>
      <p className="mt-1 mb-3 text-12 text-tx-2">{run.error?.message}</p>
      {typeof seq === 'number' ? (
        <Button icon="file" onClick={() => onShowEvent(run.input.session, seq)}>
          {t.handoff.showRecord(seq)}
        </Button>
      ) : null}
    </div>
  );
}

function Result({ run, onOpenReceipt }: { run: Run; onOpenReceipt(id: string): void }) {
  const info = useInfo();
  const home = userHome(info);
  const result = run.result;
  if (!result) return null;
  return (
    <div className="mb-5">
      <h3 className="mb-2 font-title">{t.handoff.continueWith}</h3>
      <CommandLine text={result.command.text} />
      {info?.sample ? <p className="mt-1.5 text-12 text-warn-tx">{t.handoff.sample(run.label)}</p> : null}
      <dl className="kv mt-3">
        <dt>{t.handoff.nativeId}</dt>
        <dd className="mono">{result.native_id}</dd>
        {result.files.map((file) => (
          <div key={file} className="contents">
            <dt>{t.handoff.written}</dt>
            <dd>
              <Path path={tildePath(file, home)} />
            </dd>
          </div>
        ))}
        <dt>{t.handoff.receipt}</dt>
        <dd>
          <button type="button" className="link" onClick={() => onOpenReceipt(result.receipt)}>
            {t.handoff.seeReceipt}
          </button>
        </dd>
      </dl>
      {result.warnings.length > 0 ? (
        <ul className="checks mt-2">
          {result.warnings.map((warning) => (
            <li key={`${warning.about} ${warning.detail}`}>
              <Icon name="warn" tone="warn" />
              <div>{warning.detail}</div>
            </li>
          ))}
        </ul>
      ) : null}
      <h3 className="mt-5 font-title">{t.handoff.progress(STEPS.length, STEPS.length)}</h3>
    </div>
  );
}

interface RunFootProps {
  run: Run;
  primary: RefObject<HTMLButtonElement | null>;
  briefPossible: boolean;
  onClose(): void;
  onRetry(): void;
  onBrief(): void;
  onOpen(id: string): void;
  onUndo(): void;
  onTerminal(): void;
}

/** The buttons that fit the state of the run; one of them is the next thing to do. */
export function RunFoot(props: RunFootProps) {
  if (props.run.state === 'running') return <RunningFoot {...props} />;
  return props.run.state === 'failed' ? <FailedFoot {...props} /> : <DoneFoot {...props} />;
}

function RunningFoot({ run, onClose }: RunFootProps) {
  return (
    <footer className="sheet-f">
      <span className="text-12 text-tx-3 max-rail:hidden">{t.handoff.once}</span>
      <span className="fill" />
      <Button kind="quiet" size="large" onClick={onClose}>
        {t.handoff.background}
      </Button>
      <Button size="large" onClick={() => stopRun(run.id)}>
        {t.handoff.stop}
      </Button>
      <Button kind="primary" size="large" disabled>
        {t.handoff.go(run.label)}
      </Button>
    </footer>
  );
}

function FailedFoot({ primary, briefPossible, onRetry, onBrief }: RunFootProps) {
  return (
    <footer className="sheet-f">
      <span className="fill" />
      <Button {...(briefPossible ? {} : { ref: primary, kind: 'primary' as const })} size="large" onClick={onRetry}>
        {t.handoff.again}
      </Button>
      {briefPossible ? (
        <Button ref={primary} kind="primary" size="large" onClick={onBrief}>
          {t.handoff.withBrief}
        </Button>
      ) : null}
    </footer>
  );
}

function DoneFoot({ run: { result }, primary, onUndo, onOpen, onTerminal }: RunFootProps) {
  const electron = useClient().host === 'electron';
  return (
    <footer className="sheet-f">
      <span className="text-12 text-tx-3 max-rail:hidden">{t.handoff.undoHelp}</span>
      <span className="fill" />
      <Button kind="quiet" size="large" onClick={onUndo}>
        {t.handoff.undo}
      </Button>
      <Button size="large" onClick={() => result && onOpen(result.new_session)}>
        {t.handoff.openNew}
      </Button>
      {electron ? (
        <Button size="large" onClick={onTerminal}>
          {t.handoff.openTerminal}
        </Button>
      ) : null}
      <Button ref={primary} kind="primary" size="large" onClick={() => result && void copyText(result.command.text)}>
        {t.handoff.copyCommand}
      </Button>
    </footer>
  );
}
