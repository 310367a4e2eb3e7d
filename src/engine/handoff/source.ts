import type { SessionSource } from '../../../adapters/contract.ts';
import type { SessionEvent } from '../../shared/events.ts';
import type { StoreReader } from '../store/contract.ts';
import { artifactOf } from './home.ts';
import type { Choice } from './modes.ts';
import type { OutgoingRedactor } from './outgoing.ts';
import type { Snapshot } from './snapshot.ts';

/** What a handoff adds is what the user says last: the target reads it as the newest prompt. `place`: of several, from 0. */
export function noteEvent(text: string, { row, index }: Snapshot, at: number, place = 0): SessionEvent {
  return {
    seq: index.n + place,
    ts: at,
    agent: row.agent,
    actor: 'user',
    type: 'message.user',
    level: 1,
    payload: { content: [{ kind: 'text', text }], via: 'prompt' },
    refs: [],
    parent_seq: null,
    origin: null,
    checksum: '',
  };
}

/** The session as the target's writer reads it: from the chosen turn on, redacted on the way where that is due. */
export function sourceOf(
  reader: StoreReader,
  { snapshot, choice, redactor }: { snapshot: Snapshot; choice: Pick<Choice, 'from'>; redactor: OutgoingRedactor },
  added: readonly SessionEvent[],
): SessionSource {
  return {
    row: snapshot.row,
    async *model() {
      for await (const event of snapshot.read(snapshot.order.subarray(choice.from))) yield redactor.event(event);
      yield* added;
    },
    artifact: (ref) => artifactOf(reader, ref, redactor),
  };
}

/** The page of what is new, then the user's note: both are what the user says now. */
export function saidLast(snapshot: Snapshot, at: number, page: string, note: string | null): SessionEvent[] {
  const texts = note === null ? [page] : [page, note];
  return texts.map((text, place) => noteEvent(text, snapshot, at, place));
}

/** The call stands near the end: nothing but its own turn can be behind it. */
const TAIL = 50;

/**
 * The answers of the calls by which an agent asked for this very handoff: they name its operation. The tool is ours and it is
 * done when the target reads this, so this is its result; without it the target would read that its own handoff failed.
 */
export async function answersOf(
  snapshot: Snapshot,
  { operation, at, label }: { operation: string; at: number; label: string },
): Promise<SessionEvent[]> {
  const open = new Map<unknown, SessionEvent>();
  for await (const event of snapshot.read(snapshot.order.subarray(-TAIL))) {
    const { call_id, arguments: given } = event.payload;
    if (event.type === 'tool.result') open.delete(call_id);
    else if (event.type === 'tool.call' && (given as { operation_id?: unknown } | null)?.operation_id === operation)
      open.set(call_id, event);
  }
  const text = `Handed over to ${label}. The conversation goes on there from here.`;
  return [...open.values()].map((call, place) => ({
    ...noteEvent(text, snapshot, at, place),
    actor: 'tool',
    type: 'tool.result',
    payload: { call_id: call.payload.call_id, content: [{ kind: 'text', text }], is_error: false, closed: 'ran' },
    parent_seq: call.seq,
  }));
}
