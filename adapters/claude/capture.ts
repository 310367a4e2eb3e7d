import { Redactor } from '../../src/core/redact/redactor.ts';
import type { RedactionState } from '../../src/core/redact/secret-ids.ts';
import { AppFailure, fail, ok, type Result, toAppError } from '../../src/shared/errors.ts';
import type { Warning } from '../../src/shared/events.ts';
import type { CaptureOptions, CaptureOutcome, CaptureSink, Cursor, NativeParent, NativeSource } from '../contract.ts';
import { compareFile, type FileMark, markFile } from '../io/files.ts';
import { type JsonlCursor, type JsonlEnd, type JsonlLine, readJsonl } from '../io/jsonl.ts';
import { isCopyOfLonger } from './copies.ts';
import { FileCapture } from './file-capture.ts';
import { finishSessions } from './finish.ts';
import { Replay } from './replay.ts';
import { sideFolder } from './side-files.ts';
import type { Setting } from './state.ts';
import { agentFileOf, childrenOf, isAgentFile } from './subagents.ts';

/** Where a capture goes on. JSON; the state beside it lives as long as the object (contract.ts). */
interface ClaudeCursor extends Record<string, unknown> {
  version: 1;
  mark: FileMark;
  at: JsonlCursor;
  redaction: RedactionState;
  /** sessions of sub-agents in the same file */
  sides: string[];
  parent: NativeParent | null;
  /** the file is left out: why */
  skipped: string | null;
  /** place of a torn last line that was reported */
  torn: number | null;
}

/** States of active sessions, by the cursor that the last capture returned. */
const states = new WeakMap<Cursor, FileCapture>();

/** What tools take and give, in names of their own: an `id` there is no id of the client, and may be a secret. */
const FOREIGN: ReadonlySet<string> = new Set(['input', 'toolUseResult']);
const PROTECTED: ReadonlySet<string> = new Set([
  'signature',
  'uuid',
  'parentUuid',
  'sessionId',
  'leafUuid',
  'requestId',
]);

const NONE: ReadonlySet<string> = new Set();

/** Reads what is new in a session file. See `SessionAdapter.capture`. */
export async function capture(
  source: NativeSource,
  cursor: Cursor | null,
  sink: CaptureSink,
  options: CaptureOptions,
): Promise<Result<CaptureOutcome>> {
  try {
    const mark = markFile(source.path);
    if (!mark.ok) return mark;
    const run = new Run(source, sink, options, mark.value);
    return ok(await run.capture(cursor as ClaudeCursor | null));
  } catch (thrown) {
    if (thrown instanceof AppFailure) return { ok: false, error: thrown.error };
    const error = toAppError(thrown);
    return fail(error.code, `${source.path}: ${error.message}`, { path: source.path });
  }
}

class Run {
  private readonly source: NativeSource;
  private readonly sink: CaptureSink;
  private readonly options: CaptureOptions;
  private readonly mark: FileMark;
  private readonly warnings: Warning[] = [];

  constructor(source: NativeSource, sink: CaptureSink, options: CaptureOptions, mark: FileMark) {
    this.source = source;
    this.sink = sink;
    this.options = options;
    this.mark = mark;
  }

  async capture(cursor: ClaudeCursor | null): Promise<CaptureOutcome> {
    const { source } = this;
    const redactor = new Redactor({
      key: this.options.redactionKey,
      state: cursor?.redaction,
      protectedKey: (key) => PROTECTED.has(key),
      foreignKey: (key) => FOREIGN.has(key),
    });
    const agent = isAgentFile(source.path) && cursor === null ? agentFileOf(source) : undefined;
    const parent = cursor?.parent ?? agent?.parent ?? source.parent ?? null;
    const skip = cursor === null ? this.reasonToSkip(agent?.warmup === true) : cursor.skipped;
    const setting: Setting = {
      sink: this.sink,
      children: childrenOf(source.path, this.sink),
      replayed: agent?.replayed ?? NONE,
      folder: sideFolder(source.path),
      redact: (text) => redactor.text(text),
    };
    const file = await this.fileOf(cursor, setting, parent ?? undefined);
    const from = this.startOf(cursor, file);
    const before = cursor?.torn ?? null;
    const end = await this.read(file, redactor, from, skip);
    const torn = this.reportTorn(file, end, before);
    const done = skip === null && file.finish();
    if (done) finishSessions(file, source, this.options.env);
    const next: ClaudeCursor = {
      version: 1,
      mark: this.mark,
      at: done || skip !== null ? end.cursor : { offset: 0, line: 0 },
      redaction: redactor.state(),
      sides: [...file.sides.keys()],
      parent,
      skipped: skip,
      torn,
    };
    if (done) states.set(next, file);
    return this.outcome(file, next, redactor);
  }

  /** Why a file is left out whole, by kind; null = it is not. */
  private reasonToSkip(warmup: boolean): string | null {
    if (warmup) return 'warmup-agent';
    return isCopyOfLonger(this.source) ? 'copy-of-longer-file' : null;
  }

  /** Where to read from: behind what was read, or from the start when the file is another one now. */
  private startOf(cursor: ClaudeCursor | null, file: FileCapture): JsonlCursor | undefined {
    if (cursor === null) return undefined;
    const change = compareFile(cursor.mark, this.source.path);
    const same = change.ok && (change.value === 'same' || change.value === 'grown');
    if (same && this.mark.size >= cursor.at.offset) return cursor.at;
    const how = change.ok ? change.value : 'replaced';
    this.warn({
      about: how === 'truncated' ? 'source-truncated' : 'source-replaced',
      detail: `The file was ${how} since it was last read. It was read again; what had been captured stays.`,
      file: this.source.path,
    });
    file.again = true;
    return undefined;
  }

  /** The state of earlier captures: as it was left, else built from what is stored. */
  private async fileOf(
    cursor: ClaudeCursor | null,
    setting: Setting,
    parent: NativeParent | undefined,
  ): Promise<FileCapture> {
    const known = cursor === null ? undefined : states.get(cursor);
    if (known?.renew(setting) === true) return known;
    const file = new FileCapture(this.source, setting, parent);
    if (cursor !== null) await this.restore(file, cursor);
    return file;
  }

  private async restore(file: FileCapture, cursor: ClaudeCursor): Promise<void> {
    if (cursor.skipped !== null) return;
    for (const part of [undefined, ...cursor.sides]) {
      const state = file.resume(part);
      const replay = new Replay(state, () => file.looseState());
      let first: string | undefined;
      let copied = false;
      for await (const event of state.log.sink.stored()) {
        replay.add(event);
        if (event.origin?.native_id == null) continue;
        first ??= event.origin.native_id;
        copied = event.origin.session !== undefined;
      }
      replay.end();
      // whoever copies may not be done yet
      if (part === undefined && copied && first !== undefined) file.copyGoesOn(first);
    }
    if (file.main?.log.sink.next === 0) file.forget();
  }

  private async read(
    file: FileCapture,
    redactor: Redactor,
    from: JsonlCursor | undefined,
    skip: string | null,
  ): Promise<JsonlEnd> {
    const lines = readJsonl(this.source.path, { from, redactor, signal: this.options.signal });
    for (;;) {
      const step = lines.next();
      if (step.done === true) return step.value;
      for (const line of step.value) {
        if (skip === null) this.takeLine(file, line);
        else file.skip(skip, line.records.length);
      }
      await this.sink.drain();
    }
  }

  private takeLine(file: FileCapture, { records, damage, line, redacted, replaced }: JsonlLine): void {
    const silent = records.length === 0 && damage.every((one) => one.raw === undefined);
    for (const [i, one] of damage.entries()) {
      const lost = one.raw !== undefined || (silent && i === 0);
      file.damaged({ about: one.about, detail: one.detail, line }, lost);
    }
    const of = (record: unknown): number => (records.length === 1 ? replaced : redacted ? placeholders(record) : 0);
    for (const record of records) file.take(record, line - 1, of(record));
  }

  /** A last line without its end: told once, and read again when the file grows. */
  private reportTorn(file: FileCapture, { pending }: JsonlEnd, before: number | null): number | null {
    if (pending === null) return null;
    const { about, detail, line, offset } = pending;
    if (before === offset) file.lost();
    else file.damaged({ about, detail, line }, true);
    return offset;
  }

  private warn(warning: Warning): void {
    this.warnings.push(warning);
  }

  private outcome(file: FileCapture, cursor: ClaudeCursor, redactor: Redactor): CaptureOutcome {
    return { cursor, ...file.sums, redactions: redactor.added, warnings: [...this.warnings, ...file.warnings] };
  }
}

/** Number of placeholders in a record of several that stand in one damaged line. */
function placeholders(record: unknown): number {
  return JSON.stringify(record).split('[REDACTED:').length - 1;
}
