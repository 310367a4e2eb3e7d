import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import type Database from 'better-sqlite3';
import { canonicalJson } from '../../../src/core/log/canonical-json.ts';
import { AppFailure, fail, ok, type Result, toAppError, unwrap } from '../../../src/shared/errors.ts';
import type { Warning } from '../../../src/shared/events.ts';
import type { AgentEnv, MaterializeOptions, WayHome, WholeSession, Written } from '../../contract.ts';
import { mismatchOf } from '../../conversation/compare.ts';
import { type Move, moveOf } from '../../home/move.ts';
import { RowFile } from '../../home/row-file.ts';
import { removeLeftovers } from '../../io/file-hash.ts';
import { readJsonl } from '../../io/jsonl.ts';
import { openSqliteSnapshot } from '../../io/sqlite-snapshot.ts';
import { findOpenCode, runOpenCode } from '../installed.ts';
import { isObject, type Json, numberOf } from '../json.ts';
import { type Rebuilt, type RebuiltRow, rebuildRecords } from '../read/rebuild.ts';
import { DatabaseSession, sessionRows } from '../read/rows.ts';
import { digestOf, type Kept } from './digest.ts';
import { renewed } from './ids.ts';
import { insertWhole } from './insert-whole.ts';
import { databaseOf, exportFile, finalPath } from './place.ts';
import { stateOf } from './write.ts';

const START_MS = 60_000;

/**
 * Sessions of OpenCode as they were: undone messages, snapshots, to-dos. Those of the old JSON trees are left to the model
 * view: OpenCode itself no longer reads such a tree.
 */
export const opencodeHome: WayHome = {
  write,
  readBack,
  takes: ({ source }) => source === null || source.includes('#'),
};

async function write(session: WholeSession, options: MaterializeOptions): Promise<Result<Written>> {
  const { env, nativeId } = options;
  const final = finalPath(env, nativeId);
  await removeLeftovers(exportFile(nativeId));
  let file: RowFile | null = null;
  const abort = async (): Promise<void> => file?.abort();
  try {
    file = await RowFile.create(exportFile(nativeId));
    for await (const one of recordsOf(session, options))
      await file.add(one, one.kind === 'message' ? [numberOf(one.times[0]) ?? 0, one.id] : undefined);
    const { temp, bytes } = await file.seal();
    const sha256 = await digestOf(keptOf(file.inOrder()));
    const warnings: Warning[] = [];
    const commit = async (): Promise<Result<void>> => {
      const done = await put({ temp, final, sha256 }, session, options, warnings);
      await abort();
      return done;
    };
    return ok({ temp, final, bytes, sha256, warnings, commit, abort });
  } catch (thrown) {
    await abort();
    return { ok: false, error: toAppError(thrown) };
  }
}

/** Messages as their digest takes them: parts in the order of their ids. */
async function* keptOf(messages: AsyncIterable<unknown>): AsyncGenerator<Kept> {
  for await (const one of messages as AsyncIterable<Kept & RebuiltRow>) {
    const parts = one.parts.map(({ id, data }) => ({ id, data }));
    yield { id: one.id, data: one.data, parts: parts.sort((a, b) => (a.id < b.id ? -1 : 1)) };
  }
}

/** All records, with the ids and the folder of the options. A session that keeps its id keeps those of its messages. */
async function* recordsOf(session: WholeSession, options: MaterializeOptions): AsyncGenerator<Rebuilt> {
  const move = moveOf(session, options);
  const isNew = options.nativeId !== session.row.native_id;
  const [own] = session.logs();
  for await (const one of rebuildRecords(own!, session.artifact)) {
    if (one.kind === 'session') yield { kind: 'session', record: ids(headOf(one.record, move), isNew, options) };
    else if (one.kind === 'todos')
      yield { kind: 'todos', rows: one.rows.map((row) => ({ ...row, session_id: options.nativeId })) };
    else {
      const parts = one.parts.map((part) => renew(part, isNew, options));
      const message = renew(one, isNew, options);
      yield { ...message, kind: 'message', data: foldersOf(message.data, move), parts };
    }
  }
}

const headOf = (record: Json, move: Move): Json => ({
  ...record,
  id: move.id(record.id),
  directory: move.folder(record.directory),
});

/** An answer says in which folder it was given. */
function foldersOf(data: Json, move: Move): Json {
  if (!isObject(data.path)) return data;
  const { cwd, root } = data.path;
  return { ...data, path: { ...data.path, cwd: move.folder(cwd), root: move.folder(root) } };
}

function renew<Row extends RebuiltRow>(row: Row, isNew: boolean, options: MaterializeOptions): Row {
  return isNew ? { ...row, id: renewed(row.id, options.nativeId), data: ids(row.data, true, options) } : row;
}

/** Members that name a message or a part of the same session. */
const NAMES: ReadonlySet<string> = new Set(['parentID', 'messageID', 'partID', 'tail_start_id']);

function ids(data: Json, isNew: boolean, options: MaterializeOptions): Json {
  if (!isNew) return data;
  const renewIn = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return NAMES.has(key) ? renewed(value, options.nativeId) : value;
    if (!isObject(value) || key === 'state') return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, renewIn(item, name)]));
  };
  return renewIn(data, '') as Json;
}

async function put(
  { temp, final, sha256 }: Pick<Written, 'temp' | 'final' | 'sha256'>,
  session: WholeSession,
  options: MaterializeOptions,
  warnings: Warning[],
): Promise<Result<void>> {
  const database = databaseOf(final);
  const before = await stateOf({ final, sha256 }, options.nativeId);
  if (!before.ok) return before;
  if (before.value === 'same') return ok(undefined);
  if (before.value === 'other')
    return fail('target_exists', `${final} already exists and holds something else. It was not touched.`, {
      path: final,
    });
  const there = await started(database, options.env);
  if (!there.ok) return there;
  const done = await insertWhole(database, temp, { moved: moveOf(session, options).cwd !== null });
  if (!done.ok) return done;
  warnings.push(...done.value);
  return ok(undefined);
}

/** OpenCode makes its database when it is started. */
async function started(database: string, env: AgentEnv): Promise<Result<void>> {
  if (existsSync(database)) return ok(undefined);
  const installed = await findOpenCode(env);
  await mkdir(env.home, { recursive: true });
  if (installed !== null)
    await runOpenCode(installed.path, ['session', 'list'], { env, cwd: env.home, timeoutMs: START_MS });
  if (existsSync(database)) return ok(undefined);
  return fail(
    'target_unavailable',
    `OpenCode has no database yet at ${database}, and it is not on PATH to make one. Install it, or start it once, and try again.`,
    { path: database },
  );
}

/** Compares every record that was written with what the log gives. */
async function readBack(
  { temp, final }: Pick<Written, 'temp' | 'final'>,
  session: WholeSession,
  options: MaterializeOptions,
  at: 'temp' | 'final',
): Promise<Result<{ items: number }>> {
  try {
    const expected = await hashesOf(recordsOf(session, options));
    const found = at === 'temp' ? await hashesOf(linesOf(temp)) : await inDatabase(final, options.nativeId);
    if (at === 'final') for (const one of [expected, found]) one.delete('session');
    const [different] = [...expected.keys(), ...found.keys()].filter((key) => expected.get(key) !== found.get(key));
    if (different !== undefined) throw mismatch(0, `the ${different} of the log`, 'something else');
    return ok({ items: expected.size });
  } catch (thrown) {
    if (thrown instanceof AppFailure) return { ok: false, error: thrown.error };
    throw thrown;
  }
}

const mismatch = mismatchOf('OpenCode');

/** What stands in each record, by its name. */
async function hashesOf(records: AsyncIterable<Rebuilt> | Iterable<Rebuilt>): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  for await (const one of records) {
    const name = one.kind === 'message' ? `message ${one.id}` : one.kind;
    const value =
      one.kind === 'message' ? { ...one, parts: one.parts.toSorted((a, b) => (a.id < b.id ? -1 : 1)) } : one;
    if (one.kind === 'todos' && one.rows.length === 0) continue;
    hashes.set(name, createHash('sha256').update(canonicalJson(value)).digest('base64'));
  }
  return hashes;
}

function* linesOf(temp: string): Generator<Rebuilt> {
  for (const lines of readJsonl(temp, { redactor: null }))
    for (const { records, damage, line } of lines) {
      if (damage.length > 0) throw mismatch(line, 'a whole record', 'something else');
      yield* records as Rebuilt[];
    }
}

async function inDatabase(final: string, id: string): Promise<Map<string, string>> {
  const { db, close } = unwrap(await openSqliteSnapshot(databaseOf(final)));
  try {
    return await hashesOf(rowsOf(db, id));
  } finally {
    await close();
  }
}

function* rowsOf(db: Database, id: string): Generator<Rebuilt> {
  const [row] = sessionRows(db, id);
  if (row === undefined) return;
  const session = new DatabaseSession(db, row);
  yield { kind: 'todos', rows: session.todos() };
  const rebuilt = ({
    id: own,
    data,
    times,
  }: {
    id: string;
    data: Json | null;
    times?: readonly unknown[];
  }): RebuiltRow => ({
    id: own,
    times: [...(times ?? [])],
    data: data ?? {},
  });
  for (const message of session.messages())
    yield { kind: 'message', ...rebuilt(message), parts: [...session.parts(message.id)].map(rebuilt) };
}
