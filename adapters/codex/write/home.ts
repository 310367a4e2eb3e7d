import { basename, join } from 'node:path';
import { ok } from '../../../src/shared/errors.ts';
import type { SessionEvent } from '../../../src/shared/events.ts';
import type { WayHome, WholeSession } from '../../contract.ts';
import { jsonlHome } from '../../home/jsonl.ts';
import type { Move } from '../../home/move.ts';
import { readJsonl } from '../../io/jsonl.ts';
import { codexHome, parseRolloutName, rolloutPath } from '../home.ts';
import { isObject } from '../read/item.ts';
import { baseOf, ordinalOf } from '../read/rollouts.ts';
import { rebuildRecords } from '../rebuild.ts';

type Json = Record<string, unknown>;

/** Threads of Codex as they were: rollbacks, rewinds and forks in files of their own, and what only the client reads. */
const lines = jsonlHome({
  label: 'Codex',
  final: ({ row }, { env, nativeId, at }) => {
    const home = codexHome(env);
    const name = row.source === null ? '' : basename(row.source).replace(/\.zst$/, '');
    const known = nativeId === row.native_id ? parseRolloutName(name) : null;
    // a document of the TypeScript client comes back as lines, which every later version reads
    if (known === null || name.endsWith('.json')) return ok(rolloutPath(home, nativeId, at));
    const [year, month, day] = known.stamp.split(/[-T]/) as [string, string, string];
    return ok(row.archived ? join(home, 'archived_sessions', name) : join(home, 'sessions', year, month, day, name));
  },
  records: rebuildRecords,
  moved,
  fitted,
  renamed: (file, move) => {
    const id = parseRolloutName(file)?.threadId;
    const plain = file.replace(/\.zst$/, '');
    return id === undefined ? plain : plain.replace(id, String(move.id(id)));
  },
});

/**
 * A thread that was rewound lies in several files, and Codex finds only the first where its own database does not know the
 * thread: it would go on from the wrong place. Such threads are left to the model view, and so are those whose records were not
 * kept from the first one on.
 */
export const codexWayHome: WayHome = { ...lines, takes: (_row, log) => isKeptInOneFile(log), base: baseThread };

/** A fork of 0.149 and later holds its own lines alone: Codex reads those before the fork in the other thread's file. */
async function baseThread(log: AsyncIterable<SessionEvent>): Promise<string | null> {
  for await (const { type, payload } of log) {
    if (type !== 'meta' || payload.key !== 'records') continue;
    const [first] = payload.value as unknown[];
    return isObject(first) && isObject(first.payload) ? (baseOf(first.payload)?.rolloutId ?? null) : null;
  }
  return null;
}

/** The header names the place of the fork in bytes of the other file, which has other bytes now. */
function fitted(record: unknown, { native_id, path }: NonNullable<WholeSession['base']>): unknown {
  if (!isObject(record) || record.type !== 'session_meta' || !isObject(record.payload)) return record;
  const base = baseOf(record.payload);
  if (base?.rolloutId !== native_id) return record;
  const cut = { ...(record.payload.history_base as Json), end_byte_offset: endOf(path, base.end) };
  return { ...record, payload: { ...record.payload, history_base: cut } };
}

/** Bytes of a rollout before the first line from an ordinal on. */
function endOf(path: string, ordinal: number): number {
  const lines = readJsonl(path, { redactor: null });
  for (let step = lines.next(), end = 0; ; step = lines.next()) {
    if (step.done === true) return end;
    for (const { records, line, offset, end: to } of step.value) {
      if (records.some((record) => ordinalOf(record, line - 1) >= ordinal)) {
        lines.return({ cursor: { offset: 0, line: 0 }, pending: null });
        return offset;
      }
      end = to + 1;
    }
  }
}

/** Told from the log: files of later days lie in other folders, and the thread may have come without any. */
async function isKeptInOneFile(log: AsyncIterable<SessionEvent>): Promise<boolean> {
  let first: unknown;
  for await (const { type, payload, origin } of log) {
    if (origin?.source !== undefined && origin.session === undefined) return false;
    if (type === 'meta' && payload.key === 'records') first ??= (payload.value as unknown[])[0];
  }
  return isObject(first) && (first.type === 'session_meta' || first.type === undefined);
}

/** Records in which the client itself keeps folders; everything else is what was said and done. */
const SETTINGS: ReadonlySet<unknown> = new Set(['session_meta', 'turn_context', 'world_state']);
const SETTING_EVENTS: ReadonlySet<unknown> = new Set(['thread_settings_applied', 'session_configured']);
const IDS: ReadonlySet<string> = new Set(['thread_id', 'session_id', 'conversation_id', 'forked_from_id']);

function moved(record: unknown, move: Move): unknown {
  if (!isObject(record)) return record;
  const { type, payload } = record;
  // before 0.36 records have no envelope; the header then has no type either
  if (!isObject(payload)) return type === undefined && 'id' in record ? header(record, move) : record;
  if (type === 'session_meta') return { ...record, payload: header(payload, move) };
  if (SETTINGS.has(type) || (type === 'event_msg' && SETTING_EVENTS.has(payload.type)))
    return { ...record, payload: settings(payload, move) };
  return type === 'event_msg' ? { ...record, payload: named(payload, move) } : record;
}

const header = (meta: Json, move: Move): unknown => {
  const copy = settings(meta, move) as Json;
  return 'id' in meta ? { ...copy, id: move.id(meta.id) } : copy;
};

/** Names the thread anew in the record itself. */
function named(payload: Json, move: Move): Json {
  const entries = Object.entries(payload).map(([key, value]) => [key, IDS.has(key) ? move.id(value) : value]);
  return Object.fromEntries(entries) as Json;
}

function settings(value: unknown, move: Move, key = ''): unknown {
  if (IDS.has(key)) return move.id(value);
  if (key === 'cwd') return move.folder(value);
  if (Array.isArray(value)) {
    const roots = key.endsWith('_roots');
    return value.map((item) => (roots ? move.folder(item) : settings(item, move)));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, settings(item, move, name)]));
}
