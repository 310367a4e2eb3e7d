import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { HandoffInput, HandoffMode } from '../../../shared/handoff.ts';
import type { SessionRow } from '../../../shared/session.ts';
import { useClient } from '../../app/client-context.ts';
import { useInfo } from '../../app/queries.ts';
import { agentLabel } from '../../ui/agent-mark.tsx';
import { planQuery } from '../dock/plans.ts';
import { titleOf } from '../sessions/words.ts';
import { forgetRun, type Run, useRuns } from './runs.ts';
import { useHandoffActions } from './use-handoff-actions.ts';

/** What is carried and how; absent, the engine proposes. */
export interface Choice {
  mode: HandoffMode;
  turns?: number;
}

/** One handoff being prepared: the choices made, the plan for them, and the run once it was started. */
export function useDraft(session: SessionRow, to: string) {
  const client = useClient();
  const actions = useHandoffActions();
  const label = useInfo()?.agents.find((agent) => agent.id === to)?.label ?? agentLabel(to);
  const [choice, setChoice] = useState<Choice | null>(null);
  const [note, setNote] = useState('');
  const [cwd, setCwd] = useState('');
  // One id a draft: pressing twice, or again after a failure, is the same operation. Another choice is another draft.
  const [id, setId] = useState(() => crypto.randomUUID());
  const run = useRuns(({ runs }) => runs[id] ?? ongoing(runs, session.id, to));

  const input: HandoffInput = { session: session.id, to, ...(choice ?? {}), ...(cwd === '' ? {} : { cwd }) };
  const plan = useQuery({ ...planQuery(client, input), placeholderData: keepPreviousData });
  const choose = (next: Choice) => {
    setChoice(next);
    setId(crypto.randomUUID());
  };
  const setFolder = (folder: string) => {
    setCwd(folder);
    setId(crypto.randomUUID());
  };
  return {
    label,
    plan,
    run,
    note,
    setNote,
    choose,
    setFolder,
    start: () => {
      const withNote = note.trim() === '' ? input : { ...input, note: note.trim() };
      void actions.start({ id, input: withNote, title: titleOf(session), from: session.agent, label });
    },
    briefPossible:
      run?.input.mode !== 'context' &&
      (plan.data?.modes.some((mode) => mode.mode === 'context' && mode.possible) ?? false),
    toBrief: () => {
      if (run) forgetRun(run.id);
      choose({ mode: 'context' });
    },
  };
}

const ongoing = (runs: Readonly<Record<string, Run>>, session: string, to: string): Run | undefined =>
  Object.values(runs).find((run) => run.state === 'running' && run.input.session === session && run.input.to === to);
