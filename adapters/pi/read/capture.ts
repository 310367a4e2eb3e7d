import { Redactor } from '../../../src/core/redact/redactor.ts';
import type { RedactionState } from '../../../src/core/redact/secret-ids.ts';
import { AppFailure, fail, ok, type Result, toAppError, unwrap } from '../../../src/shared/errors.ts';
import type { Warning } from '../../../src/shared/events.ts';
import type { CaptureOptions, CaptureOutcome, CaptureSink, Cursor, NativeSource, SessionRef } from '../../contract.ts';
import { Accounts } from '../../io/accounts.ts';
import type { StoreArtifact } from '../../io/cut-text.ts';
import { compareFile, type FileMark, markFile } from '../../io/files.ts';
import { type JsonlCursor, type JsonlEnd, type JsonlLine, readJsonl } from '../../io/jsonl.ts';
import { forkedFrom, headerOf, parentOf, readHeader } from './header.ts';
import { SessionLog } from './log.ts';
import { Mapper, type MapState } from './mapper.ts';
import type { Reading } from './state.ts';

/** Where a capture goes on. JSON; the log beside it lives as long as the object (contract.ts). */
interface PiCursor extends Record<string, unknown> {
  version: 1;
  mark: FileMark;
  at: JsonlCursor;
  redaction: RedactionState;
  state: MapState;
  /** place of a torn last line that was reported */
  torn: number | null;
}

/** Logs of active sessions, by the cursor that the last capture returned. */
const logs = new WeakMap<Cursor, SessionLog>();

/** What tools take and give, in names of their own: an `id` there is no id of the client, and may be a secret. */
const FOREIGN: ReadonlySet<string> = new Set(['arguments', 'data', 'details']);
const PROTECTED: ReadonlySet<string> = new Set([
  'id',
  'parentId',
  'targetId',
  'fromId',
  'firstKeptEntryId',
  'toolCallId',
  'responseId',
  'thinkingSignature',
  'textSignature',
  'thoughtSignature',
]);

/** Reads what is new in a session file. See `SessionAdapter.capture`. */
export async function captureSession(
  source: NativeSource,
  cursor: Cursor | null,
  sink: CaptureSink,
  options: CaptureOptions,
): Promise<Result<CaptureOutcome>> {
  try {
    return ok(await new Capture(source, cursor as PiCursor | null, sink, options).run());
  } catch (thrown) {
    if (thrown instanceof AppFailure) return { ok: false, error: thrown.error };
    const error = toAppError(thrown);
    return fail(error.code, `${source.path}: ${error.message}`, { path: source.path });
  }
}

class Capture {
  readonly #source: NativeSource;
  readonly #cursor: PiCursor | null;
  readonly #sink: CaptureSink;
  readonly #options: CaptureOptions;
  readonly #redactor: Redactor;
  readonly #accounts = new Accounts();
  readonly #warnings: Warning[] = [];
  readonly #mark: FileMark;

  constructor(source: NativeSource, cursor: PiCursor | null, sink: CaptureSink, options: CaptureOptions) {
    this.#source = source;
    this.#cursor = cursor;
    this.#sink = sink;
    this.#options = options;
    this.#mark = unwrap(markFile(source.path));
    this.#redactor = new Redactor({
      key: options.redactionKey,
      state: cursor?.redaction,
      protectedKey: (key) => PROTECTED.has(key),
      foreignKey: (key) => FOREIGN.has(key),
    });
  }

  async run(): Promise<CaptureOutcome> {
    const cursor = this.#cursor;
    const state: MapState = cursor === null ? this.#begin() : { ...cursor.state };
    const store: StoreArtifact = (bytes, type) => this.#sink.artifact(bytes, type);
    const log = await this.#log(state, store);
    const reading: Reading = {
      log,
      accounts: this.#accounts,
      store,
      redact: (text) => this.#redactor.text(text),
    };
    const mapper = new Mapper(reading, state);
    const from = this.#from(mapper);
    const end = await this.#read(mapper, from, state);
    const torn = this.#torn(end, mapper);
    mapper.finish();
    const next: PiCursor = {
      version: 1,
      mark: this.#mark,
      at: end.cursor,
      redaction: this.#redactor.state(),
      state,
      torn,
    };
    logs.set(next, log);
    return this.#outcome(next);
  }

  #begin(): MapState {
    const record = headerOf(this.#source.path);
    return { header: record === undefined ? null : readHeader(record), begun: false, version1: false };
  }

  /** The log with what it holds already: as it was left, else learned from what is stored. */
  async #log({ header }: MapState, store: StoreArtifact): Promise<SessionLog> {
    const parent = parentOf(header);
    const ref: SessionRef = {
      native_id: header?.id ?? this.#source.native_id,
      ...(parent === undefined ? {} : { parent }),
    };
    const sink = this.#sink.session(ref);
    const known = this.#cursor === null ? undefined : logs.get(this.#cursor);
    if (known?.renew(sink, store) === true) return known;
    const log = new SessionLog(sink, store);
    if (this.#cursor !== null) await log.recall();
    return log;
  }

  /** Behind what was read, or the start when the file is another one now: then what is known is passed over. */
  #from(mapper: Mapper): JsonlCursor | undefined {
    if (this.#cursor === null) return undefined;
    const change = compareFile(this.#cursor.mark, this.#source.path);
    const how = change.ok ? change.value : 'replaced';
    if ((how === 'same' || how === 'grown') && this.#mark.size >= this.#cursor.at.offset) return this.#cursor.at;
    this.#warnings.push({
      about: how === 'truncated' ? 'source-truncated' : 'source-replaced',
      detail: `The file was ${how} since it was last read. It was read again; what had been captured stays.`,
      file: this.#source.path,
    });
    mapper.again = true;
    return undefined;
  }

  async #read(mapper: Mapper, from: JsonlCursor | undefined, state: MapState): Promise<JsonlEnd> {
    const lines = readJsonl(this.#source.path, { from, redactor: this.#redactor, signal: this.#options.signal });
    for (;;) {
      const step = lines.next();
      if (step.done === true) return step.value;
      for (const line of step.value) this.#take(line, mapper, state);
      await this.#sink.drain();
    }
  }

  #take({ records, damage, line, redacted }: JsonlLine, mapper: Mapper, state: MapState): void {
    if (records.length === 0) this.#lost();
    const begun = state.begun;
    for (const one of damage) if (!mapper.again) mapper.damaged(one, line - 1);
    for (const record of records) {
      mapper.record(record, line - 1, redacted);
      if (!begun && state.begun) this.#fork(mapper, state);
    }
  }

  /** The first event of a fork, behind its start, says where it comes from. */
  #fork(mapper: Mapper, { header }: MapState): void {
    if (header === null) return;
    const from = forkedFrom(header, this.#sink);
    if (from !== null) mapper.forked(from);
  }

  #lost(): void {
    this.#accounts.records++;
    this.#accounts.unreadable++;
  }

  /** A last line without its end: told once, and read again when the file grows. */
  #torn({ pending }: JsonlEnd, mapper: Mapper): number | null {
    if (pending === null) return null;
    this.#lost();
    const { about, detail, line, offset } = pending;
    if (this.#cursor?.torn !== offset) mapper.damaged({ about, detail }, line - 1);
    return offset;
  }

  #outcome(cursor: PiCursor): CaptureOutcome {
    const { records, mapped, unreadable, unknown, declared } = this.#accounts;
    const sums = { records, mapped, unreadable, unknown, declared };
    return { cursor, ...sums, redactions: this.#redactor.added, warnings: this.#warnings };
  }
}
