import type { Redactor } from '../../../src/core/redact/redactor.ts';
import { AppFailure, ok, type Result } from '../../../src/shared/errors.ts';
import type { SessionStart } from '../../../src/shared/events.ts';
import type {
  CaptureOptions,
  CaptureOutcome,
  CaptureSink,
  Cursor,
  NativeParent,
  NativeSource,
} from '../../contract.ts';
import { numberOf, objectOf, seconds } from '../json.ts';
import { assistantUnits } from './assistant-message.ts';
import { Branch } from './branch.ts';
import { closingOf } from './closing.ts';
import { SessionLog } from './log.ts';
import { Outline, saysSummary } from './outline.ts';
import { Redacting, redactorOf } from './redacting.ts';
import { type ForkOf, givenTitle, type NativeRecord, type NativeSession } from './session.ts';
import { liftFiles, shrink } from './shrink.ts';
import { readCursor, type SessionCursor } from './state.ts';
import { digestOf, type Message, type MessageUnits, type Part, type Surroundings, type Unit } from './units.ts';
import { userUnits } from './user-message.ts';

export interface SessionCapture {
  session: NativeSession;
  source: NativeSource;
  cursor: Cursor | null;
  sink: CaptureSink;
  options: CaptureOptions;
  /** path by which another session of the same store is known */
  pathOf(nativeId: string): string;
}

/** Reads what is new or was changed in place in one session. See `SessionAdapter.capture`. */
export async function captureSession(from: SessionCapture): Promise<Result<CaptureOutcome>> {
  try {
    return ok(await new Capture(from).run());
  } catch (thrown) {
    if (thrown instanceof AppFailure) return { ok: false, error: thrown.error };
    throw thrown;
  }
}

class Capture {
  readonly #from: SessionCapture;
  readonly #state: SessionCursor;
  readonly #redactor: Redactor;
  readonly #log: SessionLog;
  readonly #branch: Branch;
  readonly #outline: Outline;
  readonly #fork: ForkOf | null;
  readonly #sums = { records: 0, mapped: 0, unreadable: 0 };
  readonly #unknown: Record<string, number> = {};
  #wroteAside = false;
  readonly #store: (bytes: Uint8Array, type: string) => string;

  constructor(from: SessionCapture) {
    const { session, sink, cursor, options } = from;
    this.#from = from;
    this.#state = readCursor(cursor);
    this.#redactor = redactorOf(options.redactionKey, this.#state.redaction);
    this.#fork = session.fork();
    const parent = parentOf(session, this.#fork);
    this.#log = new SessionLog(sink.session({ native_id: session.id, ...(parent === null ? {} : { parent }) }));
    this.#branch = new Branch(this.#state, this.#log);
    this.#outline = new Outline(session);
    this.#store = (bytes, type) => sink.artifact(bytes, type);
  }

  async run(): Promise<CaptureOutcome> {
    if (this.#state.start < 0) this.#start();
    let index = 0;
    const known = new Set<string>();
    for (const record of this.#from.session.messages()) {
      known.add(record.id);
      this.#message(record, index++);
      this.#from.options.signal?.throwIfAborted();
      if (index % 64 === 0) await this.#from.sink.drain();
    }
    for (const id of Object.keys(this.#state.messages)) if (!known.has(id)) delete this.#state.messages[id];
    this.#log.message = { seq: index };
    this.#leaf();
    this.#own();
    await this.#from.sink.drain();
    this.#state.redaction = this.#redactor.state();
    return {
      cursor: this.#state,
      ...this.#sums,
      unknown: this.#unknown,
      declared: {},
      redactions: this.#redactor.added,
      warnings: [],
    };
  }

  #start(): void {
    const { head, record } = this.#from.session;
    const model = head.model ?? this.#outline.model;
    const config = this.#redactor.record(
      structuredClone({ agent: record.agent ?? null, permission: record.permission ?? null }),
    );
    const start: SessionStart = {
      cwd: head.directory,
      ...(model === null ? {} : { model }),
      ...(head.version === null ? {} : { agent_version: head.version }),
      config,
      ...(head.parent === null && this.#fork === null
        ? {}
        : { native_parent: head.parent ?? this.#fork?.native_id ?? '' }),
    };
    const from = { id: this.#from.session.id, ts: seconds(head.created) };
    this.#state.start = this.#log.put('session.start', 'system', start, from);
    if (this.#fork === null || head.parent !== null) return;
    const { native_id } = this.#fork;
    const from_session = this.#from.sink.idOf({ path: this.#from.pathOf(native_id), native_id });
    this.#log.put('session.fork', 'system', { from_session, from_seq: null, reason: 'fork' }, { ...from, part: 1 });
  }

  #message(record: NativeRecord, index: number): void {
    const parts = [...this.#from.session.parts(record.id)];
    const digest = digestOf(record.text, ...parts.flatMap(({ id, text }) => [id, text]));
    const seen = this.#state.messages[record.id];
    const changed = seen?.[0] !== digest;
    const context = this.#context(record);
    if (!changed && seen?.[2] === context && this.#pass(record.id, index)) return;
    const isCopy = this.#fork?.ids.has(record.id) === true;
    this.#log.message = { seq: index, ...(isCopy ? { copied: this.#fork! } : {}) };
    const message = this.#readable(record, parts, changed);
    this.#state.messages[record.id] = [digest, parts.length, context];
    if (message === null) {
      this.#branch.begin(record.id, []);
      return;
    }
    const around = this.#around(record.id);
    const units = this.#undo(
      message,
      message.data.role === 'user' ? userUnits(message, around) : assistantUnits(message, around),
    );
    this.#branch.begin(message.id, units.branch);
    const version = this.#state.versions[message.id];
    if (version !== undefined) message.response = `${message.id}~${version}`;
    const writer = new Redacting(message, this.#redactor, this.#log);
    this.#write(units, writer, index, message.id);
    if (!changed) return;
    writer.ready();
    this.#count(message, units, seen?.[1]);
    const closing = closingOf(message, this.#store);
    this.#log.meta(closing.key, closing.value, { id: message.id, ts: seconds(message.created) }, closing.native);
  }

  /** What decides about the units of a message beside its own content. */
  #context({ id, text }: NativeRecord): string {
    const { revert } = this.#from.session.head;
    if (saysSummary(text)) return `summary ${[...this.#outline.compacted].join(' ')}`;
    const undone = revert?.messageId === id ? (revert.partId ?? '') : '';
    return `${this.#outline.last === id ? 'last ' : ''}${this.#outline.compacted.has(id) ? 'compacted ' : ''}${undone}`;
  }

  #pass(messageId: string, index: number): boolean {
    const passed = this.#branch.pass(messageId);
    if (passed === null) return false;
    const before = this.#branch.length - passed.length;
    for (const [n, [key]] of passed.entries()) this.#outline.note(index, key, before + n + 1);
    return true;
  }

  /** What can be read of a message; what cannot is told once. */
  #readable(record: NativeRecord, parts: readonly NativeRecord[], tell: boolean): Message | null {
    for (const one of [record, ...parts]) {
      if (one.data !== null || !tell) continue;
      this.#sums.records++;
      this.#sums.unreadable++;
      this.#log.sink.warning({
        about: 'unreadable-record',
        detail: `The ${one === record ? 'message' : 'part'} ${one.id} is no JSON object; it is left out.`,
        count: 1,
      });
    }
    if (record.data === null) return null;
    const readable = parts.flatMap(({ id, data, times }): Part[] =>
      data === null ? [] : [{ id, data, ...timesOf(times) }],
    );
    for (const { data } of readable) liftFiles(data, this.#store);
    const { id, created, data, times } = record;
    return { id, response: id, created, data, parts: readable, ...timesOf(times) };
  }

  /** A message that was undone from one of its parts on ends before that part. */
  #undo(message: Message, units: MessageUnits): MessageUnits {
    const { revert } = this.#from.session.head;
    const from = revert?.messageId === message.id ? revert.partId : null;
    if (from === null) return units;
    const stays = ({ key }: Unit): boolean => key < from;
    const gone = units.branch.filter((unit) => !stays(unit));
    return { ...units, branch: units.branch.filter(stays), aside: [...units.aside, ...gone] };
  }

  #around(messageId: string): Surroundings {
    const { sink, pathOf } = this.#from;
    return {
      store: this.#store,
      compacted: this.#outline.compacted,
      isLast: this.#outline.last === messageId,
      idOf: (native_id) => sink.idOf({ path: pathOf(native_id), native_id }),
      between: (from, to) => this.#branch.between(from, to),
      compactionOf: (id) => this.#outline.compactionOf(id),
    };
  }

  #write({ branch, aside }: MessageUnits, writer: Redacting, index: number, messageId: string): void {
    const { parent } = this.#log;
    for (const unit of aside) this.#aside(unit, writer);
    this.#log.parent = parent;
    for (const unit of branch) {
      if (this.#branch.needs(unit)) {
        const first = this.#log.sink.next;
        writer.write(unit);
        this.#branch.add(unit, first, messageId);
      }
      this.#outline.note(index, unit.key, this.#branch.length);
    }
    for (const unit of branch)
      this.#branch.answer(unit, (call) => {
        writer.ready();
        unit.result?.write(this.#log, call);
      });
  }

  /** Keeps what is not sent beside the branch, unless it is in the log already. */
  #aside(unit: Unit, writer: Redacting): void {
    const known = this.#state.branch.find(([key, digest]) => key === unit.key && digest === unit.digest);
    if (known !== undefined || this.#state.aside[unit.key] === unit.digest) return;
    writer.write(unit);
    unit.result?.write(this.#log, this.#log.parent);
    this.#state.aside[unit.key] = unit.digest;
    this.#wroteAside = true;
  }

  #count(message: Message, { unknown }: MessageUnits, partsBefore: number | undefined): void {
    const fresh = (partsBefore === undefined ? 1 : 0) + Math.max(0, message.parts.length - (partsBefore ?? 0));
    const strange = partsBefore === undefined ? unknown : unknown.slice(0, fresh);
    this.#sums.records += fresh;
    this.#sums.mapped += fresh - strange.length;
    for (const { id, data } of strange) {
      const type = String(data.type);
      this.#unknown[type] = (this.#unknown[type] ?? 0) + 1;
      this.#log.meta('unknown', shrink(data, this.#store), { id, ts: seconds(message.created) });
    }
  }

  /** Says where the branch ends when the log does not: something was undone, or taken back. */
  #leaf(): void {
    const shortened = this.#branch.end();
    const { revert } = this.#from.session.head;
    const until = revert === null ? null : this.#outline.unitsBefore(revert.messageId, revert.partId);
    const undone = until !== null && until < this.#branch.length;
    const tip = this.#branch.tip(undone ? until : this.#branch.length);
    const wanted = undone ? tip : null;
    const { leaf, start } = this.#state;
    if (shortened || this.#wroteAside || wanted !== leaf || (undone && this.#log.wroteCore)) {
      this.#log.parent = tip;
      this.#log.meta('leaf', tip < 0 ? start : tip, { id: this.#from.session.id, ts: null });
    }
    this.#state.leaf = wanted;
  }

  /** The session's own record, its to-do list, and the facts of its row. */
  #own(): void {
    const { session } = this.#from;
    const { head } = session;
    const title = givenTitle(head.title);
    const model = head.model ?? this.#outline.model;
    const from = {
      id: session.id,
      ts: seconds(numberOf(session.record.time_updated) ?? objectOf(session.record.time).updated),
    };
    if (title !== this.#state.title && title !== null) this.#log.meta('title', this.#redactor.text(title), from);
    this.#state.title = title;
    this.#record('session', session.record, 'record', from);
    this.#record('todo', session.todos(), 'todos', from);
    this.#log.sink.facts({
      ...(title === null ? {} : { title: this.#redactor.text(title), title_from: 'agent' }),
      ...(head.directory === null ? {} : { cwd: head.directory, cwd_last: head.directory }),
      ...(model === null ? {} : { model }),
      ...(head.version === null ? {} : { agent_version: head.version }),
      archived: head.archived,
    });
  }

  #record(table: string, value: unknown, kept: 'record' | 'todos', from: { id: string; ts: number | null }): void {
    const digest = digestOf(value);
    const rows = Array.isArray(value) ? value.length : 1;
    if (this.#state[kept] === digest || (rows === 0 && this.#state[kept] === '')) return;
    this.#sums.records += rows;
    this.#sums.mapped += rows;
    this.#state[kept] = digest;
    const redacted = this.#redactor.record(structuredClone(value));
    this.#log.meta('record', { table, rows: shrink(redacted, this.#store) }, from);
  }
}

function parentOf({ head, callId }: NativeSession, fork: ForkOf | null): NativeParent | null {
  if (head.parent !== null)
    return { kind: 'subagent', native_id: head.parent, ...(callId === null ? {} : { call_id: callId }) };
  return fork === null ? null : { kind: 'fork', native_id: fork.native_id };
}

const timesOf = (times: NativeRecord['times']): Pick<NativeRecord, 'times'> => (times === undefined ? {} : { times });
