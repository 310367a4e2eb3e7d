import { activePath } from '../../core/view/branch.ts';
import { CODE } from '../../core/view/codes.ts';
import { textOf } from '../../core/view/content.ts';
import { FLAG, type SessionIndex } from '../../core/view/flags.ts';
import { readSpecial, specialSeqs } from '../../core/view/model.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import type { Handoff, SessionEvent, SessionFork } from '../../shared/events.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { StoreReader } from '../store/contract.ts';
import { outgoingRedactor } from './outgoing.ts';
import type { Snapshot } from './snapshot.ts';

/** A session of the target's agent that knows a part of the source, by our own records of handoffs between the two. */
export interface Knower {
  row: SessionRow;
  /** last event of the source that it knows */
  seq: number;
  /** prompts that it has got since by itself, and that the source does not know */
  ownTurns: number;
  /** how it got to know it; null = the source came from it */
  mode: string | null;
}

/**
 * Sessions of `agent` that know the source: those it was handed to, and the one it came from. Nothing else counts as known:
 * not the same words, not the same folder, not a session two handoffs away.
 */
export async function knowersOf(reader: StoreReader, { row, index }: Snapshot, agent: string): Promise<Knower[]> {
  const given = await givenTo(reader, row, index, agent);
  const giver = await cameFrom(reader, row, index, agent);
  return giver === null ? given : [giver, ...given];
}

/** The one that a delta goes on with. More than one: the user names it, nothing is guessed. */
export function chosenKnower(knowers: readonly Knower[], since: string | null, label: string): Result<Knower> {
  const named = since === null ? knowers : knowers.filter(({ row }) => row.id === since);
  const [first] = named;
  if (first === undefined)
    return fail(
      'invalid_request',
      since === null
        ? `No session of ${label} knows this one: it was handed to none, and came from none`
        : `${since} does not know this session by any handoff of ours`,
    );
  if (named.length === 1) return ok(first);
  return fail(
    'selection_required',
    `${named.length} sessions of ${label} know this one, name the one to go on with: ${named.map(({ row }) => row.id).join(', ')}`,
  );
}

async function givenTo(reader: StoreReader, row: SessionRow, index: SessionIndex, agent: string): Promise<Knower[]> {
  const done = await handoffsOf(reader, row.id, index);
  const knowers: Knower[] = [];
  for (const { ts, payload } of done) {
    if (payload.to_agent !== agent) continue;
    const to = await read(reader, payload.to_session);
    const from = to === null ? null : await forkOf(reader, to.row.id, to.index);
    if (to === null || from === null) continue;
    const end = writtenEnd(to.index, payload, ts);
    const ownTurns = promptsAfter(to.index, to.active, end).length;
    knowers.push({ row: to.row, seq: from.from_seq ?? -1, ownTurns, mode: payload.mode });
  }
  return knowers.filter(
    ({ row: { id }, ownTurns }) => ownTurns > 0 || !done.some(({ payload }) => payload.since === id),
  );
}

async function cameFrom(
  reader: StoreReader,
  row: SessionRow,
  index: SessionIndex,
  agent: string,
): Promise<Knower | null> {
  const fork = row.parent_kind === 'handoff' ? await forkOf(reader, row.id, index) : null;
  const from = fork === null ? null : await read(reader, fork.from_session);
  if (fork === null || from === null || from.row.agent !== agent) return null;
  const record = (await handoffsOf(reader, from.row.id, from.index)).find(
    ({ payload }) => payload.to_session === row.id,
  );
  // it holds a session of its own agent too, which had gone on by itself: the giver never saw that
  if (record === undefined || (record.payload.since_turns ?? 0) > 0) return null;
  const seq = writtenEnd(index, record.payload, record.ts);
  const ownTurns = promptsAfter(from.index, from.active, fork.from_seq ?? -1).length;
  return { row: from.row, seq, ownTurns, mode: null };
}

interface Read {
  row: SessionRow;
  index: SessionIndex;
  active: Uint8Array;
}

async function read(reader: StoreReader, id: string): Promise<Read | null> {
  const row = await reader.session(id);
  if (row === null) return null;
  const index = await reader.index(id);
  const special = readSpecial(await reader.eventsAt(id, specialSeqs(index)));
  return { row, index, active: activePath(index, special.leaf) };
}

/** Handoffs that a log tells of and that stand. */
async function handoffsOf(
  reader: StoreReader,
  id: string,
  { n, type }: SessionIndex,
): Promise<{ ts: number; payload: Handoff }[]> {
  const seqs: number[] = [];
  for (let seq = 0; seq < n; seq++) if (type[seq] === CODE.handoff) seqs.push(seq);
  const last = new Map<string, SessionEvent>();
  for (const event of await reader.eventsAt(id, seqs)) last.set(String(event.payload.operation_id), event);
  return [...last.values()]
    .filter(({ payload }) => payload.state === 'done' && typeof payload.to_session === 'string')
    .map(({ ts, payload }) => ({ ts: ts ?? 0, payload: payload as unknown as Handoff }));
}

/** What a session says of its beginning. */
async function forkOf(reader: StoreReader, id: string, { n, type }: SessionIndex): Promise<SessionFork | null> {
  if (n === 0 || type[0] !== CODE.fork) return null;
  const [event] = await reader.eventsAt(id, [0]);
  const fork = event?.payload as SessionFork | undefined;
  return fork !== undefined && typeof fork.from_session === 'string' ? fork : null;
}

/**
 * Last event of a session that we wrote ourselves: as recorded, where it was read at once. Else (large ones are read later)
 * what its agent added is newer than anything we wrote.
 */
function writtenEnd({ n, type, flags, ts }: SessionIndex, { to_seq, to_until }: Handoff, at: number): number {
  if (typeof to_seq === 'number') return to_seq;
  const until = to_until ?? at;
  for (let seq = 0; seq < n; seq++)
    if (type[seq] === CODE.user && flags[seq]! & FLAG.PROMPT && ts[seq]! > until) return seq - 1;
  return n - 1;
}

/** Prompts of the active branch behind an event. */
function promptsAfter({ n, type, flags }: SessionIndex, active: Uint8Array, after: number): number[] {
  const seqs: number[] = [];
  for (let seq = Math.max(0, after + 1); seq < n; seq++)
    if (active[seq] && type[seq] === CODE.user && flags[seq]! & FLAG.PROMPT) seqs.push(seq);
  return seqs;
}

/** Prompts up to `seq`, redacted, that were on the active branch when that was the newest event, and are not any more. */
export async function takenBack(
  reader: StoreReader,
  { row, index, special }: Snapshot,
  seq: number,
  key: Uint8Array,
): Promise<{ seq: number; text: string }[]> {
  const now = activePath(index, special.leaf);
  const past = { ...index, n: Math.min(index.n, seq + 1) };
  const { leaf } = readSpecial(await reader.eventsAt(row.id, specialSeqs(past)));
  const then = activePath(past, leaf);
  const gone: number[] = [];
  for (let at = 0; at < then.length; at++)
    if (then[at] && !now[at] && index.type[at] === CODE.user && index.flags[at]! & FLAG.PROMPT) gone.push(at);
  const redactor = await outgoingRedactor(reader, row, key);
  const events = await reader.eventsAt(row.id, gone);
  return events.map((event) => ({ seq: event.seq, text: textOf(redactor.event(event).payload.content) }));
}
