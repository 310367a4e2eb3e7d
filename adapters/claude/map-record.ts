import { compact } from './cut.ts';
import { EVENT } from './graph.ts';
import { mapAssistant } from './map-assistant.ts';
import { keepRecord, mapAttachment } from './map-attachment.ts';
import { closeBoundary } from './map-compaction.ts';
import { mapLine } from './map-line.ts';
import { mapSystem } from './map-system.ts';
import { mapUser } from './map-user.ts';
import { leftOver } from './native.ts';
import { isObject, type Json, type NativeRecord, text, word } from './record.ts';
import type { SessionState } from './state.ts';

/** What became of a record: mapped; kept raw as unknown, by kind; or skipped on purpose, by kind. */
export type Outcome = { mapped: true } | { unknown: string } | { declared: string };

const MAPPED: Outcome = { mapped: true };
const RAW_HANDLED: ReadonlySet<string> = new Set(['uuid', 'timestamp']);

/** Maps one record into the log of its session. `line` counts from 0. */
export function mapRecord(state: SessionState, record: NativeRecord, line: number, redactions: number): Outcome {
  const { log } = state;
  const kind = conversationKind(record);
  if (kind !== 0 && isDuplicate(state, record, kind)) {
    state.duplicates++;
    return { declared: 'duplicate' };
  }
  log.begin(record, line, -1, redactions);
  if (!isChain(record)) return mapLine(state, record) ? MAPPED : keepUnknown(state, record, word(record.type));
  noteFacts(state, record);
  if (kind & (EVENT.USER | EVENT.ASSISTANT) && record.isCompactSummary !== true) closeBoundary(state);
  const result = mapChain(state, record);
  if (result === 'absorbed') return absorb(state, record);
  if (result !== true) keepUnknown(state, record, result);
  register(state, record, kind, log.current.last);
  return result === true ? MAPPED : { unknown: result };
}

/** Chain lines hang on each other; everything else is a fact about the session. */
export function isChain(record: NativeRecord): boolean {
  const { type } = record;
  return text(record.uuid) !== undefined || type === 'user' || type === 'assistant' || type === 'attachment';
}

function mapChain(state: SessionState, record: NativeRecord): true | string {
  switch (record.type) {
    case 'user':
      return mapUser(state, record);
    case 'assistant':
      return mapAssistant(state, record);
    case 'attachment':
      return mapAttachment(state, record);
    case 'system':
      return mapSystem(state, record);
    case 'progress':
      keepRecord(state, compact(record, { store: state.store }) as NativeRecord, 'progress');
      return true;
    default:
      return word(record.type);
  }
}

/** The EVENT bit by which a repeated record is recognised: 0 for records that are not conversation. */
function conversationKind(record: NativeRecord): number {
  if (record.type === 'user') return EVENT.USER;
  if (record.type === 'assistant') return EVENT.ASSISTANT;
  if (record.type === 'system') return record.subtype === 'compact_boundary' ? EVENT.OTHER : 0;
  const queued =
    record.type === 'attachment' && isObject(record.attachment) && record.attachment.type === 'queued_command';
  return queued ? EVENT.OTHER : 0;
}

/** Clients have appended old records again, with other context fields. The first copy stands. */
function isDuplicate(state: SessionState, record: NativeRecord, kind: number): boolean {
  if (typeof record.uuid !== 'string') return false;
  const before = state.log.graph.byUuid.get(record.uuid);
  return before !== undefined && (state.log.graph.kind(before) & kind) !== 0;
}

/** Keeps a record that has no mapping, whole. It stays on the chain, so that what hangs on it is found. */
function keepUnknown(state: SessionState, record: NativeRecord, kind: string): Outcome {
  const { log } = state;
  const { parentUuid } = record;
  const parent = typeof parentUuid === 'string' ? log.graph.byUuid.get(parentUuid) : undefined;
  log.current.parent = parent ?? -1;
  const payload: Json = { key: 'unknown', value: compact(record, { store: state.store }) };
  log.put({ type: 'meta', actor: 'system', level: 0, payload });
  return { unknown: kind };
}

/** The record of a prompt that is in the log already: kept beside it, and children of it hang on that event. */
function absorb(state: SessionState, record: NativeRecord): Outcome {
  const { log, absorbed } = state;
  log.current.parent = -1;
  const value = compact(leftOver(record, RAW_HANDLED, log, false, undefined), { store: state.store });
  log.put({ type: 'meta', actor: 'system', level: 0, payload: { key: 'record', value }, refs: [`seq:${absorbed}`] });
  register(state, record, EVENT.USER, absorbed);
  return MAPPED;
}

/** Makes the record known to those that will hang on it. `last` = its last event. */
export function register(state: SessionState, record: NativeRecord, kind: number, last: number): void {
  const { graph, current } = state.log;
  if (last < 0) return;
  const uuid = text(record.uuid);
  if (uuid !== undefined && (kind !== 0 || graph.byUuid.get(uuid) === undefined)) graph.byUuid.set(uuid, last);
  if (record.type === 'progress') return;
  const core = graph.core(last) === last;
  if (kind !== 0 || graph.parent(last) >= 0) graph.tip = last;
  if (kind === 0 || !(core || record.type === 'user')) return;
  graph.last = last;
  state.lastLine = current.line;
  if (current.ts !== null && (state.newest === undefined || current.ts >= state.newest.ts))
    state.newest = { ts: current.ts, seq: last };
}

/** Facts about the session that every chain record repeats. */
export function noteFacts(state: SessionState, record: NativeRecord): void {
  const cwd = text(record.cwd);
  state.cwd ??= cwd;
  state.cwdLast = cwd ?? state.cwdLast;
  state.branch = text(record.gitBranch) ?? state.branch;
  state.version = text(record.version) ?? state.version;
}
