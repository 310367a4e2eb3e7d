import {
  type AppEvent,
  type Bridge,
  type Envelope,
  type Input,
  type ProcedureName,
  procedures,
} from '../shared/api.ts';
import { fail, ok, type Result, toAppError } from '../shared/errors.ts';
import { createAgents } from './agents/agents.ts';
import { keychain } from './keys/keychain.ts';
import { appProcedures } from './procedures/app.ts';
import type { EngineContext, EngineOptions, Handler, Handlers } from './procedures/context.ts';
import { forkProcedures } from './procedures/forks.ts';
import { handoffProcedures } from './procedures/handoff.ts';
import { createHome } from './procedures/home.ts';
import { createJobs } from './procedures/jobs.ts';
import { lineageProcedures } from './procedures/lineage.ts';
import { type LocalServices, localServices } from './procedures/local.ts';
import { outputProcedures } from './procedures/outputs.ts';
import { receiptProcedures } from './procedures/receipts.ts';
import { searchProcedures } from './procedures/search.ts';
import { sessionProcedures } from './procedures/sessions.ts';
import { sourceProcedures } from './procedures/sources.ts';
import { transcriptProcedures } from './procedures/transcript.ts';
import { turnProcedures } from './procedures/turns.ts';

export type { EngineOptions } from './procedures/context.ts';

/** The one engine behind the app, the web host and the CLI. */
export interface Engine extends Pick<Bridge, 'call' | 'subscribe'> {
  /** What only a program on this machine may do; never served over a transport. */
  readonly local: LocalServices;
  /** Ends jobs and watching, closes the store. */
  close(): Promise<void>;
}

const handlers: Handlers = {
  ...appProcedures,
  ...sourceProcedures,
  ...sessionProcedures,
  ...forkProcedures,
  ...searchProcedures,
  ...transcriptProcedures,
  ...turnProcedures,
  ...lineageProcedures,
  ...handoffProcedures,
  ...outputProcedures,
  ...receiptProcedures,
};

/**
 * Makes an engine on a home. Nothing is opened yet: the first call that needs the store opens it, and says why when it
 * cannot (store_uninitialised, key_*, store_*), so that a face can start, explain and offer the way out.
 */
export function openEngine(options: EngineOptions): Engine {
  const listeners = new Set<(event: AppEvent) => void>();
  const emit = (event: AppEvent): void => {
    for (const listener of listeners) listener(event);
  };
  const jobs = createJobs(emit);
  const chain = options.keychain ?? keychain({ env: options.agents.env });
  const importing = (): boolean => jobs.list().some((job) => job.kind === 'import' && job.state === 'running');
  const home = createHome(options, chain, emit, importing);
  const context: EngineContext = {
    options,
    agents: createAgents(options.agents),
    jobs,
    keychain: chain,
    emit,
    home: home.open,
    watching: home.watching,
    sourcesChanged: home.sourcesChanged,
  };
  return {
    call: (name, input, signal) => call(context, name, input, signal),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    local: localServices(context),
    close: async () => {
      await jobs.close();
      await home.close();
      listeners.clear();
    },
  };
}

/** Validates the input by the contract, runs the handler, and turns whatever is thrown into an error value. */
async function call<N extends ProcedureName>(
  context: EngineContext,
  name: N,
  input: Input<N>,
  signal = new AbortController().signal,
): Promise<Envelope<N>> {
  if (!Object.hasOwn(procedures, name)) return fail('not_found', `There is no procedure "${name}".`);
  const parsed = procedures[name].input.safeParse(input);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const where = issue?.path.join('.') || 'input';
    return fail('invalid_request', `${where}: ${issue?.message ?? 'not valid'}`, {
      procedure: name,
      path: issue?.path ?? [],
    });
  }
  if (signal.aborted) return fail('cancelled', 'Cancelled.');
  try {
    const handler = handlers[name] as unknown as Handler<N>;
    const result = await handler(context, parsed.data as never, signal);
    return result.ok ? (ok(result.value) as Envelope<N>) : result;
  } catch (error) {
    return { ok: false, error: toAppError(error) } satisfies Result<never>;
  }
}
