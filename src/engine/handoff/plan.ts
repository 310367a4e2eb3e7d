import type { HandoffPlan } from '../../shared/handoff.ts';
import type { EngineContext } from '../procedures/context.ts';
import type { Delta } from './delta.ts';
import type { HandoffRequest, HandoffState } from './operation.ts';
import type { Prepared } from './prepare.ts';

/** What a person sees before the button. */
export function planOf(prepared: Prepared, context: EngineContext): HandoffPlan {
  const { row, to, installed, shape, choice, refused, nativeId, cwd } = prepared;
  return {
    session: row.id,
    from: row.agent,
    to: to.id,
    title: prepared.title,
    target: {
      agent: to.id,
      label: to.label,
      installed: installed !== null,
      version: installed?.version ?? null,
      shape: shape.name,
    },
    mode: choice.mode,
    // the way that is taken was worked out; the others are estimates
    modes: choice.modes.map((one) =>
      one.mode === choice.mode && prepared.compiled !== null ? { ...one, tokens: prepared.budget.used } : one,
    ),
    checks: prepared.checks,
    fidelity: prepared.fidelity,
    budget: prepared.budget,
    redaction: prepared.redaction,
    files: shape.files,
    command: to.resume({ native_id: nativeId, cwd, source: shape.files[0] ?? null }, context.agents.env),
    ready: refused === null,
    ...(refused ? { refused: { code: refused.code, message: refused.message } } : {}),
  };
}

/** What an operation remembers, so that a retry goes on with the very same. */
export function stateOf(prepared: Prepared, request: HandoffRequest, actor?: string): HandoffState {
  const { compiled, choice, delta } = prepared;
  return {
    request,
    ...(actor === undefined ? {} : { actor }),
    at: prepared.at,
    native_id: prepared.nativeId,
    final: prepared.shape.files[0]!,
    title: prepared.title,
    cwd: prepared.cwd!,
    version: prepared.installed?.version ?? null,
    tokens: prepared.budget.used,
    mode: choice.mode,
    turns: choice.turns,
    shape: prepared.shape.name,
    source_version: prepared.row.agent_version,
    head: prepared.snapshot.head,
    fidelity: prepared.fidelity,
    redaction: prepared.redaction,
    compiled: compiled?.note ?? null,
    ...(delta ? { since: sinceOf(delta, prepared.at) } : {}),
    until: Math.max(prepared.at, prepared.row.last_activity ?? 0, delta?.snapshot.row.last_activity ?? 0),
    warnings: [],
    written: null,
    result: null,
  };
}

/** What is copied of the session that knows is as old as that session, by its own clock. */
function sinceOf({ knower: { row, seq, ownTurns } }: Delta, at: number): NonNullable<HandoffState['since']> {
  return { session: row.id, native_id: row.native_id, seq, own_turns: ownTurns, until: row.last_activity ?? at };
}
