import type { Output, Parsed } from '../../shared/api.ts';
import { ok, type Result } from '../../shared/errors.ts';
import type { SessionRow } from '../../shared/session.ts';
import { type EngineContext, type OpenHome, resolveSession } from '../procedures/context.ts';
import type { Decided } from '../store/contract.ts';
import { ownDraft } from '../store/own-draft.ts';
import { inTurn } from './in-turn.ts';
import { doneOf, type Once, onceOf, recordedBy } from './operation.ts';
import { withRedactor } from './redacted-write.ts';

type Marked = Output<'sessions.checkpoint'>;

/**
 * Marks a point of a session to come back to: one event, and a manifest that is signed at it. Any session takes one; a later
 * capture goes on behind it. Errors: operation_id_conflict.
 */
export async function checkpoint(
  context: EngineContext,
  home: OpenHome,
  input: Parsed<'sessions.checkpoint'>,
): Promise<Result<Marked>> {
  const { store } = home;
  const found = await resolveSession(store.reader, input.id);
  if (!found.ok) return found;
  const row = found.value;
  const label = input.label ?? null;
  const once = onceOf('checkpoint', input.operation_id, { session: row.id, label });
  const before = await recordedBy(store, once);
  if (before) return marked(home, row.id, before, true);
  const decided = await inTurn(store.reader, row.id, () => mark(home, row, label, once));
  if (!decided.ok) return decided;
  const { seqs, replayed } = decided.value;
  const answer = await marked(home, row.id, replayed ?? { seqs }, replayed !== undefined);
  if (answer.ok) context.emit({ topic: 'session', id: row.id, change: 'appended', head_seq: answer.value.seq });
  return answer;
}

function mark({ store, keys }: OpenHome, row: SessionRow, label: string | null, once: Once): Promise<Result<Decided>> {
  return withRedactor(store, keys.redaction, row, (redactor) => {
    const payload = { ...(label === null ? {} : { label: redactor.text(label) }), artifacts: [] };
    return {
      operation: doneOf(once, {}),
      once: true,
      append: [
        {
          session: row.id,
          drafts: [ownDraft({ agent: row.agent, actor: 'user', type: 'checkpoint', payload })],
          hang: true,
          redactions: [redactor.replaced],
        },
      ],
      manifests: [{ session: row.id, adapter_version: row.agent_version ?? 'unknown' }],
    };
  });
}

async function marked(
  { store }: OpenHome,
  session: string,
  { seqs }: Record<string, unknown>,
  replayed: boolean,
): Promise<Result<Marked>> {
  const [[seq = 0] = []] = seqs as number[][];
  const [event] = await store.reader.eventsAt(session, [seq]);
  return ok({ session, seq, checksum: event?.checksum ?? '', replayed });
}
