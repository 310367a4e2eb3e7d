import { utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { canonicalJson } from '../../src/core/log/canonical-json.ts';
import { AppFailure, fail, ok, type Result, toAppError, unwrap } from '../../src/shared/errors.ts';
import type { SessionEvent } from '../../src/shared/events.ts';
import type { MaterializeOptions, SessionWriter, WholeSession, Written } from '../contract.ts';
import { type Mismatch, mismatchOf } from '../conversation/compare.ts';
import { fileSha256, removeLeftovers } from '../io/file-hash.ts';
import { fitsFileName } from '../io/file-name.ts';
import { readJsonl } from '../io/jsonl.ts';
import { createPrivateFile, type PrivateFile } from '../io/write.ts';
import { type Move, moveOf, timeOf } from './move.ts';

/** A native record again, and where it stood. */
export interface NativeRecord {
  /** name of the file, where it is not the session's first */
  file?: string;
  /** place in its file; only the order counts */
  line: number;
  record: unknown;
}

/** An agent that keeps a session in files of JSON lines. */
export interface JsonlFormat {
  /** for people */
  label: string;
  /** Absolute path of the session's (first) file. Errors: unknown_cwd. */
  final(session: WholeSession, options: MaterializeOptions): Result<string> | Promise<Result<string>>;
  /** Native records of one log, files in order, each in the order of its lines. */
  records(log: AsyncIterable<SessionEvent>, read: (ref: string) => Promise<Uint8Array>): AsyncIterable<NativeRecord>;
  /** The record after a move. */
  moved(record: unknown, move: Move): unknown;
  /** The record as it fits the file that the session goes on from; called where there is one. */
  fitted?(record: unknown, base: NonNullable<WholeSession['base']>): unknown;
  /** New name of a further file. */
  renamed?(file: string, move: Move): string;
  /** What the client needs beside the file to find it, made when it is in place. */
  placed?(written: Pick<Written, 'final'>, options: MaterializeOptions): Promise<Result<unknown>>;
}

/** The way home of such an agent: every record on a line of its own, in the order in which it stood. */
export function jsonlHome(format: JsonlFormat): SessionWriter<WholeSession> {
  const mismatch = mismatchOf(format.label);
  return {
    write: (session, options) => write(format, session, options),
    readBack: (written, session, options, at) => readBack({ format, mismatch, written, session, options, at }),
  };
}

/** All records in order, with what moves changed. Sessions that share a file come together by their lines. */
async function* recordsOf(
  format: JsonlFormat,
  session: WholeSession,
  options: MaterializeOptions,
): AsyncGenerator<{ file?: string; record: unknown }> {
  const move = moveOf(session, options);
  const { base } = session;
  const logs = session.logs().map((log) => format.records(log, session.artifact));
  for await (const { file, record } of logs.length === 1 ? logs[0]! : byLine(logs)) {
    const name = file === undefined ? {} : { file: format.renamed?.(file, move) ?? file };
    const placed = move.still ? record : format.moved(record, move);
    yield { ...name, record: base === undefined ? placed : (format.fitted?.(placed, base) ?? placed) };
  }
}

async function* byLine(logs: readonly AsyncIterable<NativeRecord>[]): AsyncGenerator<NativeRecord> {
  const iterators = logs.map((log) => log[Symbol.asyncIterator]());
  const heads: (NativeRecord | null)[] = [];
  const next = async (at: number): Promise<void> => {
    const { done, value } = await iterators[at]!.next();
    heads[at] = done === true ? null : value;
  };
  for (const at of iterators.keys()) await next(at);
  for (;;) {
    let first = -1;
    for (const [at, head] of heads.entries())
      if (head !== null && (first < 0 || head.line < heads[first]!.line)) first = at;
    if (first < 0) return;
    yield heads[first]!;
    await next(first);
  }
}

async function write(
  format: JsonlFormat,
  session: WholeSession,
  options: MaterializeOptions,
): Promise<Result<Written>> {
  const final = await format.final(session, options);
  if (!final.ok) return final;
  const files = new Map<string, PrivateFile>();
  const abort = async (): Promise<void> => {
    for (const file of [...files.values()].toReversed()) await file.abort();
  };
  try {
    await removeLeftovers(final.value);
    const earlier = await fileSha256(final.value);
    files.set('', unwrap(await createPrivateFile(earlier === null ? final.value : `${final.value}.again`)));
    for await (const { file = '', record } of recordsOf(format, session, options)) {
      const known = files.get(file) ?? unwrap(await createPrivateFile(besidePath(final.value, file)));
      files.set(file, known);
      await known.write(`${JSON.stringify(record)}\n`);
    }
    const written = await sealed(files, final.value, timeOf(session, options));
    const put = async (): Promise<Result<void>> => {
      const done = await commit(files, written, earlier);
      const placed = done.ok ? await format.placed?.(written, options) : undefined;
      return placed?.ok === false ? placed : done;
    };
    return ok({ ...written, abort, commit: put });
  } catch (error) {
    await abort();
    return { ok: false, error: toAppError(error) };
  }
}

/** Names of further files come from logs, and those from others. */
function besidePath(final: string, file: string): string {
  if (fitsFileName(file)) return join(dirname(final), file);
  throw new AppFailure({ code: 'write_failed', message: `${JSON.stringify(file)} is no name for a file.` });
}

async function sealed(
  files: ReadonlyMap<string, PrivateFile>,
  final: string,
  at: number,
): Promise<Omit<Written, 'abort' | 'commit'>> {
  const [first, ...more] = await Promise.all([...files.values()].map(async (file) => unwrap(await file.seal())));
  for (const { temp } of [first!, ...more]) await utimes(temp, at, at);
  const beside = more.length === 0 ? {} : { beside: more.map(({ temp, final }) => ({ temp, final })) };
  return { temp: first!.temp, final, bytes: first!.bytes, sha256: first!.sha256, warnings: [], ...beside };
}

/** The first file comes last: with it the session is there. */
async function commit(
  files: ReadonlyMap<string, PrivateFile>,
  { final, sha256 }: Pick<Written, 'final' | 'sha256'>,
  earlier: string | null,
): Promise<Result<void>> {
  const abort = async (): Promise<void> => {
    for (const file of files.values()) await file.abort();
  };
  if (earlier !== null) {
    await abort();
    if (earlier === sha256) return ok(undefined);
    return fail('target_exists', `${final} already exists and holds something else. It was not touched.`, {
      path: final,
    });
  }
  for (const file of [...files.values()].toReversed()) {
    const done = await file.commit();
    if (done.ok) continue;
    await abort();
    return done;
  }
  return ok(undefined);
}

interface ReadingBack {
  format: JsonlFormat;
  mismatch: Mismatch;
  written: Pick<Written, 'temp' | 'final' | 'beside'>;
  session: WholeSession;
  options: MaterializeOptions;
  at: 'temp' | 'final';
}

/** Reads the files as capture does and compares every record with what the logs hold. */
async function readBack(reading: ReadingBack): Promise<Result<{ items: number }>> {
  const { format, mismatch, written, session, options, at } = reading;
  const further = (written.beside ?? []).map((one) => [one.final, one[at]] as const);
  const paths = new Map([[written.final, written[at]], ...further]);
  const open = new Map<string, Generator<Line, void>>();
  const linesOf = (name: string): Generator<Line, void> => {
    const path = paths.get(name) ?? name;
    const lines = open.get(path) ?? linesIn(path, mismatch);
    open.set(path, lines);
    return lines;
  };
  try {
    let items = 0;
    linesOf(written.final);
    for await (const { file, record } of recordsOf(format, session, options)) {
      const name = file === undefined ? written.final : join(dirname(written.final), file);
      const found = linesOf(name).next();
      if (found.done === true) throw mismatch(0, 'another record', 'the end of the file');
      if (canonicalJson(found.value.record) !== canonicalJson(JSON.parse(JSON.stringify(record))))
        throw mismatch(found.value.line, 'the record of the log', 'something else');
      items++;
    }
    for (const lines of open.values()) {
      const extra = lines.next();
      if (extra.done !== true) throw mismatch(extra.value.line, 'the end', 'another record');
    }
    return ok({ items });
  } catch (error) {
    if (!(error instanceof AppFailure)) throw error;
    return { ok: false, error: { ...error.error, details: { ...error.error.details, path: written[at] } } };
  } finally {
    for (const lines of open.values()) lines.return();
  }
}

interface Line {
  line: number;
  record: unknown;
}

function* linesIn(path: string, mismatch: Mismatch): Generator<Line, void> {
  const lines = readJsonl(path, { redactor: null });
  try {
    for (let step = lines.next(); ; step = lines.next()) {
      if (step.done === true) {
        const { pending } = step.value;
        if (pending !== null) throw mismatch(pending.line, 'a whole record', pending.detail);
        return;
      }
      for (const { records, damage, line } of step.value) {
        if (damage.length > 0 || records.length !== 1) throw mismatch(line, 'one sound record', 'something else');
        yield { line, record: records[0] };
      }
    }
  } finally {
    lines.return({ cursor: { offset: 0, line: 0 }, pending: null });
  }
}
