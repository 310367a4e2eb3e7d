import { sha256Hex } from '../../core/hash.ts';
import { Redactor } from '../../core/redact/redactor.ts';
import { ok, type Result } from '../../shared/errors.ts';
import type { EventDraft, SessionEvent } from '../../shared/events.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { OpenHome } from '../procedures/context.ts';
import type { Decision, StoreReader } from '../store/contract.ts';
import { ownDraft } from '../store/own-draft.ts';
import { inTurn } from './in-turn.ts';
import { type FieldPath, redactedRecord } from './kept-fields.ts';
import { redactionOf, redactionSetting } from './redaction.ts';

/**
 * Records that another program keeps with us as they are, secrets aside: a log for each key, in order. They lie in sessions
 * without a conversation, so no list shows them unless it is asked for everything. A record with a `uuid` is kept once.
 */

/** Names a log: whose records they are, and a path of names. */
export interface EntryKey {
  agent: string;
  path: readonly string[];
}

export type Entry = Record<string, unknown>;

export interface EntryLog {
  path: string[];
  /** milliseconds since the epoch of the last append */
  mtime: number;
}

const ENTRY = 'record';
const DROPPED = 'records.dropped';

const nameOf = (path: readonly string[]): string =>
  path.map((name) => encodeURIComponent(name.toWellFormed())).join('/');
const nativeIdOf = ({ agent, path }: EntryKey): string => `records:${agent}/${nameOf(path)}`;
const idOf = (key: EntryKey): string => `sess_${sha256Hex(nativeIdOf(key)).slice(0, 20)}`;

/**
 * Puts records at the end of a log, all of them or none. `kept`: places of ids and signatures, which no redaction may touch.
 * Errors: those of a write.
 */
export function appendEntries(
  { store, keys }: OpenHome,
  key: EntryKey,
  entries: readonly Entry[],
  kept: readonly FieldPath[],
): Promise<Result<void>> {
  const id = idOf(key);
  return inTurn(store.reader, id, async () => {
    for (;;) {
      const row = await store.reader.session(id);
      const fresh = unseen(entries, row === null ? new Set() : await seenIn(store.reader, row));
      if (fresh.length === 0) return ok(undefined);
      const state = await redactionOf(store.reader, { id, source: null });
      const redactor = new Redactor({ key: keys.redaction, state: state ?? undefined });
      const drafts = fresh.map((entry) => draftOf(key, ENTRY, redactedRecord(redactor, entry, kept)));
      const decided = await store.writer.decide({
        expect: [{ session: id, events: row?.events ?? null }],
        ...(row === null ? { create: [newLog(key)] } : {}),
        append: [{ session: id, drafts }],
        facts: [{ session: id, facts: { archived: false } }],
        ...(redactor.replaced > 0 ? { settings: { [redactionSetting(id)]: redactor.state() } } : {}),
      });
      if (!decided.ok) return decided;
      // else another process has written in between, perhaps the same records
      if (!decided.value.moved) return ok(undefined);
    }
  });
}

/** The records of a log; null = it was never written, or was dropped. */
export async function loadEntries({ store }: OpenHome, key: EntryKey): Promise<Entry[] | null> {
  const row = await store.reader.session(idOf(key));
  if (row === null || row.archived) return null;
  let entries: Entry[] = [];
  for await (const events of store.reader.log(row.id))
    for (const { payload } of events) {
      if (payload.key === DROPPED) entries = [];
      else if (payload.key === ENTRY) entries.push(payload.value as Entry);
    }
  return entries.length === 0 ? null : entries;
}

/** Logs below a path that are there, each with its whole path. */
export async function listEntries({ store }: OpenHome, { agent, path }: EntryKey): Promise<EntryLog[]> {
  const prefix = `${nativeIdOf({ agent, path })}/`;
  const rows = (await store.reader.find(prefix)).filter(
    ({ native_id, archived }) => native_id.startsWith(prefix) && !archived,
  );
  return Promise.all(
    rows.map(async (row) => ({
      path: row.native_id.slice(`records:${agent}/`.length).split('/').map(decodeURIComponent),
      mtime: await lastWritten(store.reader, row),
    })),
  );
}

async function lastWritten(reader: StoreReader, row: SessionRow): Promise<number> {
  const [last] = await reader.eventsAt(row.id, [row.events - 1]);
  return Math.floor((last?.ts ?? 0) * 1000);
}

/**
 * Drops a log and all below it: they read as if they had never been written. The store itself only grows, so what they held
 * stays in it, encrypted.
 */
export function dropEntries(home: OpenHome, key: EntryKey): Promise<Result<void>> {
  const { reader, writer } = home.store;
  return inTurn(reader, idOf(key), async () => {
    for (;;) {
      const decision = await dropOf(home, key);
      if (decision === null) return ok(undefined);
      const decided = await writer.decide(decision);
      if (!decided.ok) return decided;
      if (!decided.value.moved) return ok(undefined);
    }
  });
}

/** Null: there is nothing to drop. */
async function dropOf(home: OpenHome, key: EntryKey): Promise<Decision | null> {
  const below = (await listEntries(home, key)).map(({ path }) => ({ agent: key.agent, path }));
  const expect: NonNullable<Decision['expect']> = [];
  const append: NonNullable<Decision['append']> = [];
  const facts: NonNullable<Decision['facts']> = [];
  for (const one of [key, ...below]) {
    const row = await home.store.reader.session(idOf(one));
    if (row === null || row.archived) continue;
    expect.push({ session: row.id, events: row.events });
    append.push({ session: row.id, drafts: [draftOf(one, DROPPED, row.events)] });
    facts.push({ session: row.id, facts: { archived: true } });
  }
  return append.length === 0 ? null : { expect, append, facts };
}

function newLog(key: EntryKey) {
  return { id: idOf(key), agent: key.agent, native_id: nativeIdOf(key), source: null, parent: null, parent_kind: null };
}

const draftOf = ({ agent }: EntryKey, key: string, value: unknown): EventDraft =>
  ownDraft({ agent, actor: 'system', type: 'meta', level: 2, payload: { key, value } });

// ---- what is there already

interface Seen {
  /** events looked at */
  n: number;
  uuids: Set<string>;
}

const KEPT = 50;
const seen = new WeakMap<StoreReader, Map<string, Seen>>();

/** The uuids of a log's records. Only what came since the last look is read. */
async function seenIn(reader: StoreReader, row: SessionRow): Promise<Set<string>> {
  const logs = seen.get(reader) ?? new Map<string, Seen>();
  seen.set(reader, logs);
  const known = logs.get(row.id) ?? { n: 0, uuids: new Set<string>() };
  for await (const events of reader.stream(row.id, known.n)) for (const event of events) look(known, event);
  logs.delete(row.id);
  logs.set(row.id, known);
  const [oldest] = logs.keys();
  if (logs.size > KEPT && oldest !== undefined) logs.delete(oldest);
  return known.uuids;
}

function look(known: Seen, { seq, payload: { key, value } }: SessionEvent): void {
  known.n = seq + 1;
  if (key === DROPPED) known.uuids.clear();
  const uuid = key === ENTRY ? uuidOf(value as Entry) : null;
  if (uuid !== null) known.uuids.add(uuid);
}

const uuidOf = ({ uuid }: Entry): string | null => (typeof uuid === 'string' && uuid !== '' ? uuid : null);

function unseen(entries: readonly Entry[], before: ReadonlySet<string>): Entry[] {
  const now = new Set<string>();
  return entries.filter((entry) => {
    const uuid = uuidOf(entry);
    if (uuid === null) return true;
    if (before.has(uuid) || now.has(uuid)) return false;
    now.add(uuid);
    return true;
  });
}
