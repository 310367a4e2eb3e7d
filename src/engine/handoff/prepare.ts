import { isAbsolute } from 'node:path';
import type {
  Installed,
  MaterializeOptions,
  SessionAdapter,
  SessionWriter,
  TargetAdapter,
  Written,
} from '../../../adapters/contract.ts';
import { type AppError, fail, ok, type Result } from '../../shared/errors.ts';
import type { SessionEvent, Warning } from '../../shared/events.ts';
import type { Budget, Check, FidelityReport, SagaStep } from '../../shared/handoff.ts';
import type { SessionRow } from '../../shared/session.ts';
import { targetWindow } from '../compile/room.ts';
import type { EngineContext, OpenHome } from '../procedures/context.ts';
import type { StoreReader } from '../store/contract.ts';
import { budgetOf, type Measured } from './budget.ts';
import { firstStart, surroundings } from './checks.ts';
import { type Compiled, compileForHandoff } from './compile.ts';
import { carryOfKnown, type Delta, deltaOf, sinceChecks } from './delta.ts';
import { leftBehind, subagentsOf, wholeOf } from './home.ts';
import { type Measure, measureModel, targetTokens } from './measure.ts';
import { type Choice, chooseMode, unlimited } from './modes.ts';
import { nativeIdOf } from './native-id.ts';
import type { HandoffRequest } from './operation.ts';
import type { OutgoingRedactor, Redactions } from './outgoing.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';
import { answersOf, noteEvent, saidLast, sourceOf } from './source.ts';

export interface PrepareInput {
  request: HandoffRequest;
  /** id of the operation, from which the new session's id follows */
  operation: string;
  /** seconds */
  at: number;
  /** id of the new session, where it shall not be a new one */
  nativeId?: string;
  /** The session goes back to its own agent as it was, every record of it (`goesHome`). */
  isWhole?: boolean;
  /** All ways are looked into, also those that were not asked for. */
  isPreview?: boolean;
  /** has redacted the request's note already; its counts go on */
  redactor: OutgoingRedactor;
}

export type StepRunner = <T>(step: SagaStep, text: string, work: () => Promise<T>) => Promise<T>;

/** Everything known before the first effect: what a plan shows and what the saga writes. */
export interface Prepared {
  row: SessionRow;
  to: SessionAdapter;
  target: TargetAdapter;
  shape: { name: string; files: string[] };
  nativeId: string;
  at: number;
  title: string;
  /** absolute, or null when it is not known (then `refused` says so) */
  cwd: string | null;
  installed: Installed | null;
  snapshot: Snapshot;
  redactor: OutgoingRedactor;
  /** all secrets taken out of this session, at capture and now */
  redaction: Redactions;
  choice: Choice;
  fidelity: FidelityReport;
  budget: Budget;
  compiled: Compiled | null;
  /** the compiled context where it stands in front; in a delta it is the newest prompt */
  preface: string | null;
  /** what a delta goes on with */
  delta: Delta | null;
  checks: Check[];
  /** what is said of sub-agents that a session leaves behind on its way home */
  left: Warning[];
  refused: AppError | null;
  writer: Writer;
}

/** Writes what was prepared, and reads it back. */
export interface Writer {
  write(options: MaterializeOptions): Promise<Result<Written>>;
  readBack(written: Written, options: MaterializeOptions, at: 'temp' | 'final'): Promise<Result<{ items: number }>>;
}

/** Makes all that a handoff needs without any effect. `step` tells and times the parts. */
export async function prepare(
  context: EngineContext,
  home: OpenHome,
  input: PrepareInput,
  step: StepRunner,
): Promise<Result<Prepared>> {
  const { request } = input;
  const to = context.agents.adapter(request.to);
  if (!to.ok) return to;
  const { target } = to.value;
  if (!target)
    return fail('target_unsupported', `Sessions cannot be written for ${to.value.label} yet.`, { to: request.to });
  const { reader } = home.store;
  const snapshot = await step('snapshot', 'Reading the session', () => takeSnapshot(reader, request.session));
  const { row } = snapshot;
  const { redactor } = input;
  const { operation, at } = input;
  const asked = await answersOf(snapshot, { operation, at, label: to.value.label });
  const note = request.note === null ? null : noteEvent(request.note, snapshot, at, asked.length);
  const measured = await step('redact', 'Looking for secrets', () =>
    measureSpace(context, reader, { id: to.value.id, target }, snapshot, redactor, note),
  );
  const redaction = redactor.counts;
  const whole = input.isWhole === true ? (target.home ?? null) : null;
  const { choice, compiled, delta } = await step('compile', 'Compiling the context', async () => {
    const since = await sinceOf(home, input, { to: to.value, target }, measured, snapshot);
    const chosen = await chooseAndCompile(context, home, request, measured, snapshot, since);
    const delta = chosen.choice.mode === 'delta' && since.ok ? since.value : null;
    return { ...chosen, delta, ...(whole === null ? {} : { choice: unlimited(chosen.choice) }) };
  });
  const installed = await context.agents.installed(to.value);
  return step('convert', 'Working out what arrives', async () => {
    const uuid = nativeIdOf(input.operation, input.at);
    const nativeId = input.nativeId ?? target.nativeId?.(uuid, input.at) ?? uuid;
    const cwd = request.cwd ?? delta?.snapshot.row.cwd ?? row.cwd;
    const written = delta?.snapshot.row ?? row;
    const shape = target.shape(installed?.version ?? null, context.agents.env, nativeId, input.at, cwd);
    const left = written.agent === to.value.id && whole === null ? leftBehind(await subagentsOf(reader, written)) : [];
    const accepted =
      whole === null && cwd !== null ? await target.accepts?.(context.agents.env, { installed, cwd }) : undefined;
    const checks = await surroundings(reader, {
      env: context.agents.env,
      row,
      to: to.value,
      installed,
      cwd,
      files: shape.files,
    });
    if (accepted?.ok && accepted.value.firstStart) checks.push(firstStart(to.value.label));
    for (const { detail } of left) checks.push({ id: 'subagents', level: 'note', text: detail });
    if (delta) checks.push(...sinceChecks(delta, to.value.label));
    const fidelity = reportOf(measured.measure, choice, whole !== null, delta, to.value.label);
    const refused =
      refusalOf(row, cwd, checks, choice) ??
      (accepted?.ok === false ? accepted.error : null) ??
      (compiled.ok ? null : compiled.error);
    const title = redactor.text(row.title ?? row.first_prompt ?? 'Untitled session');
    const front = compiled.ok ? compiled.value : null;
    const budget = budgetOf(measured, choice, front, delta);
    const page = front && redactor.text(front.text);
    const first = snapshot.order[choice.from] ?? Number.POSITIVE_INFINITY;
    const answered = asked.filter(({ parent_seq }) => (parent_seq ?? 0) >= first);
    const source =
      delta === null || page === null
        ? sourceOf(reader, { snapshot, choice, redactor }, [...answered, ...(note ? [note] : [])])
        : sourceOf(reader, { ...delta, choice: { from: 0 } }, saidLast(delta.snapshot, at, page, request.note));
    const writer = whole === null ? writerOf(target, source) : writerOf(whole, await wholeOf(reader, row, redactor));
    return ok({
      row,
      to: to.value,
      target,
      shape,
      nativeId,
      at,
      title,
      cwd,
      installed,
      snapshot,
      redactor,
      redaction,
      choice,
      fidelity,
      budget,
      compiled: front,
      preface: delta === null ? page : null,
      delta,
      checks,
      left,
      refused,
      writer,
    });
  });
}

function reportOf(
  measure: Measure,
  { from }: Choice,
  isWhole: boolean,
  delta: Delta | null,
  label: string,
): FidelityReport {
  if (isWhole) return measure.wholeReport();
  return delta ? measure.reportSince(delta.knower.seq, carryOfKnown(delta.knower, label)) : measure.report(from);
}

/** Only where it is asked for: the session that knows this one has to be measured too. */
async function sinceOf(
  { store, keys }: OpenHome,
  { request, isPreview, isWhole }: PrepareInput,
  { to, target }: { to: SessionAdapter; target: TargetAdapter },
  { measure, window }: Measured,
  snapshot: Snapshot,
): Promise<Result<Delta>> {
  if (isWhole || (isPreview !== true && request.mode !== 'delta'))
    return fail('invalid_request', 'It was not asked for');
  return deltaOf(store.reader, {
    target: { id: to.id, label: to.label, adapter: target, factor: window.factor },
    since: request.since ?? null,
    snapshot,
    measure,
    key: keys.redaction,
  });
}

export function writerOf<Session>(by: SessionWriter<Session>, session: Session): Writer {
  return {
    write: (options) => by.write(session, options),
    readBack: (written, options, at) => by.readBack(written, session, options, at),
  };
}

/**
 * The way to go, and what stands in front of the native part (null = nothing does). When what must be known does not fit
 * beside so many turns, fewer turns go natively.
 */
async function chooseAndCompile(
  context: EngineContext,
  home: OpenHome,
  request: HandoffRequest,
  { measure, space, window }: Measured,
  snapshot: Snapshot,
  since: Result<Delta>,
): Promise<{ choice: Choice; compiled: Result<Compiled | null> }> {
  const attempt = async (choice: Choice): Promise<Result<Compiled | null>> => {
    if (choice.context === 0 || choice.refused) return ok(null);
    const before = choice.mode === 'native-tail' ? snapshot.order[choice.from] : undefined;
    return compileForHandoff(context, home, {
      session: request.session,
      at: snapshot.index.n - 1,
      redactionKey: home.keys.redaction,
      target: request.to,
      budget: choice.context,
      factor: window.factor,
      before,
      known: choice.mode === 'delta' && since.ok ? since.value.known : undefined,
    });
  };
  const choice = chooseMode(measure, space, request, since);
  const compiled = await attempt(choice);
  const needed = compiled.ok ? null : compiled.error.details?.needed;
  if (choice.mode !== 'native-tail' || typeof needed !== 'number') return { choice, compiled };
  const fewer = chooseMode(measure, { ...space, context: Math.ceil(needed * SLACK) }, request, since);
  return { choice: fewer, compiled: await attempt(fewer) };
}

/** With fewer turns the page covers more, so it may need a little more. */
const SLACK = 1.2;

async function measureSpace(
  context: EngineContext,
  reader: StoreReader,
  to: { id: string; target: TargetAdapter },
  snapshot: Snapshot,
  redactor: OutgoingRedactor,
  note: SessionEvent | null,
): Promise<Measured> {
  const window = await targetWindow(context, reader, to.id, to.target);
  const { window: whole, reserve, factor } = window;
  const measure = await measureModel(reader, snapshot, redactor, { id: to.id, adapter: to.target, factor });
  const budget = whole - reserve;
  return { measure, window, space: { window: whole, reserve, budget, note: note ? targetTokens(note, factor) : 0 } };
}

/** The first reason why this handoff cannot be done. */
function refusalOf(row: SessionRow, cwd: string | null, checks: Check[], choice: Choice): AppError | null {
  const { user, assistant, tool_call } = row.counts;
  if (user + assistant + tool_call === 0)
    return {
      code: 'no_conversation',
      message: 'Nothing of this session reaches a model, so there is nothing to go on with.',
    };
  if (cwd !== null && cwd !== row.cwd && !isAbsolute(cwd))
    return {
      code: 'unknown_cwd',
      message: `${cwd} is no whole path. Name the folder from the root on (--cwd in a terminal).`,
    };
  if (cwd === null || !isAbsolute(cwd))
    return {
      code: 'unknown_cwd',
      message: "The session's folder is not known. Name one (--cwd in a terminal) and try again.",
    };
  const stop = checks.find((check) => check.level === 'stop');
  if (stop) return { code: 'write_failed', message: `${stop.text}. ${stop.detail ?? ''}`.trim() };
  return choice.refused;
}
