import type { Carry, TargetAdapter } from '../../../adapters/contract.ts';
import type { KnownPart } from '../../core/compile/known.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import type { Check } from '../../shared/handoff.ts';
import type { StoreReader } from '../store/contract.ts';
import { chosenKnower, type Knower, knowersOf, takenBack } from './known.ts';
import { type Measure, measureModel } from './measure.ts';
import { type OutgoingRedactor, outgoingRedactor } from './outgoing.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';

/** What a target knows of a session already, and what it does not. */
export interface Delta {
  knower: Knower;
  known: KnownPart;
  /** the session that knows, as it stands */
  snapshot: Snapshot;
  redactor: OutgoingRedactor;
  /** tokens of that session in its own agent */
  own: number;
  /** tokens of what is new */
  fresh: number;
}

export interface DeltaInput {
  target: { id: string; label: string; adapter: TargetAdapter; factor: number };
  /** id of the session to go on with; null = the only one */
  since: string | null;
  snapshot: Snapshot;
  measure: Measure;
  /** redacts placeholders with one key everywhere */
  key: Uint8Array;
}

/** Works out a delta, or says why there is none. Reads the store alone. */
export async function deltaOf(
  reader: StoreReader,
  { target, since, snapshot, measure, key }: DeltaInput,
): Promise<Result<Delta>> {
  const chosen = chosenKnower(await knowersOf(reader, snapshot, target.id), since, target.label);
  if (!chosen.ok) return chosen;
  const knower = chosen.value;
  const back = await takenBack(reader, snapshot, knower.seq, key);
  const isNew = snapshot.order.some((seq) => seq > knower.seq);
  if (!isNew && back.length === 0)
    return fail('no_conversation', `Nothing is new since ${target.label} last knew it`, { session: knower.row.id });
  const own = await takeSnapshot(reader, knower.row.id);
  if (own.order.length === 0)
    return fail(
      'ingestion_incomplete',
      `${knower.row.id}, which knows this session, was not read yet: import it first`,
    );
  const redactor = await outgoingRedactor(reader, own.row, key);
  const size = await measureModel(reader, own, redactor, target);
  return ok({
    knower,
    known: { session: own.row.native_id, seq: knower.seq, ownTurns: knower.ownTurns, takenBack: back },
    snapshot: own,
    redactor,
    own: size.arriving(0),
    fresh: measure.arrivingAfter(knower.seq),
  });
}

/** What the report says of the part that is known: how it got there is on record. */
export function carryOfKnown({ row, mode }: Knower, label: string): Carry {
  const where = `${label} has it, in ${row.native_id}`;
  if (mode === null || mode === 'native') return { outcome: 'kept', how: where };
  return {
    outcome: 'summarised',
    how: mode === 'native-tail' ? `${where}: the last turns whole, the rest compiled` : `${where}, compiled`,
  };
}

/** What a person is told of the session that a delta goes on with. */
export function sinceChecks(
  { knower: { row, seq, ownTurns }, known: { takenBack: back } }: Delta,
  label: string,
): Check[] {
  const turns = (count: number): string => (count === 1 ? '1 turn' : `${count} turns`);
  const details = [
    `It knows this one up to e${seq}; the new session is a copy of it with what is new`,
    ...(ownTurns > 0
      ? [`it has gone on by itself, ${turns(ownTurns)} that this session does not know and that stay`]
      : []),
    ...(back.length > 0 ? [`${turns(back.length)} that it knows were taken back here, which the page says`] : []),
  ];
  const text = `Goes on with ${label}'s session ${row.native_id}`;
  return [{ id: 'since', level: 'note', text, detail: details.join('; ') }];
}
