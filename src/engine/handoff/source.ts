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
