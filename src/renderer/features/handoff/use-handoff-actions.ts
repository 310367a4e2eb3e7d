import { useNavigate } from '@tanstack/react-router';
import { toAppError } from '../../../shared/errors.ts';
import { useClient } from '../../app/client-context.ts';
import { closeHandoff, markRead, showEvent, useView } from '../../app/view-state.ts';
import { t } from '../../i18n/t.ts';
import { say, sayError } from '../../ui/toast.tsx';
import { forgetRun, type Run, startRun, undoRun } from './runs.ts';

/** What the sheet, the toasts and the keys can do about a handoff. */
export function useHandoffActions() {
  const client = useClient();
  const navigate = useNavigate();
  const openSession = (id: string) => void navigate({ to: '/s/$sessionId', params: { sessionId: id }, search: true });

  const undo = async (run: Run) => {
    try {
      const removed = await undoRun(client, run.id);
      markRead(run.input.session);
      forgetRun(run.id);
      closeHandoff();
      say(t.handoff.undone(removed), { icon: 'undo' });
    } catch (thrown) {
      sayError(toAppError(thrown).message);
    }
  };

  /** A handoff of any day, by its operation: undone before, it says so. */
  const takeBack = async (operation: string, session: string) => {
    try {
      const { removed } = await client.call('handoff.undo', { operation_id: operation });
      markRead(session);
      forgetRun(operation);
      say(removed.length === 0 ? t.handoff.undoneBefore : t.handoff.undone(removed.length), { icon: 'undo' });
    } catch (thrown) {
      sayError(toAppError(thrown).message);
    }
  };

  return {
    openSession,
    undo,
    takeBack,
    /** Starts it, and says the end of it when the sheet was closed meanwhile. */
    async start(run: Pick<Run, 'id' | 'input' | 'title' | 'from' | 'label'>) {
      const ended = await startRun(client, run);
      // The log of the source says now that it was handed off: the user knows, and nothing else in it is new.
      markRead(run.input.session);
      const shown = useView.getState().handoff;
      if (!ended || (shown?.session === run.input.session && shown.to === run.input.to)) return;
      if (ended.state === 'done') {
        say(t.handoff.toastDone(run.label), {
          icon: 'handoff',
          action: { label: t.handoff.undo, binding: 'Mod+Z', run: () => void undo(ended) },
        });
      } else sayError(ended.error?.message ?? t.app.failed);
    },
    async openTerminal(id: string) {
      try {
        const { opened } = await client.call('resume.open', { id });
        if (!opened) sayError(t.handoff.terminalRefused);
      } catch (thrown) {
        sayError(toAppError(thrown).message);
      }
    },
    openReceipt(id: string) {
      closeHandoff();
      void navigate({ to: '/receipts/$receiptId', params: { receiptId: id } });
    },
    /** Goes to an event of a session: the sheet makes room for it. */
    showEvent(session: string, seq: number) {
      closeHandoff();
      showEvent(seq);
      void navigate({ to: '/s/$sessionId/e/$seq', params: { sessionId: session, seq: String(seq) }, search: true });
    },
  };
}
