import { randomUUID } from 'node:crypto';
import { sha256Hex } from '../../core/hash.ts';
import { canonicalJson } from '../../core/log/canonical-json.ts';
import type { Engine } from '../../engine/engine.ts';
import { ok, type Result } from '../../shared/errors.ts';
import type { Command, HandoffInput } from '../../shared/handoff.ts';

/** What was made so that another agent can go on. */
export interface Carried {
  new_session: string;
  /** L1: working state is carried; the whole of a session (L2) is its own agent's alone */
  level: 'L1';
  operation_id: string;
  receipt: string;
  replayed: boolean;
}

/**
 * Hands a session over so that another agent can resume it. Asked again before anything was added, it gives the session that
 * was written then: the operation is named after what is carried, so a second one is never written.
 */
export async function carry(
  engine: Engine,
  { session, to, cwd }: { session: string; to: string; cwd: string | undefined },
  signal: AbortSignal,
): Promise<Result<{ command: Command; carried: Carried }>> {
  const input: HandoffInput = { session, to, ...(cwd === undefined ? {} : { cwd }) };
  // reads the source up to date, so that the counts say what is carried
  const plan = await engine.call('handoff.preflight', input);
  if (!plan.ok) return plan;
  const row = await engine.call('sessions.get', { id: session });
  if (!row.ok) return row;
  const { counts, last_activity } = row.value;
  const named = `resume-${sha256Hex(canonicalJson({ session, to, cwd: cwd ?? null, counts, last_activity })).slice(0, 32)}`;
  const first = await engine.call('handoff.execute', { ...input, operation_id: named }, signal);
  // that one was taken back since
  const wasUndone = !first.ok && first.error.code === 'operation_id_conflict';
  const done = wasUndone
    ? await engine.call('handoff.execute', { ...input, operation_id: `resume-${randomUUID()}` }, signal)
    : first;
  if (!done.ok) return done;
  const { command, new_session, operation_id, receipt, replayed } = done.value;
  return ok({ command, carried: { new_session, level: 'L1', operation_id, receipt, replayed } });
}
