import type { SessionAdapter } from '../../../adapters/contract.ts';
import { sha256Hex } from '../../core/hash.ts';
import type { AgentId } from '../../shared/agents.ts';
import type { EventDraft, Handoff, SessionFork } from '../../shared/events.ts';
import type { Receipt } from '../../shared/handoff.ts';
import type { SessionRow } from '../../shared/session.ts';
import { sessionIdOf } from '../capture/session-id.ts';
import type { Decision, StoreReader } from '../store/contract.ts';
import { ownDraft } from '../store/own-draft.ts';
import type { HandoffState } from './operation.ts';

export interface Recorded {
  operation: string;
  state: HandoffState;
  row: SessionRow;
  target: SessionAdapter;
  /** canonical id of the new session */
  newSession: string;
  command: string;
  /** where in the new session ends what was written by us */
  end?: Pick<Handoff, 'to_seq' | 'to_until'>;
}

/** Who is named in what is recorded of a handoff. */
export const actorOf = ({ actor = 'user' }: { actor?: string }): string => actor;

/** Canonical id of the written session: the one under which its own agent's capture goes on with it. */
export function newSessionOf(agent: AgentId, state: Pick<HandoffState, 'native_id' | 'final'>): string {
  return sessionIdOf({ agent, native_id: state.native_id, path: state.final });
}

export const receiptIdOf = (operation: string, action = 'handoff'): string =>
  `rcpt_${sha256Hex(`${action} ${operation}`).slice(0, 20)}`;

/**
 * The decision before the file gets its name: the new session exists, and its first event says where it comes from. On a
 * second try it is there already.
 */
export function beginDecision(
  begun: Pick<Recorded, 'row' | 'target' | 'state' | 'newSession'>,
  exists: boolean,
): Decision {
  const { row, target, state, newSession } = begun;
  const facts = [
    {
      session: newSession,
      facts: { title: state.title, title_from: 'user' as const, cwd: state.cwd, archived: false },
    },
  ];
  if (exists) return { facts };
  return {
    create: [
      {
        id: newSession,
        agent: target.id,
        native_id: state.native_id,
        source: state.final,
        parent: row.id,
        parent_kind: 'handoff',
      },
    ],
    append: [
      {
        session: newSession,
        drafts: [
          ownDraft({
            agent: target.id,
            actor: actorOf(state),
            ts: state.at,
            type: 'session.fork',
            payload: forkOf(row, target.id, state),
          }),
        ],
      },
    ],
    facts,
  };
}

/** The decision that ends a handoff: the source says it, and a receipt proves it. */
export function handoffDecision(recorded: Recorded): Decision {
  const { row, state, newSession } = recorded;
  const { compiled } = state;
  const handed = ownDraft({
    agent: row.agent,
    actor: actorOf(state),
    ts: state.at,
    type: 'handoff',
    payload: handoffOf(recorded, 'done'),
  });
  return {
    append: [{ session: row.id, drafts: [...compiledDrafts(recorded), handed] }],
    facts: [{ session: newSession, facts: { bytes: state.written?.bytes ?? 0 } }],
    manifests: [
      {
        session: row.id,
        adapter_version: row.agent_version ?? 'unknown',
        ...(compiled
          ? { compiled: { at_seq: compiled.at_seq, sha256: compiled.sha256, tokens: compiled.tokens } }
          : {}),
      },
    ],
    receipt: receiptOf(recorded),
  };
}

/** What went along compiled, and what was left out of it. */
function compiledDrafts({ row, state }: Recorded): EventDraft[] {
  const { compiled } = state;
  return compiled
    ? [ownDraft({ agent: row.agent, actor: 'system', ts: state.at, type: 'context.compiled', payload: compiled })]
    : [];
}

/** The clock of whoever wrote the source may be ahead of ours. */
function copyOf({ native_id, last_activity }: SessionRow, at: number): Partial<SessionFork> {
  return { copied_from: native_id, copied_until: Math.max(at, last_activity ?? at) };
}

/** With its own agent the session is a copy of the source, or of what a delta goes on with: what that used counts there. */
function forkOf(row: SessionRow, agent: AgentId, state: HandoffState): SessionFork {
  const whole = row.agent === agent && state.mode === 'native' ? copyOf(row, state.at) : {};
  const { since } = state;
  const copied = since === undefined ? whole : { copied_from: since.native_id, copied_until: since.until };
  const reason = `handoff from ${row.agent} (${state.mode})`;
  return { from_session: row.id, from_seq: state.head.seq, reason, ...copied };
}

function handoffOf({ operation, state, row, target, newSession, end }: Recorded, done: Handoff['state']): Handoff {
  return {
    operation_id: operation,
    from_agent: row.agent,
    to_agent: target.id,
    to_session: newSession,
    to_native_id: state.native_id,
    mode: state.mode,
    receipt: receiptIdOf(operation, done === 'done' ? 'handoff' : 'handoff.undo'),
    ...(state.request.note === null ? {} : { note: state.request.note }),
    ...(state.since === undefined ? {} : { since: state.since.session, since_turns: state.since.own_turns }),
    ...end,
    state: done,
  };
}

/** Where in the new session ends what was written: its last event where it was read at once (`isRead`), else a time. */
export async function endOf(
  reader: StoreReader,
  id: string,
  { at, until = at }: HandoffState,
  isRead: boolean,
): Promise<NonNullable<Recorded['end']>> {
  return isRead ? { to_seq: (await reader.index(id)).n - 1 } : { to_until: until };
}

type ReceiptDraft = NonNullable<Decision['receipt']>;

function receiptOf({ operation, state, row, target, newSession, command }: Recorded): ReceiptDraft {
  const subjects: Receipt['subjects'] = [
    { name: 'source', sha256: state.head.checksum.replace('sha256:', ''), session: row.id, seq: state.head.seq },
    { name: 'written', sha256: state.written?.sha256 ?? '', bytes: state.written?.bytes ?? 0, path: state.final },
  ];
  if (state.compiled) subjects.push({ name: 'compiled', sha256: state.compiled.sha256 });
  return {
    version: 1,
    id: receiptIdOf(operation),
    action: 'handoff',
    at: new Date(state.at * 1000).toISOString(),
    actor: actorOf(state),
    session_id: row.id,
    subjects,
    facts: {
      operation_id: operation,
      from: { agent: row.agent, native_id: row.native_id, version: state.source_version },
      to: { agent: target.id, native_id: state.native_id, version: state.version, shape: state.shape },
      new_session: newSession,
      mode: state.mode,
      turns: state.turns,
      ...(state.since === undefined ? {} : { since: state.since }),
      note: state.request.note !== null,
      events: state.fidelity.events,
      tokens: state.fidelity.tokens,
      fidelity: state.fidelity.rows.map(({ kind, outcome, count, tokens, how }) => ({
        kind,
        outcome,
        count,
        tokens,
        how,
      })),
      redaction: state.redaction,
      command,
    },
  };
}

/** The new session's active branch ends at the fork again, so that it holds no conversation, and it is put away. */
export function withdrawal(
  agent: string,
  actor: string,
  session: string,
  at: number,
): Required<Pick<Decision, 'append' | 'facts'>> {
  const drafts = [
    ownDraft({ agent, actor, ts: at, type: 'session.end', payload: { end_reason: 'undone' } }),
    ownDraft({ agent, actor, ts: at, type: 'meta', payload: { key: 'leaf', value: 0 } }),
  ];
  return { append: [{ session, drafts }], facts: [{ session, facts: { archived: true, bytes: 0 } }] };
}

/**
 * The decision that takes a handoff back. Both logs keep what was and say that it was undone.
 */
export function undoDecision(recorded: Recorded, actor: string, at: number, removed: string[]): Decision {
  const { row, target, newSession, operation, state } = recorded;
  const { append, facts } = withdrawal(target.id, actor, newSession, at);
  return {
    append: [
      ...append,
      {
        session: row.id,
        drafts: [
          ownDraft({ agent: row.agent, actor, ts: at, type: 'handoff', payload: handoffOf(recorded, 'undone') }),
        ],
      },
    ],
    facts,
    receipt: {
      version: 1,
      id: receiptIdOf(operation, 'handoff.undo'),
      action: 'handoff.undo',
      at: new Date(at * 1000).toISOString(),
      actor,
      session_id: row.id,
      subjects: [{ name: 'removed', sha256: state.written?.sha256 ?? '', bytes: state.written?.bytes ?? 0 }],
      facts: { operation_id: operation, new_session: newSession, removed },
    },
  };
}
