import { basename, dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { Redactor } from '../../src/core/redact/redactor.ts';
import type { RedactionState } from '../../src/core/redact/secret-ids.ts';
import { fail, ok, type Result } from '../../src/shared/errors.ts';
import type { CaptureOptions, Cursor, NativeSource, OpenDatabase, SessionAdapter } from '../contract.ts';
import type { StoreArtifact } from '../io/cut-text.ts';
import { databaseFailure } from '../io/damaged-database.ts';
import { databasePath, sessionPath } from '../io/database-path.ts';
import { openSqliteSnapshot } from '../io/sqlite-snapshot.ts';
import { bubblesOf, type ComposerRow, composersOf, readComposer } from './editor.ts';
import { digest, Recorder, type SessionState } from './recorder.ts';
import { type CursorSession, isObject, type Json, textOf } from './session.ts';
import { messageIds, readStore, storeMeta } from './terminal.ts';

interface DatabaseCursor extends Record<string, unknown> {
  version: 1;
  sessions: Record<string, string>;
}

interface SessionCursor extends Record<string, unknown> {
  version: 1;
  state: SessionState;
  redaction: RedactionState;
}

/** A session of a database: how it is told apart, and how it is read. */
interface Found {
  source: NativeSource;
  digest: string;
  read(redactor: Redactor, store: StoreArtifact): CursorSession;
}

const ADVICE = 'Recover it with the sqlite3 tool.';

/** Tells which sessions of a database are new or changed, from a private snapshot. See `SessionAdapter.openDatabase`. */
export async function openDatabase(
  source: NativeSource,
  cursor: Cursor | null,
  options: CaptureOptions & { only?: string },
): Promise<Result<OpenDatabase>> {
  const snapshot = await openSqliteSnapshot(source.path);
  if (!snapshot.ok) return snapshot;
  const { db, close } = snapshot.value;
  try {
    const all = sessionsOf(db, source);
    if (all === null) {
      await close();
      return fail('not_a_session', `${source.path} is no session database of Cursor: its tables are others.`, {
        path: source.path,
      });
    }
    const only = options.only === undefined ? undefined : (databasePath(options.only)?.id ?? '');
    const before = isObject(cursor?.sessions) ? cursor.sessions : {};
    const changed = all.filter(({ source: one, digest: now }) =>
      only === undefined ? before[one.native_id] !== now : one.native_id === only,
    );
    const sessions = Object.fromEntries(all.map(({ source: one, digest: now }) => [one.native_id, now]));
    const byPath = new Map(all.map((one) => [one.source.path, one]));
    return ok({
      changed: changed.map((one) => one.source),
      unchanged: all.length - changed.length,
      cursor: { version: 1, sessions } satisfies DatabaseCursor,
      warnings: [],
      capture: captureFrom(byPath),
      close,
    });
  } catch (thrown) {
    await close();
    return databaseFailure(source.path, thrown, ADVICE);
  }
}

function sessionsOf(db: Database, source: NativeSource): Found[] | null {
  const tables = db.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all() as { name: string }[];
  const has = (name: string): boolean => tables.some((table) => table.name === name);
  if (has('cursorDiskKV')) return editorSessions(db, source);
  return has('blobs') && has('meta') ? terminalSession(db, source) : null;
}

function editorSessions(db: Database, source: NativeSource): Found[] {
  const rows = [...composersOf(db)];
  const parents = new Map<string, string>();
  for (const { id, composer } of rows)
    if (Array.isArray(composer.subComposerIds))
      for (const child of composer.subComposerIds) if (typeof child === 'string') parents.set(child, id);
  return rows.map((row) => ({
    source: editorSource(source, row, parents.get(row.id)),
    digest: digest(row.raw, ...[...bubblesOf(db, row.id)].flat()),
    read: (redactor, store) => readComposer(db, row, parents, redactor, store),
  }));
}

function editorSource(
  { path, mtime_ms }: NativeSource,
  { id, composer, raw }: ComposerRow,
  parent: string | undefined,
): NativeSource {
  const time = composer.lastUpdatedAt ?? composer.createdAt;
  return {
    agent: 'cursor',
    path: sessionPath(path, id),
    native_id: id,
    bytes: raw.length,
    mtime_ms: typeof time === 'number' ? Math.round(time) : mtime_ms,
    ...(composer.isArchived === true ? { archived: true } : {}),
    ...(parent === undefined ? {} : { parent: { kind: 'subagent', native_id: parent } }),
  };
}

function terminalSession(db: Database, source: NativeSource): Found[] {
  const meta: Json | null = storeMeta(db);
  if (meta === null || messageIds(db, meta).length === 0) return [];
  const id = textOf(meta.agentId) ?? source.native_id;
  const folder = basename(dirname(dirname(source.path)));
  return [
    {
      source: {
        agent: 'cursor',
        path: sessionPath(source.path, id),
        native_id: id,
        bytes: source.bytes,
        mtime_ms: source.mtime_ms,
      },
      digest: digest(JSON.stringify(meta)),
      read: (redactor, store) => readStore(db, { id, meta, folder }, redactor, store),
    },
  ];
}

/** Captures one session of the snapshot. */
function captureFrom(sessions: ReadonlyMap<string, Found>): SessionAdapter['capture'] {
  return async (source, before, sink, { redactionKey }) => {
    const found = sessions.get(source.path);
    if (found === undefined)
      return fail('not_found', `${source.path} is not in the database any more.`, { path: source.path });
    const cursor = before as SessionCursor | null;
    const redactor = new Redactor({ key: redactionKey, state: cursor?.redaction });
    const session = readFrom(found, redactor, (bytes, type) => sink.artifact(bytes, type));
    if (!session.ok) return session;
    const recorder = new Recorder(sink, session.value, cursor?.state ?? null);
    const state = recorder.run();
    await sink.drain();
    const next: SessionCursor = { version: 1, state, redaction: redactor.state() };
    return ok({ cursor: next, ...recorder.sums, redactions: redactor.added, warnings: [] });
  };
}

function readFrom(found: Found, redactor: Redactor, store: StoreArtifact): Result<CursorSession> {
  try {
    return ok(found.read(redactor, store));
  } catch (thrown) {
    return databaseFailure(found.source.path, thrown, ADVICE);
  }
}
