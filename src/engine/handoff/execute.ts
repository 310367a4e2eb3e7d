import { fail, ok, type Result } from '../../shared/errors.ts';
import type { HandoffInput, HandoffPlan, HandoffResult } from '../../shared/handoff.ts';
import type { SessionRow } from '../../shared/session.ts';
import { type EngineContext, type OpenHome, resolveSession } from '../procedures/context.ts';
import {
  conflict,
  digestOf,
  type HandoffOperation,
  type HandoffRequest,
  type HandoffState,
  knownOperation,
  openOperations,
} from './operation.ts';
import { type OutgoingRedactor, outgoingRedactor } from './outgoing.ts';
import { planOf } from './plan.ts';
import { prepare } from './prepare.ts';
import { runSaga, settle } from './saga.ts';
import type { StepHook } from './step.ts';

/** Ids of operations, as the protocol has them. */
const OPERATION_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** All there is to know before a handoff. No effect anywhere: nothing is written, registered, or recorded. */
export async function preflight(
  context: EngineContext,
  home: OpenHome,
  input: HandoffInput,
): Promise<Result<HandoffPlan>> {
  const row = await resolveSession(home.store.reader, input.session);
  if (!row.ok) return row;
  const redactor = await outgoingRedactor(home.store.reader, row.value, home.keys.redaction);
  const request = await requestOf(home, input, row.value, redactor);
  if (!request.ok) return request;
  const asked = { request: request.value, operation: 'preview', at: Date.now() / 1000, redactor, isPreview: true };
  const prepared = await prepare(context, home, asked, (_step, _text, work) => work());
  return prepared.ok ? ok(planOf(prepared.value, context)) : prepared;
}

/** The request as it is kept: with the sessions' own ids, and no secret in its note. */
async function requestOf(
  { store }: OpenHome,
  { to, mode, turns, since, note, cwd }: HandoffInput,
  row: SessionRow,
  redactor: OutgoingRedactor,
): Promise<Result<HandoffRequest>> {
  const named = since === undefined ? null : await resolveSession(store.reader, since);
  if (named?.ok === false) return named;
  const clean = note?.trim() ? redactor.text(note.trim()) : null;
  const asked = { session: row.id, to, mode: mode ?? null, turns: turns ?? null, note: clean, cwd: cwd ?? null };
  return ok(named === null ? asked : { ...asked, since: named.value.id });
}

/** Operations that this process runs now: a second call with the same id waits for the first. */
const running = new WeakMap<OpenHome, Map<string, { digest: string; done: Promise<Result<HandoffResult>> }>>();

/**
 * Hands a session over. The same operation id with the same request never writes a second session: it gives the first
 * one's result (`replayed`), or goes on where a killed run stopped.
 */
export async function execute(
  context: EngineContext,
  home: OpenHome,
  input: HandoffInput & { operation_id: string },
  signal: AbortSignal,
  hook?: StepHook,
): Promise<Result<HandoffResult>> {
  const id = input.operation_id;
  if (!OPERATION_ID.test(id))
    return fail('invalid_request', 'An operation id has 1 to 128 letters, digits, or . _ : -');
  const row = await resolveSession(home.store.reader, input.session);
  if (!row.ok) return row;
  const redactor = await outgoingRedactor(home.store.reader, row.value, home.keys.redaction);
  const asked = await requestOf(home, input, row.value, redactor);
  if (!asked.ok) return asked;
  const request = asked.value;
  // over the note as it was given: what is found in it may change its redacted form
  const digest = digestOf({ ...request, note: input.note?.trim() || null });
  const mine = running.get(home) ?? new Map();
  running.set(home, mine);
  const other = mine.get(id);
  if (other) return other.digest === digest ? other.done.then(asReplay) : conflict(id);
  const done = leased(home, id, async () => {
    await settleOthers(context, home, id, signal);
    const known = await knownOperation(home.store, id, digest);
    if (!known.ok) return known;
    const past = known.value && finished(known.value);
    if (past) return past;
    return runSaga({ context, home, operation: { id, digest }, request, signal, hook }, redactor, known.value);
  });
  mine.set(id, { digest, done });
  return done.finally(() => mine.delete(id));
}

/** Handoffs that were killed and that no process is doing now. What cannot be settled stays for the next time. */
async function settleOthers(
  context: EngineContext,
  home: OpenHome,
  except: string,
  signal: AbortSignal,
): Promise<void> {
  for (const id of await openOperations(home.store)) {
    if (id === except || running.get(home)?.has(id)) continue;
    await leased(home, id, async () => {
      const known = (await home.store.reader.operation(id)) as HandoffOperation | null;
      if (known?.state !== 'running' || !known.data.request) return ok(undefined);
      const { digest, data } = known;
      await settle({ context, home, operation: { id, digest }, request: data.request!, signal }, known);
      return ok(undefined);
    }).catch(() => {});
  }
}

const asReplay = (result: Result<HandoffResult>): Result<HandoffResult> =>
  result.ok ? ok({ ...result.value, replayed: true }) : result;

/** The answer of an operation that needs no more work, else null. */
function finished({ id, state, data }: HandoffOperation): Result<HandoffResult> | null {
  if (state === 'undone')
    return fail('operation_id_conflict', `The handoff ${id} was taken back. Hand off again with a new operation id.`, {
      operation: id,
    });
  if (state !== 'done' || !data.result) return null;
  return ok({ ...data.result, replayed: true });
}

/** Runs `work` while no other process does the same operation. Errors: store_busy. */
export async function leased<T>(home: OpenHome, operation: string, work: () => Promise<Result<T>>): Promise<Result<T>> {
  const lease = await home.store.writer.lease(`handoff:${operation}`);
  if (!lease.ok) return lease;
  if ('heldBy' in lease.value) {
    return fail(
      'store_busy',
      `Process ${lease.value.heldBy} is doing this handoff. Wait for it, then ask again with the same operation id.`,
      { pid: lease.value.heldBy },
    );
  }
  try {
    return await work();
  } finally {
    await lease.value.release();
  }
}

/** State of a done handoff, for undo. */
export function stateOf(operation: HandoffOperation): HandoffState | null {
  return operation.state === 'done' && operation.data.written ? (operation.data as HandoffState) : null;
}
