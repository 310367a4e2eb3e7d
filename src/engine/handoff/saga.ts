import type { MaterializeOptions, TargetAdapter, Written } from '../../../adapters/contract.ts';
import { type AppError, AppFailure, fail, ok, type Result, toAppError, unwrap } from '../../shared/errors.ts';
import type { Warning } from '../../shared/events.ts';
import type { HandoffResult, SagaProgress, SagaStep } from '../../shared/handoff.ts';
import { readUnread, unreadList } from '../capture/unread.ts';
import type { EngineContext, OpenHome } from '../procedures/context.ts';
import { hashOfPrefix } from '../verify/receipt.ts';
import { awayFrom } from './checks.ts';
import { removeMadeFolders, standingFolder } from './made-folders.ts';
import { type HandoffOperation, type HandoffRequest, type HandoffState, openList, record } from './operation.ts';
import type { OutgoingRedactor } from './outgoing.ts';
import { stateOf } from './plan.ts';
import { type Prepared, prepare } from './prepare.ts';
import {
  actorOf,
  beginDecision,
  endOf,
  handoffDecision,
  newSessionOf,
  type Recorded,
  receiptIdOf,
  withdrawal,
} from './record.ts';
import { refreshKnowers, refreshSource } from './refresh.ts';
import type { StepHook } from './step.ts';
import { writeClean } from './write-clean.ts';

export interface Run {
  context: EngineContext;
  home: OpenHome;
  operation: { id: string; digest: string };
  request: HandoffRequest;
  signal: AbortSignal;
  hook?: StepHook | undefined;
}

/** One handoff from its first effect to its receipt. `known` is what an earlier try has recorded. */
export async function runSaga(
  run: Run,
  redactor: OutgoingRedactor,
  known: HandoffOperation | null,
): Promise<Result<HandoffResult>> {
  const saga = new Saga(run);
  try {
    const resumable = known?.state === 'running' ? await saga.standing(known.data as HandoffState) : null;
    if (resumable) return ok(await saga.finish(resumable));
    if (known?.data.final) await saga.clear(known.data as HandoffState);
    const state = await saga.write(redactor, known?.data);
    return ok(await saga.finish(state, true));
  } catch (error) {
    return { ok: false, error: await saga.failed(toAppError(error)) };
  }
}

/** Ends what a killed run has begun and nobody repeated: what is in place is finished, anything less is removed. */
export async function settle(run: Run, known: HandoffOperation): Promise<void> {
  const saga = new Saga(run);
  const state = known.data as HandoffState;
  if (await saga.standing(state)) await saga.finish(state);
  else await saga.giveUp(state);
}

/** Bytes of a written session from which on it is read in the background: half a second's work. */
const LARGE = 4 << 20;

const isLarge = ({ written }: HandoffState): boolean => (written?.bytes ?? 0) > LARGE;

class Saga {
  readonly #run: Run;
  #step: SagaStep = 'snapshot';
  /** set as soon as anything was made that must go when the run fails */
  #made: { state: HandoffState; target: TargetAdapter } | null = null;

  constructor(run: Run) {
    this.#run = run;
  }

  /** Tells and runs one step. */
  async #do<T>(step: SagaStep, text: string, work: () => Promise<T>): Promise<T> {
    const { hook, signal } = this.#run;
    this.#step = step;
    if (signal.aborted)
      throw new AppFailure({ code: 'cancelled', message: 'The handoff was cancelled; nothing is left of it.' });
    await hook?.(step, 'before');
    const began = performance.now();
    this.#tell({ step, state: 'running', text });
    const value = await work();
    this.#tell({ step, state: 'done', text, ms: performance.now() - began });
    await hook?.(step, 'after');
    return value;
  }

  #tell(progress: Omit<SagaProgress, 'operation_id'>): void {
    this.#run.context.emit({ topic: 'handoff', progress: { operation_id: this.#run.operation.id, ...progress } });
  }

  async #record(state: HandoffState): Promise<void> {
    unwrap(await record(this.#run.home.store, this.#run.operation, 'running', this.#step, state));
  }

  /** What an earlier run put in place, when it is still there and begins as it was written. */
  async standing(state: HandoffState): Promise<HandoffState | null> {
    if (!state.written) return null;
    const target = this.#target(state.request.to);
    if (target.standing !== undefined) {
      const found = await target.standing(state.written, { nativeId: state.native_id });
      return unwrap(found) === 'same' ? state : null;
    }
    const found = await hashOfPrefix(state.final, state.written.bytes);
    return found?.sha256 === state.written.sha256 ? state : null;
  }

  /** Removes what a killed run left: its temporary file, at most. */
  async clear(state: HandoffState): Promise<void> {
    const target = this.#target(state.request.to);
    await target.remove({ final: state.final, sha256: state.written?.sha256 ?? '' }, this.#options(state));
    await removeMadeFolders(state.final, state.stood);
  }

  /** Removes what a killed run left and says so in its row. */
  async giveUp(state: HandoffState): Promise<void> {
    await this.clear(state);
    await this.#disown(state);
    unwrap(await record(this.#run.home.store, this.#run.operation, 'failed', this.#step, { ...state, written: null }));
  }

  #target(agent: string): TargetAdapter {
    const { target } = unwrap(this.#run.context.agents.adapter(agent));
    if (target) return target;
    throw new AppFailure({ code: 'target_unsupported', message: `Sessions cannot be written for ${agent}.` });
  }

  #options(state: HandoffState): MaterializeOptions {
    const { native_id: nativeId, title, cwd, version, at, tokens } = state;
    return { env: this.#run.context.agents.env, nativeId, title, cwd, version, at, tokens };
  }

  /** From the snapshot to the renamed file. `first`: what the first try noted. */
  async write(redactor: OutgoingRedactor, first: Partial<HandoffState> = {}): Promise<HandoffState> {
    const { at = Date.now() / 1000 } = first;
    const { context, home, request, operation } = this.#run;
    this.#tell({ step: 'snapshot', state: 'running', text: 'Reading what is new' });
    const stale = await refreshSource(context, home, request.session);
    if (request.mode === 'delta') stale.push(...(await refreshKnowers(context, home, request.session, request.to)));
    const input = { request, redactor, operation: operation.id, at };
    const prepared = unwrap(await prepare(context, home, input, (step, text, work) => this.#do(step, text, work)));
    if (prepared.refused) throw new AppFailure(prepared.refused);
    const state = stateOf(prepared, request, context.options.actor);
    state.stood = first.stood ?? (await standingFolder(state.final));
    state.warnings.push(...stale, ...prepared.left, ...awayFrom(prepared.checks));
    await this.#record(state);
    this.#made = { state, target: prepared.target };
    const { preface } = prepared;
    const options = { ...this.#options(state), ...(preface === null ? {} : { preface }) };
    const written = await writeClean(prepared, options, (step, text, work) => this.#do(step, text, work));
    state.redaction = prepared.redaction;
    state.final = written.final;
    state.written = { final: written.final, sha256: written.sha256, bytes: written.bytes };
    state.warnings.push(...written.warnings);
    await this.#putInPlace(state, prepared, written);
    return state;
  }

  /** The new session is known to the store before anything can see its file, so that a watcher finds it there. */
  async #putInPlace(state: HandoffState, prepared: Prepared, written: Written): Promise<void> {
    await this.#do('rename', 'Putting it in place', async () => {
      await this.#record(state);
      const { store } = this.#run.home;
      const newSession = newSessionOf(prepared.to.id, state);
      const exists = (await store.reader.session(newSession)) !== null;
      unwrap(
        await store.writer.decide(beginDecision({ row: prepared.row, target: prepared.to, state, newSession }, exists)),
      );
      unwrap(await written.commit());
    });
  }

  /**
   * Registration, the new session's events, the record in both logs, and the receipt. Can be repeated; `isFirst`: nobody can
   * have gone on with the session yet.
   */
  async finish(state: HandoffState, isFirst = false): Promise<HandoffResult> {
    const { context, home, operation } = this.#run;
    const to = unwrap(context.agents.adapter(state.request.to));
    const target = this.#target(to.id);
    this.#made = { state, target };
    const warnings = await this.#do('register', `Registering it with ${to.label}`, async () =>
      unwrap(await target.register({ final: state.final }, this.#options(state))),
    );
    const unread = await this.#capture(state);
    if (unread !== null) warnings.push(unread);
    const row = await home.store.reader.session(state.request.session);
    if (!row)
      throw new AppFailure({
        code: 'not_found',
        message: `The source session ${state.request.session} is gone from the store.`,
      });
    const command = to.resume({ native_id: state.native_id, cwd: state.cwd, source: state.final }, context.agents.env);
    const recorded: Recorded = {
      operation: operation.id,
      state,
      row,
      target: to,
      newSession: newSessionOf(to.id, state),
      command: command.text,
      end: await endOf(home.store.reader, newSessionOf(to.id, state), state, isFirst && unread === null),
    };
    const result: HandoffResult = {
      operation_id: operation.id,
      replayed: false,
      session: row.id,
      to: to.id,
      new_session: recorded.newSession,
      native_id: state.native_id,
      files: [state.final],
      command,
      receipt: receiptIdOf(operation.id),
      fidelity: state.fidelity,
      ...(state.compiled ? { compiled: { tokens: state.compiled.tokens } } : {}),
      warnings: [...state.warnings, ...warnings],
    };
    await this.#do('receipt', 'Signing the receipt', () =>
      this.#commit(recorded, { ...state, result }, unread !== null),
    );
    this.#announce(result);
    if (isLarge(state)) this.#readLater();
    return result;
  }

  /**
   * Reads the written session into the store, so that it shows whole at once. null = done; else it is on the list of what
   * is to be read, and why. Nobody waits for a large one.
   */
  async #capture(state: HandoffState): Promise<Warning | null> {
    const unread = { about: 'not-read-yet', file: state.final };
    if (isLarge(state))
      return { ...unread, detail: 'The new session is large: it is read in the background, or by the next import.' };
    const captured = await this.#run.home.capture.import({ path: state.final });
    return captured.ok ? null : { ...unread, detail: captured.error.message };
  }

  #readLater(): void {
    const { context, home } = this.#run;
    context.jobs.start('import', 'Reading the new session', async (update, signal) => {
      const changed = (await readUnread(home.store, home.capture, update, signal)).flatMap((read) => read.changed);
      for (const id of changed) context.emit({ topic: 'session', id, change: 'appended', head_seq: 0 });
      return ok({ sessions_changed: changed.length });
    });
  }

  async #commit(recorded: Recorded, state: HandoffState, unread: boolean): Promise<void> {
    const { store } = this.#run.home;
    const { id, digest } = this.#run.operation;
    unwrap(
      await store.writer.decide({
        ...handoffDecision(recorded),
        operation: {
          id,
          kind: 'handoff',
          digest,
          state: 'done',
          step: 'receipt',
          data: { ...state },
          updated: Date.now() / 1000,
        },
        settings: {
          ...(await openList(store, id, false)),
          ...(unread ? await unreadList(store, state.final, true) : {}),
        },
      }),
    );
    this.#made = null;
  }

  #announce({ session, new_session, receipt }: HandoffResult): void {
    const { emit } = this.#run.context;
    emit({ topic: 'session', id: new_session, change: 'added', head_seq: 0 });
    emit({ topic: 'session', id: session, change: 'appended', head_seq: 0 });
    emit({ topic: 'receipt', id: receipt });
  }

  /** Takes back what was made and says what is left. */
  async failed(error: AppError): Promise<AppError> {
    this.#tell({ step: this.#step, state: 'failed', text: error.message });
    if (this.#made === null) return error;
    const { state, target } = this.#made;
    const { home, operation } = this.#run;
    const removed = await target
      .remove({ final: state.final, sha256: state.written?.sha256 ?? '' }, this.#options(state))
      .catch((thrown: unknown) => fail('internal', toAppError(thrown).message));
    const details = { ...error.details, operation: operation.id };
    if (!removed.ok) {
      // the row stays "running": the same operation id goes on from here
      const message = `${error.message} What was written could not be removed: ${removed.error.message} Run it again with the same operation id (${operation.id}).`;
      return { code: 'recovery_required', message, details: { ...details, cause: error.code, left: [state.final] } };
    }
    await removeMadeFolders(state.final, state.stood);
    const text =
      removed.value.length === 0 ? 'Everything that was written is removed' : `Left: ${removed.value.join(', ')}`;
    this.#tell({ step: this.#step, state: 'removed', text });
    // the first error is what counts; a record that cannot be written now is settled by the next handoff
    await this.#disown(state).catch(() => {});
    await record(home.store, operation, 'failed', this.#step, { ...state, written: null }).catch(() => {});
    return { ...error, details: { ...details, left: removed.value } };
  }

  /** The row of a session that was taken back holds no conversation and is not listed. */
  async #disown({ request, native_id, final }: HandoffState): Promise<void> {
    const { context, home } = this.#run;
    const to = unwrap(context.agents.adapter(request.to));
    const id = newSessionOf(to.id, { native_id, final });
    if ((await home.store.reader.session(id)) === null) return;
    unwrap(await home.store.writer.decide(withdrawal(to.id, actorOf(context.options), id, Date.now() / 1000)));
    context.emit({ topic: 'session', id, change: 'changed', head_seq: 0 });
  }
}
