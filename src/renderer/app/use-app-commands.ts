import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { toAppError } from '../../shared/errors.ts';
import { dockOrder } from '../features/dock/paths.ts';
import { lastDone } from '../features/handoff/runs.ts';
import { useHandoffActions } from '../features/handoff/use-handoff-actions.ts';
import { t } from '../i18n/t.ts';
import { type Command, commandsOf } from '../keymap/commands.ts';
import { focusPane } from '../keymap/panes.ts';
import { copyText } from '../ui/copy.ts';
import { say, sayError } from '../ui/toast.tsx';
import { useClient } from './client-context.ts';
import { queries, useInfo } from './queries.ts';

/** The commands of the app, tied to this window's client and router. */
export function useAppCommands(): readonly Command[] {
  const client = useClient();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const agents = useInfo()?.agents;
  const actions = useHandoffActions();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the actions hold nothing but client and router
  return useMemo(() => {
    const attempt = async (work: () => Promise<unknown>) => {
      try {
        await work();
      } catch (thrown) {
        sayError(toAppError(thrown).message);
      }
    };
    return commandsOf({
      electron: client.host === 'electron',
      go: async (to) => {
        await navigate({ to });
        focusPane(to === '/graph' ? 'main' : 'list');
      },
      targets: () =>
        dockOrder(agents ?? [], '').map((agent) => ({
          id: agent.id,
          label: agent.label,
          can: agent.can_receive,
          why: agent.why_not,
        })),
      copyResume: (session) =>
        void attempt(async () => copyText((await queryClient.fetchQuery(queries.resume(client, session.id))).text)),
      openTerminal: (session) => void actions.openTerminal(session.id),
      verify: (session) =>
        void attempt(async () => {
          const verdict = await client.call('verify.session', { id: session.id });
          const failed = verdict.checks.filter((check) => !check.ok);
          if (verdict.ok) say(`${t.receipts.verdicts.verified}: ${t.receipts.allChecks(verdict.checks.length)}`);
          else sayError(failed.map((check) => [check.text, check.detail].filter(Boolean).join(': ')).join('. '));
        }),
      readNow: () => void attempt(() => client.call('import.start', {})),
      undo: {
        possible: () => lastDone() !== undefined,
        run: () => {
          const run = lastDone();
          if (run) void actions.undo(run);
        },
      },
    });
  }, [client, queryClient, navigate, agents]);
}
