import type Database from 'better-sqlite3';
import { Redactor } from '../../../src/core/redact/redactor.ts';
import type { RedactionState } from '../../../src/core/redact/secret-ids.ts';
import { fail, ok, type Result } from '../../../src/shared/errors.ts';
import type { CaptureOptions, CaptureOutcome, CaptureSink, Cursor, NativeSource } from '../../contract.ts';
import { databaseFailure } from '../../io/damaged-database.ts';
import { fileOf, sessionPath } from '../../io/database-path.ts';
import type { Json } from '../json.ts';
import { copiedRows } from './copies.ts';
import type { Family } from './family.ts';
import { Header, type Told } from './header.ts';
import { SessionLog } from './log.ts';
import { readRows } from './rows.ts';
import { selectSession } from './tables.ts';
import { type Accounts, WriteRows } from './write-rows.ts';

/** Where the next capture of a session goes on. JSON. */
interface SessionCursor extends Record<string, unknown> {
  version: 1;
  told: Told;
  redaction: RedactionState;
}

export interface SessionCapture {
  db: Database;
  family: Family;
  source: NativeSource;
  cursor: Cursor | null;
  sink: CaptureSink;
  options: CaptureOptions;
}

/** What to do about a damaged database. */
export const ADVICE = 'Repair it with "hermes doctor", or recover it with the sqlite3 tool.';

/** What tools take and give, in names of their own: an `id` there is no id of the client, and may be a secret. */
const FOREIGN: ReadonlySet<string> = new Set(['arguments', 'input']);
/** Fields whose values are ids or provider data: kept or removed, never altered. */
const PROTECTED: ReadonlySet<string> = new Set([
  'artifact',
  'call_id',
  'callId',
  'encrypted_content',
  'id',
  'response_item_id',
  'session_id',
  'signature',
  'tool_call_id',
]);

export function redactorFor({ redactionKey }: CaptureOptions, state?: RedactionState): Redactor {
  const [protectedKey, foreignKey] = [PROTECTED, FOREIGN].map((names) => (key: string) => names.has(key));
  return new Redactor({ key: redactionKey, state, protectedKey, foreignKey });
}

/** Reads what is new or different in one session of the snapshot. See `SessionAdapter.capture`. */
export async function captureSession(capture: SessionCapture): Promise<Result<CaptureOutcome>> {
  const { db, source, options } = capture;
  const cursor = capture.cursor as SessionCursor | null;
  try {
    const session = selectSession(db, source.native_id);
    if (session === undefined)
      return fail('source_withdrawn', `The session ${source.native_id} is no longer in its database.`, {
        path: source.path,
      });
    const redactor = redactorFor(options, cursor?.redaction);
    return ok(await read(capture, session, cursor, redactor));
  } catch (thrown) {
    return databaseFailure(source.path, thrown, ADVICE);
  }
}

async function read(
  { db, family, source, sink, options }: SessionCapture,
  session: Json,
  cursor: SessionCursor | null,
  redactor: Redactor,
): Promise<CaptureOutcome> {
  const parent = family.parentOf(session);
  const log = new SessionLog(sink.session({ native_id: source.native_id, ...(parent === null ? {} : { parent }) }));
  const store = (bytes: Uint8Array, type: string): string => sink.artifact(bytes, type);
  const header = new Header({ db, log, redactor, store }, cursor?.told ?? null);
  const accounts: Accounts = { records: 0, mapped: 0, unknown: {}, declared: {}, unreadable: 0 };
  const { kind, native_id = '' } = parent ?? {};
  const database = fileOf(source.path);
  const forkOf = kind === 'fork' ? sink.idOf({ path: sessionPath(database, native_id), native_id }) : null;
  header.begin(session, parent, forkOf, accounts);
  const { rows, damage } = readRows(db, source.native_id);
  const writer = new WriteRows({
    log,
    redactor,
    store,
    accounts,
    drain: () => sink.drain(),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  const copied = kind === 'fork' || kind === 'continuation' ? readRows(db, native_id).rows : [];
  await writer.write(rows, {
    known: cursor !== null,
    continued: kind === 'continuation',
    copies: { from: native_id, rows: copiedRows(rows, copied, session.started_at) },
  });
  log.own();
  if (damage !== null && header.isNew(`damage ${damage}`))
    log.warn('database-malformed', `${damage} Messages of this session could be read only in part.`, {
      file: source.path,
    });
  header.end(session);
  const next: SessionCursor = { version: 1, told: header.told, redaction: redactor.state() };
  return { cursor: next, ...accounts, redactions: redactor.added, warnings: [] };
}
