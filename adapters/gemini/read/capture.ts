import { Redactor } from '../../../src/core/redact/redactor.ts';
import { AppFailure, fail, ok, type Result, toAppError } from '../../../src/shared/errors.ts';
import type { Warning } from '../../../src/shared/events.ts';
import type {
  CaptureOptions,
  CaptureOutcome,
  CaptureSink,
  Cursor,
  NativeParent,
  NativeSource,
} from '../../contract.ts';
import { Accounts } from '../../io/accounts.ts';
import { compareFile, type FileMark, markFile } from '../../io/files.ts';
import { type JsonlCursor, type JsonlEnd, type JsonlLine, readJsonl } from '../../io/jsonl.ts';
import { placeOf } from '../home.ts';
import { NeedsWhole } from './conversation.ts';
import type { GeminiCursor } from './cursor.ts';
import { messagesIn, readDocument } from './document.ts';
import { SessionLog } from './log.ts';
import { holdsConversation, isConversation, isKnownKind, isObject, type Json, recordOf } from './record.ts';
import { Replay } from './replay.ts';
import type { ReadState } from './state.ts';
import { callOf, childPath, currentFile, documentText, folderOf } from './surroundings.ts';

const START: JsonlCursor = { offset: 0, line: 0 };
const NOWHERE: JsonlEnd = { cursor: START, pending: null };
/** What tools take and give, in names of their own: an `id` there is no id of the client, and may be a secret. */
const FOREIGN: ReadonlySet<string> = new Set(['args', 'response', 'resultDisplay']);
const PROTECTED: ReadonlySet<string> = new Set(['sessionId', 'projectHash', 'thoughtSignature', 'agentId']);
/** Damage of a file without a session that is told one by one. */
const MAX_WARNINGS = 20;

/** Reads what is new in a session file. See `SessionAdapter.capture`. */
export async function captureSession(
  source: NativeSource,
  cursor: Cursor | null,
  sink: CaptureSink,
  options: CaptureOptions,
): Promise<Result<CaptureOutcome>> {
  try {
    return ok(await new Capture(source, cursor as GeminiCursor | null, sink, options).run());
  } catch (thrown) {
    if (thrown instanceof AppFailure) return { ok: false, error: thrown.error };
    const error = toAppError(thrown);
    return fail(error.code, `${source.path}: ${error.message}`, { path: source.path });
  }
}

/** A record that waits for the session to begin. */
interface Waiting {
  record: Json;
  line: number;
  redacted: boolean;
}

class Capture {
  readonly #source: NativeSource;
  readonly #file: string;
  readonly #cursor: GeminiCursor | null;
  readonly #sink: CaptureSink;
  readonly #options: CaptureOptions;
  readonly #redactor: Redactor;
  #accounts = new Accounts();
  #warnings: Warning[] = [];
  #waiting: Waiting[] = [];
  #session: { native_id: string; parent: NativeParent | null; replay: Replay; log: SessionLog } | null = null;
  /** lines before this one were captured before */
  #known = 0;

  constructor(source: NativeSource, cursor: GeminiCursor | null, sink: CaptureSink, options: CaptureOptions) {
    this.#source = source;
    this.#file = currentFile(source.path);
    this.#cursor = cursor;
    this.#sink = sink;
    this.#options = options;
    this.#redactor = new Redactor({
      key: options.redactionKey,
      state: cursor?.redaction,
      protectedKey: (key) => PROTECTED.has(key),
      foreignKey: (key) => FOREIGN.has(key),
    });
  }

  async run(): Promise<CaptureOutcome> {
    const mark = markFile(this.#file);
    if (!mark.ok) throw new AppFailure(mark.error);
    const known = this.#cursor?.session ?? null;
    if (known !== null) this.#open(known.native_id, known.parent, known.state, null, 0, false);
    const from = this.#from(mark.value);
    const text = this.#file.endsWith('.json') ? documentText(this.#file, mark.value) : null;
    const end = text === null ? await this.#lines(from) : this.#document(text);
    this.#session?.replay.finish();
    return this.#outcome(mark.value, end);
  }

  /** Where to read from: behind what was read, or from the start when the file is another one now. */
  #from(mark: FileMark): JsonlCursor {
    const cursor = this.#cursor;
    if (cursor === null || cursor.session === null) return START;
    const moved = cursor.file !== this.#file;
    const change = compareFile(cursor.mark, this.#file);
    const how = change.ok && !moved ? change.value : 'replaced';
    if ((how === 'same' || how === 'grown') && mark.size >= cursor.at.offset) return cursor.at;
    this.#session!.replay.restart();
    // a document is written anew each time
    if (moved || this.#file.endsWith('.json')) return START;
    this.#warnings.push({
      about: how === 'truncated' ? 'source-truncated' : 'source-replaced',
      detail: `The file was ${how} since it was last read. It was read again; what had been captured stays.`,
      file: this.#file,
    });
    return START;
  }

  // ---- lines

  async #lines(from: JsonlCursor): Promise<{ at: JsonlCursor; torn: number | null }> {
    try {
      return await this.#readLines(from);
    } catch (thrown) {
      if (!(thrown instanceof NeedsWhole) || from.offset === 0) throw thrown;
      this.#known = from.line;
      this.#accounts = new Accounts();
      this.#session!.replay.restart(this.#accounts);
      return this.#readLines(START);
    }
  }

  async #readLines(from: JsonlCursor): Promise<{ at: JsonlCursor; torn: number | null }> {
    const { signal } = this.#options;
    const lines = readJsonl(this.#file, { from, redactor: this.#redactor, signal });
    try {
      for (;;) {
        const step = lines.next();
        if (step.done === true) return this.#endOf(step.value);
        for (const line of step.value) this.#line(line);
        await this.#sink.drain();
      }
    } finally {
      lines.return(NOWHERE);
    }
  }

  #endOf({ cursor, pending }: JsonlEnd): { at: JsonlCursor; torn: number | null } {
    if (pending !== null) {
      this.#lost();
      const { about, detail, line } = pending;
      if (this.#cursor?.torn !== pending.offset) this.#warn({ about, detail, line });
    }
    this.#beginLate();
    return { at: this.#session === null ? START : cursor, torn: pending?.offset ?? null };
  }

  #line({ records, damage, line, redacted }: JsonlLine): void {
    const again = line <= this.#known;
    if (!again) for (const { about, detail } of damage) this.#warn({ about, detail, line });
    if (records.length === 0) this.#lost();
    for (const record of records) {
      if (isObject(record)) this.#record({ record, line: line - 1, redacted });
      else {
        this.#lost();
        if (!again) this.#warn({ about: 'malformed-line', detail: 'The line is JSON, but no record.', line });
      }
    }
  }

  #record(waiting: Waiting): void {
    if (this.#session !== null) {
      this.#apply(waiting);
      return;
    }
    this.#waiting.push(waiting);
    if (holdsConversation(waiting.record)) this.#begin();
  }

  #apply({ record, line, redacted }: Waiting, first = false): void {
    this.#session!.replay.record(record, { line, redacted }, { known: line < this.#known, first });
  }

  /** A file that is damaged, or has records that we do not know, is a session, too. */
  #beginLate(): void {
    if (this.#session !== null || this.#waiting.length === 0) return;
    const unknown = this.#waiting.some(({ record }) => !isKnownKind(record));
    if (unknown || this.#warnings.length > 0) {
      this.#begin();
      if (unknown)
        this.#warn({
          about: 'no-turns-recognised',
          detail: `None of the ${this.#waiting.length} records is a message that we know: probably a newer version of Gemini CLI wrote them.`,
        });
      return;
    }
    this.#accounts.records += this.#waiting.length;
    this.#accounts.declare('no-conversation', this.#waiting.length);
  }

  #begin(): void {
    const waiting = this.#waiting;
    const header = waiting.find(({ record }) => recordOf(record).kind === 'header') ?? null;
    this.#start(header?.record ?? null, header?.line ?? 0, header?.redacted ?? false, waiting);
    this.#waiting = [];
    for (const one of waiting) this.#apply(one, one === header);
  }

  // ---- session

  /** Begins a session; `records` are looked through for its folder. */
  #start(header: Json | null, line: number, redacted: boolean, records: readonly { record: Json }[]): void {
    const { native_id, parent } = this.#source;
    const id = typeof header?.sessionId === 'string' && header.sessionId !== '' ? header.sessionId : native_id;
    this.#open(id, parent === undefined ? null : this.#calledBy(parent, id), null, header, line, redacted, records);
    if (header === null)
      this.#warn({
        about: 'missing-header',
        detail: 'The file has no record with the id of the session; its name is used.',
        line: 1,
      });
    for (const warning of this.#warnings.splice(0)) this.#warn(warning);
  }

  #open(
    native_id: string,
    parent: NativeParent | null,
    state: ReadState | null,
    header: Json | null,
    line: number,
    redacted: boolean,
    records: readonly { record: Json }[] = [],
  ): void {
    const sink = this.#sink.session({ native_id, ...(parent === null ? {} : { parent }) });
    const log = new SessionLog(sink);
    const cwd = state === null ? folderOf(this.#source.path, header, records) : null;
    if (cwd !== null) sink.facts({ cwd, cwd_last: cwd });
    const start = { cwd, ...(parent === null ? {} : { native_parent: parent.native_id }) };
    const options = {
      log,
      accounts: this.#accounts,
      state,
      start,
      store: (bytes: Uint8Array, type: string) => this.#sink.artifact(bytes, type),
      childOf: (id: string) => this.#sink.idOf({ path: childPath(this.#source.path, native_id, id), native_id: id }),
    };
    this.#session = { native_id, parent, log, replay: new Replay(options, header, { line, redacted }) };
  }

  /** The call that started a sub-agent names it. */
  #calledBy(parent: NativeParent, id: string): NativeParent {
    const chats = placeOf(this.#source.path)?.chats;
    const call = chats === undefined ? undefined : callOf(chats, parent.native_id, id);
    return call === undefined ? parent : { ...parent, call_id: call };
  }

  // ---- documents

  #document(text: string): { at: JsonlCursor; torn: number | null } {
    const { header, damage } = readDocument(text);
    const document = this.#redactor.record(header);
    const messages = messagesIn(document);
    const writing = this.#cursor?.writings ?? 0;
    for (const { line, detail, cut } of damage) {
      this.#lost();
      if (this.#cursor?.torn !== damage.length)
        this.#warn({ about: cut ? 'truncated-line' : 'malformed-line', detail, line });
    }
    const place = { line: writing, redacted: JSON.stringify(document).includes('[REDACTED:') };
    if (this.#session === null && !messages.some(isConversation) && damage.length === 0) {
      this.#accounts.records++;
      this.#accounts.declare('no-conversation');
    } else {
      const records = messages.map((record) => ({ record }));
      if (this.#session === null) this.#start(document, writing, place.redacted, records);
      this.#session!.replay.document(document, messages, place);
    }
    return { at: START, torn: damage.length === 0 ? null : damage.length };
  }

  // ---- sums

  #lost(): void {
    this.#accounts.records++;
    this.#accounts.unreadable++;
  }

  #warn(warning: Warning): void {
    if (this.#session !== null) this.#session.log.sink.warning(warning);
    else if (this.#warnings.length < MAX_WARNINGS) this.#warnings.push(warning);
    else this.#warnings.at(-1)!.count = (this.#warnings.at(-1)!.count ?? 1) + 1;
  }

  #outcome(mark: FileMark, { at, torn }: { at: JsonlCursor; torn: number | null }): CaptureOutcome {
    const { records, mapped, unreadable, unknown, declared } = this.#accounts;
    const open = this.#session;
    const cursor: GeminiCursor = {
      version: 1,
      file: this.#file,
      mark,
      at,
      session: open && { native_id: open.native_id, parent: open.parent, state: open.replay.state() },
      torn,
      writings: (this.#cursor?.writings ?? 0) + 1,
      redaction: this.#redactor.state(),
    };
    return {
      cursor,
      records,
      mapped,
      unreadable,
      unknown,
      declared,
      redactions: this.#redactor.added,
      warnings: this.#warnings,
    };
  }
}
