import { createHash } from 'node:crypto';
import type Database from 'better-sqlite3';
import { canonicalJson } from '../../../src/core/log/canonical-json.ts';
import { AppFailure, ok, type Result, toAppError, unwrap } from '../../../src/shared/errors.ts';
import type { MaterializeOptions, WayHome, WholeSession, Written } from '../../contract.ts';
import { moveOf } from '../../home/move.ts';
import { RowFile } from '../../home/row-file.ts';
import { databasePath, sessionPath } from '../../io/database-path.ts';
import { removeLeftovers } from '../../io/file-hash.ts';
import { openSqliteSnapshot } from '../../io/sqlite-snapshot.ts';
import { databaseOf } from '../home.ts';
import type { Json } from '../json.ts';
import { lastingColumns } from '../read/tables.ts';
import { rebuildRows } from '../rebuild.ts';
import { checkDatabase } from './database.ts';
import { insertWhole } from './insert-whole.ts';
import { messageLine, type RowLine, readLines } from './lines.ts';

/** Sessions of Hermes as they were: taken back and summed up rows too. Those in files of old gateways never were rows. */
export const hermesHome: WayHome = { write, readBack, takes: ({ source }) => source === null || source.includes('#') };

async function write(session: WholeSession, options: MaterializeOptions): Promise<Result<Written>> {
  const path = databaseOf(options.env);
  const final = sessionPath(path, options.nativeId);
  const fit = await checkDatabase(path);
  if (!fit.ok) return fit;
  await removeLeftovers(final);
  let file: RowFile | null = null;
  const abort = async (): Promise<void> => file?.abort();
  try {
    file = await RowFile.create(final);
    for await (const line of linesOf(session, options))
      await file.add(line, line.table === 'messages' ? [Number(line.row.id), ''] : undefined);
    const { temp, bytes } = await file.seal();
    const hash = createHash('sha256');
    for await (const line of file.inOrder()) hash.update(messageLine((line as RowLine).row));
    const sha256 = hash.digest('hex');
    const warnings: Written['warnings'] = [];
    const commit = async (): Promise<Result<void>> => {
      const done = await insertWhole(path, { temp, sha256 }, options);
      await abort();
      if (!done.ok) return done;
      warnings.push(...done.value);
      return ok(undefined);
    };
    return ok({ temp, final, bytes, sha256, warnings, commit, abort });
  } catch (thrown) {
    await abort();
    return { ok: false, error: toAppError(thrown) };
  }
}

/** Rows with the id and the folder of the options, fit for JSON: bytes as `{"$blob": hex}`. */
async function* linesOf(session: WholeSession, options: MaterializeOptions): AsyncGenerator<RowLine> {
  const move = moveOf(session, options);
  const [own] = session.logs();
  for await (const { table, row } of rebuildRows(own!, session.artifact)) {
    const copy = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, asJson(value)]));
    if (table === 'sessions') {
      copy.id = move.id(row.id);
      for (const name of ['cwd', 'git_repo_root']) if (name in copy) copy[name] = move.folder(copy[name]);
    }
    yield { table, row: copy };
  }
}

const asJson = (value: unknown): unknown =>
  value instanceof Uint8Array ? { $blob: Buffer.from(value).toString('hex') } : value;

/** Compares the rows that were written, column by column, with those that the log gives. */
async function readBack(
  { temp, final }: Pick<Written, 'temp' | 'final'>,
  session: WholeSession,
  options: MaterializeOptions,
  at: 'temp' | 'final',
): Promise<Result<{ items: number }>> {
  try {
    const expected: Hashed = { session: {}, messages: [] };
    for await (const line of linesOf(session, options)) note(expected, line);
    const found: Hashed = { session: {}, messages: [] };
    if (at === 'temp') for (const line of readLines(temp)) note(found, line);
    else await noteDatabase(found, final);
    for (const [name, value] of Object.entries(at === 'temp' ? expected.session : kept(expected, found)))
      if (canonicalJson(found.session[name] ?? null) !== canonicalJson(value))
        throw mismatch(0, `the session's ${name}`);
    const rows = inOrder(found);
    for (const [i, { hash }] of inOrder(expected).entries())
      if (hash !== rows[i]?.hash) throw mismatch(i + 1, 'the row of the log');
    if (rows.length !== expected.messages.length) throw mismatch(expected.messages.length, 'the end');
    return ok({ items: expected.messages.length });
  } catch (thrown) {
    if (thrown instanceof AppFailure) return { ok: false, error: thrown.error };
    throw thrown;
  }
}

/** The session's row, and of each message its id and what stands in it. */
interface Hashed {
  session: Json;
  messages: { id: number; hash: string }[];
}

function note(into: Hashed, { table, row }: RowLine): void {
  if (table === 'sessions') {
    into.session = row;
    return;
  }
  const { id, session_id: _, ...columns } = row;
  const set = Object.entries(columns).filter(([name, value]) => value !== null && USUAL[name] !== value);
  const text = canonicalJson(Object.fromEntries(set));
  into.messages.push({ id: Number(id), hash: createHash('sha256').update(text).digest('base64') });
}

/** What columns hold where nothing was said. */
const USUAL: Json = { active: 1, compacted: 0, observed: 0, _compressed_summary: 0 };

const inOrder = ({ messages }: Hashed): Hashed['messages'] => messages.sort((a, b) => a.id - b.id);

/** Columns of the session that its database has; a title may have got a number there, a prompt lies in a table of its own. */
function kept({ session }: Hashed, { session: found }: Hashed): Json {
  const { title: _, system_prompt: __, parent_session_id: ___, ...rest } = session;
  return Object.fromEntries(Object.entries(rest).filter(([name]) => name in found));
}

async function noteDatabase(into: Hashed, final: string): Promise<void> {
  const { file, id } = databasePath(final)!;
  const { db, close } = unwrap(await openSqliteSnapshot(file));
  try {
    for (const row of rowsOf(db, 'SELECT * FROM sessions WHERE id = ?', id)) {
      const names = lastingColumns(new Set(Object.keys(row)));
      note(into, { table: 'sessions', row: Object.fromEntries(names.map((name) => [name, asJson(row[name])])) });
    }
    for (const row of rowsOf(db, 'SELECT * FROM messages WHERE session_id = ? ORDER BY id', id))
      note(into, {
        table: 'messages',
        row: Object.fromEntries(Object.entries(row).map(([name, value]) => [name, asJson(value)])),
      });
  } finally {
    await close();
  }
}

function rowsOf(db: Database, sql: string, id: string): Iterable<Json> {
  return db.prepare(sql).iterate(id) as Iterable<Json>;
}

function mismatch(row: number, expected: string): AppFailure {
  return new AppFailure({
    code: 'readback_mismatch',
    message: `The written Hermes session differs from its log, at message ${row}: expected ${expected}. It was not put in place.`,
    details: { row, expected },
  });
}
