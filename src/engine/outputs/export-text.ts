import { randomBytes } from 'node:crypto';
import { stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { OUTPUTS } from '../../core/outputs/formats.ts';
import { AppFailure, fail, ok, type Result, toAppError, unwrap } from '../../shared/errors.ts';
import type { Warning } from '../../shared/events.ts';
import type { ExportFormat } from '../../shared/outputs.ts';
import type { SessionRow } from '../../shared/session.ts';
import { type Redactions, sumOf } from '../handoff/outgoing.ts';
import type { EngineContext, OpenHome } from '../procedures/context.ts';
import { ImageShelf } from './images.ts';
import { OutputFile } from './output-file.ts';
import { type Outgoing, outgoingSession } from './sessions.ts';

export interface TextExport {
  format: ExportFormat;
  /** a file that does not exist yet; null = the bytes go to `sink` and nothing stays on the disk */
  path: string | null;
  /** undone turns and dead branches too */
  all: boolean;
  subagents: boolean;
}

export interface ExportedText {
  path: string | null;
  format: ExportFormat;
  session: string;
  /** sub-agents that went along */
  subagents: number;
  bytes: number;
  sha256: string;
  images: { included: number; left: number };
  redaction: Redactions;
  warnings: Warning[];
  receipt: string;
}

/** What happens beside an export. */
export interface Surroundings {
  signal: AbortSignal;
  onProgress?: ((progress: { done: number; total: number; bytes: number }) => void) | undefined;
  /** takes the bytes of an export without a path; resolves when it may go on */
  sink?: ((bytes: Uint8Array) => Promise<void> | void) | undefined;
}

/**
 * Writes a session for people or other programs: Markdown, a page, JSON, an ATIF trajectory. All texts are redacted under
 * today's rules on their way; images cannot be looked through and are counted. Only a few rows are in memory at once. The file
 * appears whole or not at all, and a receipt is kept of it.
 * Errors: target_exists, write_failed, cancelled, and those of the store.
 */
export async function exportText(
  context: EngineContext,
  home: OpenHome,
  row: SessionRow,
  request: TextExport,
  around: Surroundings,
): Promise<Result<ExportedText>> {
  const { path } = request;
  if (path !== null && (await stat(path).catch(() => null)))
    return fail('target_exists', `${path} exists already. Choose another name.`, { path });
  const temp = path ?? join(context.options.home, `export-${randomBytes(6).toString('hex')}`);
  let file: OutputFile | null = null;
  try {
    file = await OutputFile.create(temp, path !== null);
    const images = new ImageShelf(OUTPUTS[request.format].images);
    const sessions = await sessionsOf(home, row, request, images, around);
    const source = { sessions, all: request.all, version: context.options.version };
    for await (const text of OUTPUTS[request.format].write(source)) {
      around.signal.throwIfAborted();
      await file.write(text);
    }
    const receipt = await put(home, file, { row, request, sessions, images }, around);
    return ok(resultOf({ row, request, sessions, images }, file, receipt));
  } catch (error) {
    return failed(error, path, around.signal);
  } finally {
    await file?.discard();
  }
}

async function sessionsOf(
  home: OpenHome,
  row: SessionRow,
  { all, subagents }: TextExport,
  images: ImageShelf,
  { signal, onProgress }: Surroundings,
): Promise<Outgoing[]> {
  const rows = [row, ...(subagents ? subagentsIn(await home.store.reader.lineage(row.id), row) : [])];
  const total = rows.reduce((sum, { events }) => sum + events, 0);
  const done = new Array<number>(rows.length).fill(0);
  const sessions: Outgoing[] = [];
  for (const [at, one] of rows.entries()) {
    const onEvents = (count: number): void => {
      done[at] = count;
      onProgress?.({ done: done.reduce((sum, each) => sum + each, 0), total, bytes: 0 });
    };
    sessions.push(await outgoingSession(home, one, { all, images, onEvents, signal }));
  }
  return sessions;
}

/** Sub-agents of a session, and theirs, in the order in which they began; a parent begins before its children. */
function subagentsIn(family: readonly SessionRow[], row: SessionRow): SessionRow[] {
  const found = [row];
  for (const parent of found)
    found.push(
      ...family.filter((one) => one.parent === parent.id && one.parent_kind === 'subagent' && !found.includes(one)),
    );
  const start = ({ started_at }: SessionRow): number => started_at ?? Number.POSITIVE_INFINITY;
  return found.slice(1).toSorted((a, b) => (start(a) === start(b) ? 0 : start(a) - start(b)));
}

interface Done {
  row: SessionRow;
  request: TextExport;
  sessions: readonly Outgoing[];
  images: ImageShelf;
}

/** Puts the file in place, or its bytes on their way, and keeps a receipt of it; a file without a receipt does not stay. */
async function put(home: OpenHome, file: OutputFile, done: Done, { sink }: Surroundings): Promise<string> {
  const { path } = done.request;
  const [head] = await home.store.reader.eventsAt(done.row.id, [done.sessions[0]!.row.events - 1]);
  if (path !== null) {
    if (!(await file.place()))
      throw new AppFailure(fail('target_exists', `${path} exists already. Choose another name.`, { path }).error);
  } else for await (const bytes of file.read()) await sink?.(bytes);
  const decided = await home.store.writer.decide({ receipt: receiptOf(done, file, head?.checksum ?? '') });
  if (!decided.ok && path !== null) await unlink(path).catch(() => {});
  return unwrap(decided).receipt!.id;
}

function receiptOf({ row, request, sessions, images }: Done, file: OutputFile, head: string) {
  const { format, path, all } = request;
  return {
    version: 1 as const,
    id: `rcpt_${randomBytes(10).toString('hex')}`,
    action: 'export' as const,
    at: new Date().toISOString(),
    actor: 'user',
    session_id: row.id,
    subjects: [
      { name: 'source', sha256: head.replace('sha256:', ''), session: row.id, seq: sessions[0]!.row.events - 1 },
      { name: 'written', sha256: file.sha256, bytes: file.bytes, ...(path === null ? {} : { path }) },
    ],
    facts: {
      form: format,
      path,
      all,
      subagents: sessions.slice(1).map((session) => session.row.id),
      images: { included: images.included, left: images.left },
      redaction: sumOf(sessions.map(({ redactions }) => redactions)),
    },
  };
}

function resultOf({ row, request, sessions, images }: Done, file: OutputFile, receipt: string): ExportedText {
  const { included, left } = images;
  return {
    path: request.path,
    format: request.format,
    session: row.id,
    subagents: sessions.length - 1,
    bytes: file.bytes,
    sha256: file.sha256,
    images: { included, left },
    redaction: sumOf(sessions.map(({ redactions }) => redactions)),
    warnings: [...(included === 0 ? [] : [unseen(included)]), ...(left === 0 ? [] : [notAlong(left)])],
    receipt,
  };
}

function unseen(count: number): Warning {
  const what = count === 1 ? 'One image is in it' : `${count} images are in it`;
  return {
    about: 'images-unseen',
    detail: `${what}. Images are not looked through for secrets: look at them before anybody else does.`,
    count,
  };
}

function notAlong(count: number): Warning {
  const what = count === 1 ? 'One image did not go along' : `${count} images did not go along`;
  return { about: 'images-left', detail: `${what}: too large, or of a kind that not every program shows.`, count };
}

function failed(error: unknown, path: string | null, signal: AbortSignal): Result<never> {
  if (signal.aborted) return fail('cancelled', 'Cancelled. Nothing was left behind.');
  if (error instanceof AppFailure) return { ok: false, error: toAppError(error) };
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return { ok: false, error: toAppError(error) };
  const why = code === 'ENOSPC' ? 'the disk is full' : message;
  return fail(
    'write_failed',
    `${path ?? 'The output'} could not be written: ${why}. Nothing was left behind.`,
    path === null ? {} : { path },
  );
}
