import { randomUUID } from 'node:crypto';
import { cutText, isLong } from '../../../adapters/io/cut-text.ts';
import { sha256Ref } from '../../core/hash.ts';
import type { Redactor } from '../../core/redact/redactor.ts';
import { type AppendEvent, type AppendInput, appendEventSchema, isRemark, MOST_EVENTS } from '../../shared/append.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import type { ContentBlock, EventDraft } from '../../shared/events.ts';
import { isOwn, type SessionRow } from '../../shared/session.ts';
import { type EngineContext, type OpenHome, resolveSession } from '../procedures/context.ts';
import type { Decision, StoreReader } from '../store/contract.ts';
import { inTurn } from './in-turn.ts';
import { doneOf, onceOf, recordedBy } from './operation.ts';
import { withRedactor } from './redacted-write.ts';
import { redactedPayload, redactedTexts } from './redaction.ts';

/** What an append did. */
export interface Appended {
  session: string;
  /** numbers of the new events */
  seqs: number[];
  /** secrets that were taken out of them before they were stored */
  redacted: number;
  /** true: it was done before under this operation id, and nothing was written now */
  replayed: boolean;
}

/**
 * Puts events at the end of a session: checked, redacted, then numbered and chained by the store. A session of ours takes a
 * conversation; one that was captured belongs to its agent and takes remarks alone. All of it is written, or nothing.
 * Errors: invalid_request (with `details.event`, the place in the list), scope_denied, not_found, operation_id_conflict.
 */
export async function append(
  context: EngineContext,
  home: OpenHome,
  input: { id: string; events: readonly AppendInput[]; operation_id?: string | undefined },
): Promise<Result<Appended>> {
  const { store } = home;
  const found = await resolveSession(store.reader, input.id);
  if (!found.ok) return found;
  const row = found.value;
  const events = checked(row, input.events);
  if (!events.ok) return events;
  if (events.value.length === 0) return ok({ session: row.id, seqs: [], redacted: 0, replayed: false });
  const known = await artifactsKnown(store.reader, events.value);
  if (!known.ok) return known;
  const appended = await inTurn(store.reader, row.id, () => write(home, row, events.value, input));
  if (appended.ok && !appended.value.replayed)
    context.emit({ topic: 'session', id: row.id, change: 'appended', head_seq: appended.value.seqs.at(-1) ?? 0 });
  return appended;
}

async function write(
  { store, keys }: OpenHome,
  row: SessionRow,
  events: readonly AppendEvent[],
  { operation_id, events: given }: { operation_id?: string | undefined; events: readonly AppendInput[] },
): Promise<Result<Appended>> {
  const once = operation_id === undefined ? null : onceOf('append', operation_id, { session: row.id, events: given });
  const before = once && (await recordedBy(store, once));
  if (before) return ok(appendedBefore(row.id, before));
  let redacted = 0;
  const decided = await withRedactor(store, keys.redaction, row, (redactor) => {
    const decision = decisionOf(row, events, redactor);
    redacted = redactor.replaced;
    return { ...decision, ...(once === null ? {} : { operation: doneOf(once, { redacted }), once: true }) };
  });
  if (!decided.ok) return decided;
  if (decided.value.replayed) return ok(appendedBefore(row.id, decided.value.replayed));
  return ok({ session: row.id, seqs: decided.value.seqs[0] ?? [], redacted, replayed: false });
}

function decisionOf(row: SessionRow, events: readonly AppendEvent[], redactor: Redactor): Decision {
  const artifacts = new NewArtifacts();
  const redactions: number[] = [];
  const drafts = events.map((event) => {
    const count = redactor.replaced;
    const redacted = HAS_IDS.test(event.type) ? redactedPayload : redactedTexts;
    const payload = redacted(redactor, event.payload);
    const refs = event.refs.map((ref) => redactor.text(ref));
    redactions.push(redactor.replaced - count);
    return draftOf(row, { ...event, refs, payload: artifacts.cut(event.type, payload) });
  });
  return { append: [{ session: row.id, drafts, hang: true, redactions }], artifacts: artifacts.list };
}

/** Types whose payloads have ids and signatures; those of others are texts under any name. */
const HAS_IDS = /^(?:message|tool|file|command)\./;

function appendedBefore(session: string, { seqs, redacted }: Record<string, unknown>): Appended {
  const [numbers = []] = seqs as number[][];
  return { session, seqs: numbers, redacted: Number(redacted ?? 0), replayed: true };
}

function checked(row: SessionRow, given: readonly AppendInput[]): Result<AppendEvent[]> {
  if (given.length > MOST_EVENTS)
    return fail('invalid_request', `At most ${MOST_EVENTS} events at once; append the rest after them.`);
  const events: AppendEvent[] = [];
  for (const [i, one] of given.entries()) {
    const parsed = appendEventSchema.safeParse(one);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const where = ['events', i, ...(issue?.path ?? [])].join('.');
      return fail('invalid_request', `${where}: ${issue?.message ?? 'not valid'}`, {
        event: i,
        path: issue?.path ?? [],
      });
    }
    const refused = refusalOf(row, parsed.data, i);
    if (refused) return refused;
    events.push(parsed.data);
  }
  return ok(events);
}

function refusalOf(row: SessionRow, event: AppendEvent, i: number): ReturnType<typeof fail> | null {
  const next = row.events + i;
  if (event.parent_seq !== undefined && event.parent_seq >= next)
    return fail('invalid_request', `events.${i}.parent_seq: an event follows an earlier one, below ${next}.`, {
      event: i,
      path: ['parent_seq'],
    });
  if (isOwn(row) || isRemark(event)) return null;
  return fail(
    'scope_denied',
    `${row.id} is a session of ${row.agent}: what it says comes from there. Add checkpoints, decisions, notes or labels, or fork it and go on in the fork.`,
    { event: i, type: event.type },
  );
}

/** Every artifact that is named must be here. */
async function artifactsKnown(reader: StoreReader, events: readonly AppendEvent[]): Promise<Result<void>> {
  const named = new Set(
    events.flatMap(({ payload }) => [...JSON.stringify(payload).matchAll(ARTIFACT)].map(([ref]) => ref)),
  );
  for (const ref of named)
    if ((await reader.artifact(ref)) === null)
      return fail('not_found', `There is no ${ref} in this store.`, { artifact: ref });
  return ok(undefined);
}

const ARTIFACT = /artifact:sha256:[0-9a-f]{64}/g;

function draftOf(row: SessionRow, { type, payload, actor, ts, level, refs, parent_seq }: AppendEvent): EventDraft {
  return {
    ts: ts === undefined ? Date.now() / 1000 : ts,
    agent: row.agent,
    actor: actor ?? actorOf({ type, payload }, row.agent),
    type,
    level,
    payload: RESPONSES.has(type) && payload.response === undefined ? { ...payload, response: randomUUID() } : payload,
    refs,
    parent_seq: parent_seq ?? null,
    origin: null,
  };
}

/** Types that belong to one answer of a model. */
const RESPONSES: ReadonlySet<string> = new Set(['message.assistant', 'message.thinking', 'tool.call']);
const AGENTS_OWN: ReadonlySet<string> = new Set([
  ...RESPONSES,
  'file.read',
  'file.edit',
  'command.run',
  'todo.add',
  'todo.update',
]);
const USERS_OWN: ReadonlySet<string> = new Set(['message.user', 'decision', 'checkpoint']);

function actorOf({ type, payload }: Pick<AppendEvent, 'type' | 'payload'>, agent: string): string {
  if (AGENTS_OWN.has(type)) return `agent:${agent}`;
  const named = type === 'meta' && (payload.key === 'title' || payload.key === 'label');
  return named || USERS_OWN.has(type) ? 'user' : 'system';
}

/** Long outputs of tools lie beside their events, as those of captured sessions do. */
class NewArtifacts {
  readonly list: { bytes: Uint8Array; media_type: string }[] = [];
  readonly #store: (bytes: Uint8Array, mediaType: string) => string;

  constructor() {
    this.#store = (bytes, media_type) => {
      this.list.push({ bytes, media_type });
      return `artifact:${sha256Ref(bytes)}`;
    };
  }

  cut(type: string, payload: Record<string, unknown>): Record<string, unknown> {
    if (type !== 'tool.result') return payload;
    const content = payload.content as ContentBlock[];
    const texts = content.flatMap((block) => (block.kind === 'text' ? [block.text] : []));
    if (!texts.some(isLong)) return payload;
    // one artifact holds the whole, so that an event names one
    const { text, truncated } = cutText(texts.join('\n'), this.#store);
    const others = content.filter(({ kind }) => kind !== 'text');
    return { ...payload, content: [{ kind: 'text', text }, ...others], truncated };
  }
}
