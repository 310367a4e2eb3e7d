import { dirname, extname, join } from 'node:path';
import type { RedactionState } from '../../../src/core/redact/secret-ids.ts';
import { AppFailure, ok, type Result } from '../../../src/shared/errors.ts';
import type { SessionStart } from '../../../src/shared/events.ts';
import type { CaptureOptions, CaptureOutcome, CaptureSink, Cursor, NativeSource } from '../../contract.ts';
import { readSmallFile } from '../../io/files.ts';
import { readJsonl } from '../../io/jsonl.ts';
import { databaseStat, openSqliteSnapshot } from '../../io/sqlite-snapshot.ts';
import { DATABASE } from '../home.ts';
import { isObject, type Json, parsed, word } from '../json.ts';
import { redactorFor } from './capture.ts';
import { SessionLog, secondsOf } from './log.ts';
import { isHermes } from './tables.ts';
import { type Accounts, WriteRows } from './write-rows.ts';

/** A file of an older version, read whole: those are small, and the snapshot is written anew each time. */
interface LegacyFile {
  rows: Json[];
  /** members beside the messages */
  head: Json;
  damage: { about: string; detail: string; line: number }[];
}

interface LegacyCursor extends Record<string, unknown> {
  version: 1;
  redaction: RedactionState;
  damaged: number;
}

const LARGEST = 256 * 1024 * 1024;

/**
 * Captures `<id>.jsonl` (gateway transcripts up to 0.9) or `session_<id>.json` (snapshots of the command line). What the
 * database beside it holds as well is left to the database.
 */
export async function captureLegacy(
  source: NativeSource,
  cursor: Cursor | null,
  sink: CaptureSink,
  options: CaptureOptions,
): Promise<Result<CaptureOutcome>> {
  const accounts: Accounts = { records: 0, mapped: 0, unknown: {}, declared: {}, unreadable: 0 };
  try {
    const file = extname(source.path) === '.json' ? readSnapshot(source.path) : readTranscript(source.path);
    if (cursor === null && (await inDatabase(source)) >= file.rows.length && file.rows.length > 0) {
      accounts.records = file.rows.length;
      accounts.declared = { 'in state.db as well': file.rows.length };
      return ok({ cursor: { version: 1, skipped: true }, ...accounts, redactions: {}, warnings: [] });
    }
    return ok(await write(file, { source, cursor: cursor as LegacyCursor | null, sink, options }, accounts));
  } catch (thrown) {
    if (thrown instanceof AppFailure) return { ok: false, error: thrown.error };
    throw thrown;
  }
}

interface Capture {
  source: NativeSource;
  cursor: LegacyCursor | null;
  sink: CaptureSink;
  options: CaptureOptions;
}

async function write(
  { rows, head, damage }: LegacyFile,
  { source, cursor, sink, options }: Capture,
  accounts: Accounts,
): Promise<CaptureOutcome> {
  const redactor = redactorFor(options, cursor?.redaction);
  const log = new SessionLog(sink.session({ native_id: source.native_id }));
  if (cursor === null) start(log, redactor.record(head), rows);
  const store = (bytes: Uint8Array, type: string): string => sink.artifact(bytes, type);
  const writer = new WriteRows({ log, redactor, store, accounts, drain: () => sink.drain() });
  await writer.write(rows, { known: cursor !== null, continued: false });
  for (const { about, detail, line } of damage.slice(cursor?.damaged ?? 0)) {
    log.sink.warning({ about, detail, line, file: source.path });
    accounts.records++;
    accounts.unreadable++;
  }
  const next: LegacyCursor = { version: 1, redaction: redactor.state(), damaged: damage.length };
  return { cursor: next, ...accounts, redactions: redactor.added, warnings: [] };
}

function start(log: SessionLog, head: Json, rows: readonly Json[]): void {
  const { session_start, model, system_prompt, ...rest } = head;
  log.own(secondsOf(session_start) ?? rows[0]?.timestamp ?? null);
  const name = word(model) ?? word(rows.find(({ role }) => role === 'session_meta')?.model);
  const payload: SessionStart = { cwd: null, ...(name === null ? {} : { model: name }), config: rest };
  log.put('session.start', 'system', payload);
  if (word(system_prompt) === null) return;
  const content = [{ kind: 'text', text: String(system_prompt).toWellFormed() }];
  log.put('message.system', 'system', { content, role: 'system', about: 'instructions' });
}

function readTranscript(path: string): LegacyFile {
  const file: LegacyFile = { rows: [], head: {}, damage: [] };
  const lines = readJsonl(path, { redactor: null });
  for (;;) {
    const step = lines.next();
    if (step.done === true) {
      const { pending } = step.value;
      if (pending !== null) file.damage.push({ about: pending.about, detail: pending.detail, line: pending.line });
      return file;
    }
    for (const { records, damage, line } of step.value) {
      for (const { about, detail } of damage) file.damage.push({ about, detail, line });
      for (const record of records) if (isObject(record)) file.rows.push(rowOf(record, line));
    }
  }
}

function readSnapshot(path: string): LegacyFile {
  const bytes = readSmallFile(path, LARGEST);
  if (!bytes.ok) throw new AppFailure(bytes.error);
  const value = parsed(Buffer.from(bytes.value).toString('utf8'));
  if (!isObject(value)) {
    const detail = 'The file is damaged: it is no complete JSON, so nothing of it can be read.';
    return { rows: [], head: {}, damage: [{ about: 'malformed-line', detail, line: 1 }] };
  }
  const { messages, tools: _, ...head } = value;
  const rows = Array.isArray(messages)
    ? messages.flatMap((message: unknown, i) => (isObject(message) ? [rowOf(message, i + 1)] : []))
    : [];
  return { rows, head, damage: [] };
}

/** A message as a row: its line is its id, its time in seconds. */
function rowOf(message: Json, id: number): Json {
  const { timestamp, ...rest } = message;
  const seconds = typeof timestamp === 'string' ? localSeconds(timestamp) : secondsOf(timestamp);
  return {
    ...rest,
    id,
    timestamp: seconds,
    ...(seconds === null && timestamp !== undefined ? { time: timestamp } : {}),
  };
}

/** Python's `isoformat()` without a zone: the local time of the machine. */
function localSeconds(text: string): number | null {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms / 1000;
}

/** Number of messages of each session in a database, for as long as the database stays as it is. */
const counted = new Map<string, { stamp: string; counts: ReadonlyMap<string, number> }>();

async function inDatabase({ path, native_id }: NativeSource): Promise<number> {
  const database = join(dirname(dirname(path)), DATABASE);
  const info = await databaseStat(database);
  if (info === null) return 0;
  const stamp = `${info.bytes}:${info.mtime_ms}`;
  const known = counted.get(database);
  if (known?.stamp === stamp) return known.counts.get(native_id) ?? 0;
  const snapshot = await openSqliteSnapshot(database);
  if (!snapshot.ok) return 0;
  const { db, close } = snapshot.value;
  try {
    const rows = isHermes(db)
      ? (db.prepare('SELECT session_id AS id, count(*) AS n FROM messages GROUP BY session_id').all() as {
          id: string;
          n: number;
        }[])
      : [];
    counted.set(database, { stamp, counts: new Map(rows.map(({ id, n }) => [id, n])) });
  } catch {
    return 0;
  } finally {
    await close();
  }
  return counted.get(database)?.counts.get(native_id) ?? 0;
}
