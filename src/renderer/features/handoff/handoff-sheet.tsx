import { Dialog } from '@base-ui/react/dialog';
import { type ReactNode, useRef } from 'react';
import { toAppError } from '../../../shared/errors.ts';
import type { HandoffPlan } from '../../../shared/handoff.ts';
import type { SessionRow } from '../../../shared/session.ts';
import { useSession } from '../../app/queries.ts';
import { closeHandoff, useView } from '../../app/view-state.ts';
import { t } from '../../i18n/t.ts';
import { AgentMark, agentLabel } from '../../ui/agent-mark.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Keys } from '../../ui/kbd.tsx';
import { Dock } from '../dock/dock.tsx';
import { titleOf } from '../sessions/words.ts';
import { PlanBody } from './plan-body.tsx';
import { refusalOf } from './plan-words.ts';
import { RunBody, RunFoot, runWords } from './run-body.tsx';
import { forgetRun } from './runs.ts';
import { useNextStepFocus, useStartKey } from './sheet-keys.ts';
import { useDraft } from './use-draft.ts';
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
/** The sheet in its two phases: the plan, then the run that was made of it. */
function Sheet({ session, to, element }: SheetProps) {
  const primary = useRef<HTMLButtonElement>(null);
  const draft = useDraft(session, to);
  const { plan, run, label } = draft;
  const actions = useHandoffActions();
  const leave = () => {
    if (run && run.state !== 'running') forgetRun(run.id);
    closeHandoff();
  };
  useNextStepFocus(element, primary, run?.state ?? (plan.data?.ready ? 'ready' : 'checking'));
  useStartKey(run === undefined && plan.data?.ready === true, draft.start);
  const words = run ? runWords(run) : planWords(session, label);
  return (
    <section ref={element} tabIndex={-1} className="sheet slide outline-none" data-phase={run?.state ?? 'plan'}>
      <SheetHead from={session.agent} to={to} title={words.title} why={words.why} onClose={leave} />
      {run ? (
        <>
          <RunBody run={run} onShowEvent={actions.showEvent} onOpenReceipt={actions.openReceipt} />
          <RunFoot
            run={run}
            primary={primary}
            briefPossible={draft.briefPossible}
            onClose={leave}
            onRetry={() => void actions.start(run)}
            onBrief={draft.toBrief}
            onOpen={(id) => {
              leave();
              actions.openSession(id);
            }}
            onUndo={() => void actions.undo(run)}
            onTerminal={() => run.result && actions.openTerminal(run.result.new_session)}
          />
        </>
      ) : (
        <>
          <PlanOrWhy plan={plan.data} error={plan.error}>
            {(made) => (
              <PlanBody
                plan={made}
                session={session}
                note={draft.note}
                onNote={draft.setNote}
                onFolder={draft.setFolder}
                onChoose={draft.choose}
                onShowEvent={(seq) => actions.showEvent(session.id, seq)}
              />
            )}
          </PlanOrWhy>
          <PlanFoot plan={plan.data} label={label} primary={primary} busy={plan.isFetching} onStart={draft.start} />
        </>
      )}
    </section>
  );
}

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
  const why = plan && refusalOf(plan);
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
