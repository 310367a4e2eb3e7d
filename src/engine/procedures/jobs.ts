import { randomUUID } from 'node:crypto';
import type { AppEvent, Job } from '../../shared/api.ts';
import { type AppError, fail, ok, type Result, toAppError } from '../../shared/errors.ts';

/** Long work that a face starts and follows. Finished jobs are remembered, up to a bound. */
export interface Jobs {
  list(): Job[];
  /** Starts `work` and returns the running job at once; its progress is told by events. */
  start(kind: Job['kind'], text: string, work: Work): Job;
  cancel(id: string): Result<Job>;
  /** Ends all running jobs and waits for them. */
  close(): Promise<void>;
}

type Progress = Partial<
  Pick<Job, 'text' | 'done' | 'total' | 'bytes' | 'events' | 'sessions_changed' | 'warnings' | 'path'>
>;
export type Work = (update: (progress: Progress) => void, signal: AbortSignal) => Promise<Result<Progress>>;

const REMEMBERED = 50;
/** Progress is told at most this often, in ms. */
const EVERY_MS = 100;

export function createJobs(emit: (event: AppEvent) => void): Jobs {
  const jobs = new Map<string, { job: Job; controller: AbortController; done: Promise<void> }>();
  const forget = (): void => {
    for (const [id, { job }] of jobs) {
      if (jobs.size <= REMEMBERED) return;
      if (job.state !== 'running') jobs.delete(id);
    }
  };
  const start = (kind: Job['kind'], text: string, work: Work): Job => {
    const job: Job = {
      id: randomUUID(),
      kind,
      state: 'running',
      text,
      done: 0,
      total: 0,
      bytes: 0,
      events: 0,
      sessions_changed: 0,
      warnings: [],
    };
    const controller = new AbortController();
    let told = 0;
    const update = (progress: Progress): void => {
      Object.assign(job, progress);
      if (Date.now() - told < EVERY_MS) return;
      told = Date.now();
      emit({ topic: 'job', job: { ...job } });
    };
    const done = run(work, update, controller.signal).then((result) => {
      finish(job, result);
      emit({ topic: 'job', job: { ...job } });
    });
    jobs.set(job.id, { job, controller, done });
    forget();
    emit({ topic: 'job', job: { ...job } });
    return { ...job };
  };
  return {
    start,
    list: () => [...jobs.values()].map(({ job }) => ({ ...job })),
    cancel: (id) => {
      const entry = jobs.get(id);
      if (!entry) return fail('not_found', `There is no job ${id}.`);
      entry.controller.abort();
      return ok({ ...entry.job });
    },
    close: async () => {
      for (const { controller } of jobs.values()) controller.abort();
      await Promise.all([...jobs.values()].map(({ done }) => done));
    },
  };
}

async function run(work: Work, update: (progress: Progress) => void, signal: AbortSignal): Promise<Result<Progress>> {
  try {
    return await work(update, signal);
  } catch (error) {
    return { ok: false, error: toAppError(error) };
  }
}

function finish(job: Job, result: Result<Progress>): void {
  if (result.ok) Object.assign(job, result.value, { state: 'done' });
  else failed(job, result.error);
}

function failed(job: Job, error: AppError): void {
  job.state = error.code === 'cancelled' ? 'cancelled' : 'failed';
  job.error = error;
  job.text = error.message;
}
