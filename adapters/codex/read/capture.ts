import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { Redactor } from '../../../src/core/redact/redactor.ts';
import type { RedactionState } from '../../../src/core/redact/secret-ids.ts';
import { AppFailure, ok, type Result } from '../../../src/shared/errors.ts';
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
import { type JsonlCursor, type JsonlEnd, type JsonlLine, readJsonl } from '../../io/jsonl.ts';
import { firstPath, parseRolloutName, plainName } from '../home.ts';
import { nameOf } from '../session-index.ts';
import type { CodexSource } from './discover.ts';
import { filesOfThread } from './discover.ts';
import { changeOf, type FileState, markOf } from './file-state.ts';
import { Keeper } from './keep.ts';
import { ThreadLog } from './log.ts';
import { Mapper } from './mapper.ts';
import {
  type Base,
  baseOf,
  headerOf,
  homeOf,
  ordinalOf,
  parentOf,
  type Rollout,
  threadsOf,
  unpacked,
} from './rollouts.ts';
import { startFork } from './settings.ts';
import { sharedLines } from './shared-lines.ts';
import { newState, type ReadState } from './state.ts';

/** Where the next capture of a thread goes on. JSON. */
interface CodexCursor extends Record<string, unknown> {
  version: 1;
  /** by name as Codex made it (`plainName`), since files are moved and packed */
  files: Record<string, FileState>;
  state: ReadState;
  redaction: RedactionState;
}

type Header = Record<string, unknown> | null;

const NOWHERE: JsonlEnd = { cursor: { offset: 0, line: 0 }, pending: null };
/** What tools take and give, in names of their own: an `id` there is no id of the client, and may be a secret. */
const FOREIGN: ReadonlySet<string> = new Set(['arguments', 'input', 'invocation', 'result']);
const PROTECTED: ReadonlySet<string> = new Set([
  'encrypted_content',
  'id',
  'call_id',
  'turn_id',
  'thread_id',
  'session_id',
]);

/** Reads what is new in a thread: all its files, in the order in which Codex made them. See `SessionAdapter.capture`. */
export async function captureThread(
  source: NativeSource,
  cursor: Cursor | null,
  sink: CaptureSink,
  options: CaptureOptions,
): Promise<Result<CaptureOutcome>> {
  try {
    return ok(await new Capture(source, cursor as CodexCursor | null, sink, options).run());
  } catch (thrown) {
    if (thrown instanceof AppFailure) return { ok: false, error: thrown.error };
    throw thrown;
  }
}

class Capture {
  readonly #source: CodexSource;
  readonly #cursor: CodexCursor | null;
  readonly #sink: CaptureSink;
  readonly #options: CaptureOptions;
  readonly #redactor: Redactor;
  readonly #accounts = new Accounts();
  readonly #warnings: Warning[] = [];
  readonly #files: CodexCursor['files'];
  #all: Rollout[] | null = null;

  constructor(source: CodexSource, cursor: CodexCursor | null, sink: CaptureSink, options: CaptureOptions) {
    this.#source = source;
    this.#cursor = cursor;
    this.#sink = sink;
    this.#options = options;
    this.#redactor = new Redactor({
      key: options.redactionKey,
      state: cursor?.redaction,
      protectedKey: (key) => PROTECTED.has(key),
      foreignKey: (key) => FOREIGN.has(key),
    });
    this.#files = { ...cursor?.files };
  }

  async run(): Promise<CaptureOutcome> {
    const { path, native_id } = this.#source;
    const paths = this.#source.files ?? (await this.#siblings());
    let content: Uint8Array | undefined;
    let header: Header;
    try {
      content = unpacked(path);
      header = headerOf(path, content);
    } catch (thrown) {
      if (!(thrown instanceof AppFailure) || !path.endsWith('.zst')) throw thrown;
      return this.#unreadable(thrown.error.message);
    }
    const parent = parentOf(header);
    const log = new ThreadLog(
      this.#sink.session({ native_id: idOf(header) ?? native_id, ...(parent === null ? {} : { parent }) }),
      this.#cursor?.state.log,
    );
    const state = this.#cursor?.state ?? newState(log.state);
    const store = (bytes: Uint8Array, type: string): string => this.#sink.artifact(bytes, type);
    const reading = { log, state, accounts: this.#accounts, store };
    const mapper = new Mapper(reading);
    log.marking = paths.length > 1;
    if (this.#cursor === null && header !== null && parent?.kind === 'fork') {
      startFork(reading, this.#redactor.record(header));
      await this.#fork(log, mapper, header, parent);
    }
    for (const [index, file] of paths.entries()) {
      const bytes = file === path ? content : unpacked(file);
      if (index > 0) {
        log.source = { file: plainName(file), tag: `f${index}:` };
        if (this.#files[plainName(file)] === undefined) await this.#goBack(log, headerOf(file, bytes), paths);
      }
      await this.#read(file, bytes, mapper, new Keeper(log, store));
    }
    mapper.finish();
    this.#title(log, native_id);
    return this.#outcome(state);
  }

  /** All files of the thread, for a source that was not found by discovery. */
  async #siblings(): Promise<string[]> {
    const { path, native_id } = this.#source;
    const known = Object.values(this.#files).map((file) => file.path);
    if (known.includes(path) && known.every((file) => existsSync(file))) return known;
    const { thread, all } = await filesOfThread(path, native_id, this.#options.env);
    this.#all = all;
    return thread?.map(({ file }) => file.path) ?? [path];
  }

  async #rollouts(): Promise<Rollout[]> {
    this.#all ??= (await filesOfThread(this.#source.path, this.#source.native_id, this.#options.env)).all;
    return this.#all;
  }

  /**
   * Reads a file from where the last capture stopped. `to`: what keeps the records of a file of the thread's own; of a shared
   * history the first ordinal that is not wanted.
   */
  async #read(path: string, content: Uint8Array | undefined, mapper: Mapper, to: Keeper | number): Promise<void> {
    const mark = markOf(path, content);
    if (!mark.ok) throw new AppFailure(mark.error);
    const known = this.#files[plainName(path)];
    const size = content?.length ?? mark.value.size;
    const from = known === undefined ? undefined : this.#startOf(known, { path, content, size });
    const lines = readJsonl(path, { from, redactor: this.#redactor, content, signal: this.#options.signal });
    try {
      for (;;) {
        const step = lines.next();
        if (step.done === true) {
          const torn = this.#torn(step.value, known?.torn ?? null, mapper);
          if (typeof to !== 'number')
            this.#files[plainName(path)] = { path, at: step.value.cursor, mark: mark.value, torn };
          return;
        }
        for (const line of step.value) if (!this.#take(line, mapper, to)) return;
        if (typeof to !== 'number') to.flush();
        await this.#sink.drain();
      }
    } finally {
      lines.return(NOWHERE);
    }
  }

  /** False = the line lies behind what is wanted. */
  #take({ records, damage, line, redacted, offset, end }: JsonlLine, mapper: Mapper, to: Keeper | number): boolean {
    for (const one of damage) mapper.damaged(one, one.raw, line - 1);
    if (records.length === 0) this.#lost();
    for (const record of records) {
      if (typeof to === 'number' && ordinalOf(record, line - 1) >= to) return false;
      mapper.record(record, { line: line - 1, redacted });
    }
    if (typeof to !== 'number') to.add(records, end - offset);
    return true;
  }

  #lost(): void {
    this.#accounts.records++;
    this.#accounts.unreadable++;
  }

  /** Behind what was read. A file that is another one now was captured already; only what is added later is read. */
  #startOf(known: FileState, now: { path: string; content: Uint8Array | undefined; size: number }): JsonlCursor {
    const how = changeOf(known, now.path, now.content);
    if ((how === 'same' || how === 'grown') && now.size >= known.at.offset) return known.at;
    this.#warnings.push({
      about: how === 'truncated' ? 'source-truncated' : 'source-replaced',
      detail:
        'The file was rewritten since it was last read. What had been captured stays; reading goes on with what is added from now on.',
      file: now.path,
    });
    return { offset: now.size, line: known.at.line };
  }

  /** A last line without its end: told once, and read again when the file grows. */
  #torn({ pending }: JsonlEnd, before: number | null, mapper: Mapper): number | null {
    if (pending === null) return null;
    this.#lost();
    if (before !== pending.offset) mapper.damaged(pending, undefined, pending.line - 1);
    return pending.offset;
  }

  /** A rewind: this file goes on from the middle of an earlier one of the thread. */
  async #goBack(log: ThreadLog, header: Header, paths: readonly string[]): Promise<void> {
    const base = baseOf(header);
    if (base === null) return;
    const at = paths.findIndex((path) => parseRolloutName(basename(path))?.rolloutId === base.rolloutId);
    if (at < 0) {
      log.warn('history-missing', `The rollout ${base.rolloutId} that this one goes on from is not there.`);
      return;
    }
    if (this.#cursor !== null) await log.recall();
    const path = paths[at]!;
    const first = baseOf(headerOf(path, unpacked(path)))?.end ?? 0;
    log.returnTo(at === 0 ? '' : basename(path), base.end - first);
  }

  /** The first event of a fork says where it comes from; a paginated fork then reads what it shares with its parent. */
  async #fork(log: ThreadLog, mapper: Mapper, header: Record<string, unknown>, parent: NativeParent): Promise<void> {
    const rollouts = await this.#rollouts();
    const files = threadsOf(rollouts).get(parent.native_id);
    if (files !== undefined) {
      const from = this.#sink.idOf({
        path: files[0]!.file.path,
        home_path: firstPath(files[0]!.file.path, files[0]!),
        native_id: parent.native_id,
      });
      log.put('session.fork', 'system', { from_session: from, from_seq: null, reason: 'fork' });
    }
    const base = baseOf(header);
    if (base !== null) await this.#inherited(base, rollouts, log, mapper, new Set());
    else mapper.copied(parent.native_id, sharedLines(this.#source.path, files?.[0]?.file.path));
    log.source = {};
  }

  async #inherited(
    base: Base,
    rollouts: readonly Rollout[],
    log: ThreadLog,
    mapper: Mapper,
    seen: Set<string>,
  ): Promise<void> {
    const rollout = rollouts.find(({ rolloutId }) => rolloutId === base.rolloutId);
    if (rollout === undefined || seen.has(base.rolloutId)) {
      log.warn(
        'history-missing',
        `The rollout ${base.rolloutId} that this thread goes on from is not there; what was said before the fork is missing.`,
      );
      return;
    }
    seen.add(base.rolloutId);
    const { path } = rollout.file;
    const content = unpacked(path);
    const earlier = baseOf(headerOf(path, content));
    if (earlier !== null) await this.#inherited(earlier, rollouts, log, mapper, seen);
    log.source = { file: basename(path), thread: rollout.threadId, tag: `b${seen.size}:` };
    await this.#read(path, content, mapper, base.end);
    mapper.settle();
  }

  #title(log: ThreadLog, id: string): void {
    const name = nameOf(homeOf(this.#source.path, this.#options.env), id);
    if (name !== null) log.sink.facts({ title: this.#redactor.text(name), title_from: 'agent' });
  }

  /** A compressed file that cannot be unpacked stays in the list, with its reason. */
  #unreadable(reason: string): CaptureOutcome {
    const { path, native_id } = this.#source;
    const known = this.#cursor !== null;
    if (!known) this.#sink.session({ native_id }).warning({ about: 'unreadable-file', file: path, detail: reason });
    this.#lost();
    return this.#outcome(this.#cursor?.state ?? newState(new ThreadLog(this.#sink.session({ native_id })).state));
  }

  #outcome(state: ReadState): CaptureOutcome {
    const { records, mapped, unreadable, unknown, declared } = this.#accounts;
    const cursor: CodexCursor = { version: 1, files: this.#files, state, redaction: this.#redactor.state() };
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

function idOf(header: Header): string | null {
  return typeof header?.id === 'string' ? header.id : null;
}
