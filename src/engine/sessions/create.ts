import { type CreateSession, createSessionSchema } from '../../shared/append.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import type { EventDraft } from '../../shared/events.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { EngineContext, OpenHome } from '../procedures/context.ts';
import { ownDraft } from '../store/own-draft.ts';
import { doneOf, onceOf, recordedBy, sessionOf } from './operation.ts';
import { payloadRedactor, redactedPayload, redactionSetting } from './redaction.ts';

/** A new session of ours. */
export interface Created {
  session: SessionRow;
  replayed: boolean;
}

/**
 * Makes a session that no agent has a file of; its first event is `session.start`. The same operation id never makes a second
 * one. Errors: invalid_request, operation_id_conflict.
 */
export async function create(
  context: EngineContext,
  home: OpenHome,
  input: CreateSession,
  operation?: string,
): Promise<Result<Created>> {
  const { store, keys } = home;
  const parsed = createSessionSchema.safeParse(input);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join('.') || 'session';
    return fail('invalid_request', `${where}: ${issue?.message ?? 'not valid'}`, { path: issue?.path ?? [] });
  }
  const wanted = parsed.data;
  const once = onceOf('create', operation, wanted);
  const id = sessionOf(once);
  if (await recordedBy(store, once)) return created(home, id, true);
  const redactor = payloadRedactor(keys.redaction, null);
  const drafts = draftsOf(wanted).map((draft) => ({ ...draft, payload: redactedPayload(redactor, draft.payload) }));
  const decided = await store.writer.decide({
    operation: doneOf(once, { session: id }),
    once: true,
    create: [{ id, agent: wanted.agent, native_id: id, source: null, parent: null, parent_kind: null }],
    append: [{ session: id, drafts }],
    settings: { [redactionSetting(id)]: redactor.state() },
  });
  if (!decided.ok) return decided;
  context.emit({ topic: 'session', id, change: 'added', head_seq: drafts.length - 1 });
  return created(home, id, decided.value.replayed !== undefined);
}

async function created({ store }: OpenHome, id: string, replayed: boolean): Promise<Result<Created>> {
  const session = await store.reader.session(id);
  return session ? ok({ session, replayed }) : fail('not_found', `The session ${id} is not in the store.`);
}

function draftsOf(wanted: ReturnType<typeof createSessionSchema.parse>): EventDraft[] {
  const { agent, title, started_at, ...start } = wanted;
  const ts = started_at ?? Date.now() / 1000;
  const draft = (actor: string, type: string, payload: object) => ownDraft({ ts, agent, actor, type, payload });
  const first = draft('system', 'session.start', start);
  return title === undefined ? [first] : [first, draft('user', 'meta', { key: 'title', value: title })];
}
