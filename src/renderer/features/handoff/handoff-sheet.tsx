import { Dialog } from '@base-ui/react/dialog';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { toAppError } from '../../../shared/errors.ts';
import type { HandoffInput, HandoffMode, HandoffPlan } from '../../../shared/handoff.ts';
import type { SessionRow } from '../../../shared/session.ts';
import { useClient } from '../../app/client-context.ts';
import { useInfo, useSession } from '../../app/queries.ts';
import { closeHandoff, useView } from '../../app/view-state.ts';
import { t } from '../../i18n/t.ts';
import { AgentMark, agentLabel } from '../../ui/agent-mark.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy.ts';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Keys } from '../../ui/kbd.tsx';
import { Dock } from '../dock/dock.tsx';
import { planQuery } from '../dock/plans.ts';
import { titleOf } from '../sessions/words.ts';
import { PlanBody } from './plan-body.tsx';
import { RunBody, RunFoot, runWords } from './run-body.tsx';
import { forgetRun, type Run, useRuns } from './runs.ts';
import { useHandoffActions } from './use-handoff-actions.ts';

/** The handoff sheet with the dock beside it, over a scrim. Nothing is written until its button is pressed. */
export function HandoffLayer() {
  const handoff = useView((view) => view.handoff);
  const session = useSession(handoff?.session ?? '').data;
  const open = handoff !== null && session !== undefined;
  const sheet = useRef<HTMLElement>(null);
  const label = agentLabel(handoff?.to ?? '');
  return (
    <Dialog.Root open={open} onOpenChange={(next) => (next ? undefined : closeHandoff())}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim !bottom-6 fixed" />
        <Dialog.Popup
          className="pointer-events-none fixed inset-0 z-[var(--z-sheet)] [&>*]:pointer-events-auto"
          aria-label={t.handoff.dialog(label)}
          initialFocus={sheet}
        >
          {open ? (
            <>
              <Sheet key={`${session.id} ${handoff.to}`} session={session} to={handoff.to} element={sheet} />
              <Dock session={session} drag={null} chosen={handoff.to} />
            </>
          ) : null}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

type Ref = React.RefObject<HTMLButtonElement | null>;
interface SheetProps {
  session: SessionRow;
  to: string;
  element: React.RefObject<HTMLElement | null>;
}
interface Choice {
  mode: HandoffMode;
  turns?: number;
}

function Sheet({ session, to, element }: SheetProps) {
  const primary = useRef<HTMLButtonElement>(null);
  const client = useClient();
  const label = useInfo()?.agents.find((agent) => agent.id === to)?.label ?? agentLabel(to);
  const [choice, setChoice] = useState<Choice | null>(null);
  const [note, setNote] = useState('');
  // One id a draft: pressing twice, or again after a failure, is the same operation. Another choice is another draft.
  const [draft, setDraft] = useState(() => crypto.randomUUID());
  const run = useRuns(({ runs }) => runs[draft] ?? ongoing(runs, session.id, to));

  const input: HandoffInput = { session: session.id, to, ...(choice ?? {}) };
  const plan = useQuery({ ...planQuery(client, input), placeholderData: keepPreviousData });
  const actions = useHandoffActions();
  const start = () => {
    const withNote = note.trim() === '' ? input : { ...input, note: note.trim() };
    void actions.start({ id: draft, input: withNote, title: titleOf(session), from: session.agent, label });
  };
  const choose = (next: Choice) => {
    setChoice(next);
    setDraft(crypto.randomUUID());
  };
  const leave = () => {
    if (run && run.state !== 'running') forgetRun(run.id);
    closeHandoff();
  };

  useNextStepFocus(element, primary, run?.state ?? (plan.data?.ready ? 'ready' : 'checking'));
  useStartKey(run === undefined && plan.data?.ready === true, start);
  const words = run ? runWords(run) : planWords(session, label);
  return (
    <section className="sheet slide" data-phase={run?.state ?? 'plan'}>
      <SheetHead from={session.agent} to={to} title={words.title} why={words.why} onClose={leave} />
      {run ? (
        <RunBody run={run} onShowEvent={actions.showEvent} onOpenReceipt={actions.openReceipt} />
      ) : (
        <PlanOrWhy plan={plan.data} error={plan.error}>
          {(made) => (
            <PlanBody
              plan={made}
              session={session}
              note={note}
              onNote={setNote}
              onChoose={choose}
              onShowEvent={(seq) => actions.showEvent(session.id, seq)}
            />
          )}
        </PlanOrWhy>
      )}
      {run ? (
        <RunFoot
          run={run}
          primary={primary}
          onClose={leave}
          onRetry={() => void actions.start(run)}
          onBrief={() => {
            forgetRun(run.id);
            choose({ mode: 'context' });
          }}
          briefPossible={
            plan.data?.modes.some((mode) => mode.mode === 'context' && mode.possible && run.input.mode !== 'context') ??
            false
          }
          onOpen={(id) => {
            leave();
            actions.openSession(id);
          }}
          onUndo={() => void actions.undo(run)}
          onTerminal={() => run.result && actions.openTerminal(run.result.new_session)}
        />
      ) : (
        <PlanFoot plan={plan.data} label={label} primary={primary} busy={plan.isFetching} onStart={start} />
      )}
    </section>
  );
}

/** Ctrl or ⌘ with Enter presses the primary button from anywhere in the sheet. */
function useStartKey(possible: boolean, start: () => void): void {
  const latest = useEffectEvent(start);
  useEffect(() => {
    if (!possible) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      latest();
    };
    window.addEventListener('keydown', onKey, true);
    return () => window.removeEventListener('keydown', onKey, true);
  }, [possible]);
}

/** When the sheet comes to a new state, its next step gets the focus, unless the reader has put the focus elsewhere. */
function useNextStepFocus(sheet: React.RefObject<HTMLElement | null>, primary: Ref, state: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new state alone moves the focus
  useEffect(() => {
    if (document.activeElement?.closest('.sheet-b, .dock')) return;
    if (primary.current && !primary.current.disabled) primary.current.focus();
    else sheet.current?.focus();
  }, [state]);
}

const ongoing = (runs: Readonly<Record<string, Run>>, session: string, to: string): Run | undefined =>
  Object.values(runs).find((run) => run.state === 'running' && run.input.session === session && run.input.to === to);

const planWords = (session: SessionRow, label: string) => ({
  title: t.handoff.title(titleOf(session), label),
  why: agentLabel(session.agent) === label ? t.handoff.introSame : t.handoff.intro(agentLabel(session.agent)),
});

interface SheetHeadProps {
  from: string;
  to: string;
  title: string;
  why: string;
  onClose(): void;
}

function SheetHead({ from, to, title, why, onClose }: SheetHeadProps) {
  return (
    <header className="sheet-h">
      <div className="row gap-1 pt-0.5">
        <AgentMark agent={from} size={20} />
        <Icon name="arr-r" size={14} tone="quiet" />
        <AgentMark agent={to} size={20} />
      </div>
      <div className="col fill">
        <h2 className="cut text-15" title={title}>
          {title}
        </h2>
        <p className="mt-0.5 text-12 text-tx-2">{why}</p>
      </div>
      <IconButton icon="close" label={t.app.close} onClick={onClose} />
    </header>
  );
}

function PlanOrWhy({
  plan,
  error,
  children,
}: {
  plan: HandoffPlan | undefined;
  error: unknown;
  children(plan: HandoffPlan): ReactNode;
}) {
  if (plan) return children(plan);
  if (error) {
    return (
      <div className="sheet-b one">
        <Empty icon="error" title={t.app.failed} why={toAppError(error).message} />
      </div>
    );
  }
  return (
    <div className="sheet-b one" aria-busy="true">
      <p className="l text-12 text-tx-3">{t.handoff.checking}</p>
    </div>
  );
}

interface PlanFootProps {
  plan: HandoffPlan | undefined;
  label: string;
  primary: Ref;
  busy: boolean;
  onStart(): void;
}

function PlanFoot({ plan, label, primary, busy, onStart }: PlanFootProps) {
  const why = plan?.refused?.message;
  return (
    <footer className="sheet-f">
      {why ? (
        <span className="row text-12 text-bad-tx">
          <Icon name="error" size={14} />
          {why}
        </span>
      ) : (
        <span className="text-12 text-tx-3 max-rail:hidden">
          <Keys binding="Escape" /> {t.handoff.escCancels}
        </span>
      )}
      <span className="fill" />
      <Button size="large" disabled={!plan} onClick={() => plan && void copyText(plan.command.text)}>
        {t.handoff.copyCommand}
      </Button>
      <Button
        ref={primary}
        kind="primary"
        size="large"
        binding="Mod+Enter"
        disabled={!plan?.ready || busy}
        onClick={onStart}
      >
        {t.handoff.go(label)}
      </Button>
    </footer>
  );
}
