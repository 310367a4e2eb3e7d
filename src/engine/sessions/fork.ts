import type { Output, Parsed } from '../../shared/api.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import type { EventDraft, SessionFork } from '../../shared/events.ts';
import type { SessionRow } from '../../shared/session.ts';
import { type EngineContext, type OpenHome, resolveSession } from '../procedures/context.ts';
import type { Decision } from '../store/contract.ts';
import { ownDraft } from '../store/own-draft.ts';
import { type ForkPoint, forkPoint } from './inherit.ts';
import { doneOf, type Once, onceOf, receiptOf, recordedBy, sessionOf } from './operation.ts';
import { payloadRedactor, redactionOf, redactionSetting } from './redaction.ts';

type Forked = Output<'sessions.fork'>;

/**
 * Forks a session at an event: a new session that goes on from everything up to it. Nothing is copied; whoever reads the fork
 * reads those events in front of its own. Errors: invalid_request (no such event), operation_id_conflict.
 */
export async function fork(
  context: EngineContext,
  home: OpenHome,
  input: Parsed<'sessions.fork'>,
): Promise<Result<Forked>> {
  const { store, keys } = home;
  const found = await resolveSession(store.reader, input.id);
  if (!found.ok) return found;
  const row = found.value;
  const { at_seq, reason } = input;
  const once = onceOf('fork', input.operation_id, { session: row.id, at_seq, reason: reason ?? null });
  const id = sessionOf(once);
  const answer = (receipt: string, replayed: boolean) => forked(home, { id, row, at_seq, receipt, replayed });
  if (await recordedBy(store, once)) return answer(receiptOf(once), true);
  const point = at_seq < row.events ? await forkPoint(store.reader, row.id, at_seq) : null;
  if (point === null) return outOfRange(row, at_seq);
  const redactor = payloadRedactor(keys.redaction, await redactionOf(store.reader, row));
  const clean = reason === undefined ? undefined : redactor.text(reason);
  const decided = await store.writer.decide({
    ...decisionOf(once, row, point, { reason: clean, title: row.title && redactor.text(row.title) }),
    settings: { [redactionSetting(id)]: redactor.state() },
  });
  if (!decided.ok) return decided;
  context.emit({ topic: 'session', id, change: 'added', head_seq: at_seq + 1 });
  context.emit({ topic: 'session', id: row.id, change: 'changed', head_seq: row.events - 1 });
  context.emit({ topic: 'receipt', id: receiptOf(once) });
  return answer(receiptOf(once), decided.value.replayed !== undefined);
}

async function forked(
  { store }: OpenHome,
  made: { id: string; row: SessionRow; at_seq: number; receipt: string; replayed: boolean },
): Promise<Result<Forked>> {
  const { id, row, at_seq, receipt, replayed } = made;
  const session = await store.reader.session(id);
  if (session === null) return fail('not_found', `The fork ${id} is not in the store.`, { session: id });
  return ok({ session, from_session: row.id, from_seq: at_seq, receipt, replayed });
}

function outOfRange(row: SessionRow, at_seq: number): Result<never> {
  const last = row.events - 1;
  const there = last < 0 ? 'it has no events yet' : `it has events 0 to ${last}`;
  return fail('invalid_request', `This session cannot be forked at ${at_seq}: ${there}.`, { seq: at_seq, last });
}

/** Texts that are clean. */
interface Said {
  reason: string | undefined;
  title: string | null;
}

function decisionOf(once: Once, row: SessionRow, { inherits, at }: ForkPoint, { reason, title }: Said): Decision {
  const id = sessionOf(once);
  const now = Date.now() / 1000;
  const { cwd, cwd_last, git_branch, agent_version } = row;
  return {
    operation: doneOf(once, { session: id }),
    once: true,
    create: [{ id, agent: row.agent, native_id: id, source: null, parent: row.id, parent_kind: 'fork', inherits }],
    append: [{ session: id, drafts: [forkDraft(row, at, now, reason), ...titleDrafts(row, title, now)] }],
    facts: [{ session: id, facts: { cwd, cwd_last, git_branch, agent_version } }],
    manifests: [{ session: id, adapter_version: row.agent_version ?? 'unknown' }],
    receipt: {
      version: 1,
      id: receiptOf(once),
      action: 'fork',
      at: new Date(now * 1000).toISOString(),
      actor: 'user',
      session_id: row.id,
      subjects: [{ name: 'source', sha256: at.checksum.slice('sha256:'.length), session: row.id, seq: at.seq }],
      facts: { fork: id, ...(title === null ? {} : { title }), ...(reason === undefined ? {} : { reason }) },
    },
  };
}

function forkDraft(row: SessionRow, at: ForkPoint['at'], ts: number, reason: string | undefined): EventDraft {
  const payload: SessionFork = {
    from_session: row.id,
    from_seq: at.seq,
    from_checksum: at.checksum,
    ...(reason === undefined ? {} : { reason }),
  };
  return ownDraft({ agent: row.agent, actor: 'user', ts, type: 'session.fork', payload });
}

/** A title that was given, and is no mere beginning of the first prompt, is the fork's too. */
function titleDrafts(row: SessionRow, title: string | null, ts: number): EventDraft[] {
  const { title_from } = row;
  if (title === null || (title_from !== 'user' && title_from !== 'agent')) return [];
  const actor = title_from === 'user' ? 'user' : 'system';
  return [ownDraft({ agent: row.agent, actor, ts, type: 'meta', payload: { key: 'title', value: title } })];
}
