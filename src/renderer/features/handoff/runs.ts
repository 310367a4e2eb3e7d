import { create } from 'zustand';
import { type AppError, toAppError } from '../../../shared/errors.ts';
import type { HandoffInput, HandoffResult, SagaProgress, SagaStep } from '../../../shared/handoff.ts';
import type { Client } from '../../app/client.ts';
import { t } from '../../i18n/t.ts';

/** One handoff that was started in this window. It goes on when its sheet is closed. */
export interface Run {
  id: string;
  input: HandoffInput;
  title: string;
  from: string;
  label: string;
  state: 'running' | 'done' | 'failed' | 'undone';
  steps: Partial<Record<SagaStep, SagaProgress>>;
  result?: HandoffResult;
  error?: AppError;
}

interface Runs {
  runs: Readonly<Record<string, Run>>;
}

export const useRuns = create<Runs>(() => ({ runs: {} }));
const controllers = new Map<string, AbortController>();

/** The steps of the saga, in their order. */
export const STEPS = Object.keys(t.handoff.steps) as SagaStep[];

const change = (id: string, part: Partial<Run>): void =>
  useRuns.setState(({ runs }) => {
    const run = runs[id];
    return run ? { runs: { ...runs, [id]: { ...run, ...part } } } : {};
  });

/** Starts a handoff. Its id makes a second press the same operation, which the engine answers without writing again. */
export async function startRun(
  client: Client,
  run: Pick<Run, 'id' | 'input' | 'title' | 'from' | 'label'>,
): Promise<Run | undefined> {
  if (useRuns.getState().runs[run.id]?.state === 'running') return undefined;
  const controller = new AbortController();
  controllers.set(run.id, controller);
  useRuns.setState(({ runs }) => ({ runs: { ...runs, [run.id]: { ...run, state: 'running', steps: {} } } }));
  try {
    const result = await client.call('handoff.execute', { ...run.input, operation_id: run.id }, controller.signal);
    change(run.id, { state: 'done', result });
  } catch (thrown) {
    const error = toAppError(thrown);
    change(run.id, {
      state: 'failed',
      error: controller.signal.aborted ? { code: 'cancelled', message: t.handoff.cancelled } : error,
    });
  } finally {
    controllers.delete(run.id);
  }
  return useRuns.getState().runs[run.id];
}

/** Stops a running handoff; the engine rolls back what it had done. */
export const stopRun = (id: string): void => controllers.get(id)?.abort();

export async function undoRun(client: Client, id: string): Promise<number> {
  const { removed } = await client.call('handoff.undo', { operation_id: id });
  change(id, { state: 'undone' });
  return removed.length;
}

/** Takes one step's progress from the engine's events. */
export function recordProgress(progress: SagaProgress): void {
  const run = useRuns.getState().runs[progress.operation_id];
  if (run) change(run.id, { steps: { ...run.steps, [progress.step]: progress } });
}

/** The last handoff that can still be undone. */
export const lastDone = (): Run | undefined =>
  Object.values(useRuns.getState().runs).findLast((run) => run.state === 'done');

export const forgetRun = (id: string): void =>
  useRuns.setState(({ runs }) => ({ runs: Object.fromEntries(Object.entries(runs).filter(([key]) => key !== id)) }));

/** How a step stands: from the events, and from what must be so once the whole is over. */
export type StepState = 'waiting' | 'running' | 'done' | 'failed' | 'removed' | 'not_started';

export function stepState(run: Run, step: SagaStep): StepState {
  const seen = run.steps[step]?.state;
  if (run.state === 'done' || run.state === 'undone') return 'done';
  if (run.state === 'running') return seen ?? 'waiting';
  if (seen === undefined) return 'not_started';
  // A step that was running when the whole failed is the one that failed; those before it were taken back.
  if (seen === 'running') return 'failed';
  return seen === 'done' ? 'removed' : seen;
}
