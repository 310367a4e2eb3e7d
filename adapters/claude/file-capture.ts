import type { Warning } from '../../src/shared/events.ts';
import type { NativeParent, NativeSource, SessionRef } from '../contract.ts';
import { type Fork, forkOf } from './forks.ts';
import { isChain, mapRecord, type Outcome } from './map-record.ts';
import { defaultsOf } from './native.ts';
import { isObject, type Json, type NativeRecord, setOwn, text, word } from './record.ts';
import { AHEAD, Reorder, type Waiting } from './reorder.ts';
import { SessionState, type Setting } from './state.ts';
import { readTime } from './time.ts';

/** Sums of one capture. */
export interface Sums {
  records: number;
  mapped: number;
  unknown: Record<string, number>;
  declared: Record<string, number>;
  unreadable: number;
}

/** Damage of a file that is told line by line. */
const MAX_WARNINGS = 20;

/**
 * Takes the records of one file in order and gives each to its session: the file's own, or one of a sub-agent whose
 * lines stand in the same file (1.0). Begins a session only when there is conversation.
 */
export class FileCapture {
  sums: Sums = noSums();
  /** warnings of files that have no session to keep them */
  warnings: Warning[] = [];
  /** the file is read again from its start, since it was replaced */
  again = false;
  readonly setting: Setting;
  readonly source: NativeSource;
  /** the file's own session */
  main: SessionState | undefined;
  /** sessions of sub-agents in the same file, by part */
  readonly sides = new Map<string, SessionState>();
  /** sidechain lines that no call explains: an inactive part of the main log */
  loose: SessionState | undefined;
  private ahead: Waiting[] = [];
  private fork: Fork | undefined;
  private readonly order = new Reorder(
    (record) => this.isPlaced(record),
    (waiting) => this.apply(waiting),
  );
  private readonly parent: NativeParent | undefined;

  constructor(source: NativeSource, setting: Setting, parent: NativeParent | undefined) {
    this.source = source;
    this.setting = setting;
    this.parent = parent;
  }

  /** Takes the next record. `line` counts from 0. */
  take(value: unknown, line: number, redactions: number): void {
    this.sums.records++;
    if (!isObject(value)) {
      this.sums.unreadable++;
      this.warn({ about: 'malformed-line', detail: 'The line is JSON, but no record.', line: line + 1 });
      return;
    }
    const waiting = { record: value, line, redactions };
    if (this.main === undefined) {
      this.ahead.push(waiting);
      if (this.mayBegin(waiting)) this.begin();
    } else this.order.take(waiting);
  }

  /** A physical line is damaged. `lost` = a record of it could not be read. */
  damaged(warning: Warning, lost: boolean): void {
    if (lost) this.lost();
    this.warn(warning);
  }

  /** A record cannot be read. */
  lost(): void {
    this.sums.records++;
    this.sums.unreadable++;
  }

  /** Passes over records of a file that is left out whole. */
  skip(kind: string, records: number): void {
    this.sums.records += records;
    for (let i = 0; i < records; i++) count(this.sums.declared, kind);
  }

  private warn(warning: Warning): void {
    if (this.main === undefined) this.note(warning);
    else this.main.log.sink.warning(warning);
  }

  /** A file that is no session at all has damage on each of its lines: the first are told, the rest counted. */
  private note(warning: Warning): void {
    const last = this.warnings.findLast(({ about }) => about === warning.about);
    if (last === undefined || this.warnings.length < MAX_WARNINGS) this.warnings.push(warning);
    else last.count = (last.count ?? 1) + 1;
  }

  /** All was read. Gives up waiting; false when the file holds no conversation and nothing was written. */
  finish(): boolean {
    const damaged = this.warnings.length > 0 && this.ahead.some(({ record }) => isChain(record));
    if (this.main === undefined && (damaged || this.ahead.some(({ record }) => worthASession(record)))) this.begin();
    if (this.main === undefined) {
      for (const { record } of this.ahead) count(this.sums.declared, `no-conversation:${word(record.type)}`);
      return false;
    }
    this.order.release(true);
    return true;
  }

  /** An empty state for a session that is stored already, to be filled from its events. */
  resume(part: string | undefined): SessionState {
    const ref = this.refOf(part);
    const state = new SessionState(ref, this.setting);
    if (part === undefined) this.main = state;
    else this.sides.set(part, state);
    return state;
  }

  private refOf(part: string | undefined): SessionRef {
    const { native_id } = this.source;
    if (part !== undefined) return { native_id, part, parent: { kind: 'subagent', native_id } };
    return this.parent === undefined ? { native_id } : { native_id, parent: this.parent };
  }

  /** All that is stored is a copy that begins with the record `first`; more of it may come. */
  copyGoesOn(first: string): void {
    this.fork = forkOf(this.source, [{ record: { uuid: first } }]);
    if (this.main !== undefined) this.main.log.fork = this.fork;
  }

  /** Nothing of the session was stored. */
  forget(): void {
    this.main = undefined;
    this.sides.clear();
  }

  /**
   * Prepares for the next capture of the same file: new sums, new sinks. False when the log is not as this state left
   * it, so that the state must be built again.
   */
  renew(setting: Setting): boolean {
    this.sums = noSums();
    this.warnings = [];
    Object.assign(this.setting, setting);
    const states = [...this.sessions()];
    const as = states.every((state) => state.log.renew(setting.sink.session(state.ref)));
    if (this.main !== undefined) this.loose?.log.renew(this.main.log.sink);
    return as;
  }

  /** All sessions that were written to. */
  *sessions(): Iterable<SessionState> {
    if (this.main !== undefined) yield this.main;
    yield* this.sides.values();
  }

  /** A root of the chain and an answer were seen (which tells a fork), or enough of anything. */
  private mayBegin({ record }: Waiting): boolean {
    if (this.ahead.length >= AHEAD && this.ahead.some((one) => worthASession(one.record))) return true;
    return record.type === 'assistant' && this.ahead.some((one) => isRoot(one.record));
  }

  private begin(): void {
    const first =
      this.ahead.find(({ record }) => isChain(record) && isRoot(record)) ??
      this.ahead.find(({ record }) => isChain(record));
    const { native_id } = this.source;
    if (!this.parent) this.fork = forkOf(this.source, this.ahead);
    const parent: NativeParent | undefined = this.fork ? { kind: 'fork', native_id: this.fork.parent } : this.parent;
    this.main = this.session(parent === undefined ? { native_id } : { native_id, parent }, first?.record ?? {});
    // one that was handed over says where it comes from already
    if (this.main.log.sink.next === 1) this.fork?.put(this.main.log, this.setting.sink);
    for (const warning of this.warnings) this.main.log.sink.warning(warning);
    this.warnings = [];
    const { ahead } = this;
    this.ahead = [];
    for (const waiting of ahead) this.order.take(waiting);
  }

  /** Begins a session: its first event holds what most records repeat. */
  private session(ref: SessionRef, first: NativeRecord): SessionState {
    const state = new SessionState(ref, this.setting);
    const { log } = state;
    log.fork = this.fork;
    const defaults = defaultsOf(first);
    log.defaults = defaults;
    const payload: Json = {};
    const version = text(first.version);
    if (version !== undefined) payload.agent_version = version;
    payload.cwd = this.firstCwd(first) ?? null;
    const branch = text(first.gitBranch);
    if (branch !== undefined) payload.git_branch = branch;
    payload.native = defaults;
    if (ref.parent !== undefined) payload.native_parent = ref.parent.native_id;
    log.aside({ type: 'session.start', actor: 'system', level: 1, payload }, -1, readTime(first.timestamp).ts);
    return state;
  }

  private firstCwd(first: NativeRecord): string | undefined {
    const own = text(first.cwd);
    if (own !== undefined) return own;
    for (const { record } of this.ahead) if (text(record.cwd) !== undefined) return text(record.cwd);
    return undefined;
  }

  private isPlaced(record: NativeRecord): boolean {
    const { parentUuid } = record;
    if (typeof parentUuid !== 'string' || !isChain(record)) return true;
    return this.stateWith(parentUuid) !== undefined;
  }

  private apply({ record, line, redactions }: Waiting): void {
    const state = this.stateFor(record);
    if (this.again && this.isKnown(state, record)) {
      count(this.sums.declared, 'seen-before');
      return;
    }
    this.tally(mapRecord(state, record, line, redactions));
    if (state === this.loose && this.main !== undefined)
      this.main.log.graph.lastCore = Math.max(this.main.log.graph.lastCore, state.log.graph.lastCore);
  }

  private tally(outcome: Outcome | undefined): void {
    if (outcome === undefined) this.sums.unreadable++;
    else if ('mapped' in outcome) this.sums.mapped++;
    else if ('unknown' in outcome) count(this.sums.unknown, outcome.unknown);
    else count(this.sums.declared, outcome.declared);
  }

  /** While a file is read again: whether a record is in the log. State lines count as such until something is new. */
  private isKnown(state: SessionState, record: NativeRecord): boolean {
    if (!isChain(record)) return true;
    const known = typeof record.uuid === 'string' && state.log.graph.byUuid.get(record.uuid) !== undefined;
    if (!known) this.again = false;
    return known;
  }

  private stateWith(uuid: string): SessionState | undefined {
    if (this.main?.log.graph.byUuid.get(uuid) !== undefined) return this.main;
    for (const side of this.sides.values()) if (side.log.graph.byUuid.get(uuid) !== undefined) return side;
    return this.loose?.log.graph.byUuid.get(uuid) === undefined ? undefined : this.loose;
  }

  /** The session a record belongs to. In a sub-agent's own file all lines are sidechain lines, and its own. */
  private stateFor(record: NativeRecord): SessionState {
    const main = this.main as SessionState;
    if (record.isSidechain !== true || main.log.defaults.isSidechain === true) return main;
    const { parentUuid } = record;
    if (typeof parentUuid === 'string') return this.stateWith(parentUuid) ?? this.looseState();
    const callId = record.type === 'user' ? this.callThatAsked(record) : undefined;
    const part = text(record.uuid);
    if (callId === undefined || part === undefined) return this.looseState();
    const { native_id } = this.source;
    const side = this.session({ native_id, part, parent: { kind: 'subagent', native_id, call_id: callId } }, record);
    this.sides.set(part, side);
    this.linked.add(callId);
    return side;
  }

  /** calls whose sub-agent has been found in this file */
  private readonly linked = new Set<string>();

  /** The oldest open call with the prompt that a sidechain begins with. */
  private callThatAsked(record: NativeRecord): string | undefined {
    const main = this.main as SessionState;
    const asked = isObject(record.message) ? record.message.content : undefined;
    for (const [id, call] of main.calls.agents())
      if (!this.linked.has(id) && call.arguments.prompt === asked) return id;
    return undefined;
  }

  /** State of sidechain lines that stay in the main log. */
  looseState(): SessionState {
    const main = this.main as SessionState;
    if (this.loose === undefined) {
      this.loose = new SessionState(main.ref, this.setting, main.log.sink);
      this.loose.log.defaults = main.log.defaults;
    }
    return this.loose;
  }
}

function noSums(): Sums {
  return { records: 0, mapped: 0, unknown: {}, declared: {}, unreadable: 0 };
}

function count(into: Record<string, number>, kind: string): void {
  setOwn(into, kind, (Object.hasOwn(into, kind) ? (into[kind] as number) : 0) + 1);
}

function isRoot(record: NativeRecord): boolean {
  return isChain(record) && typeof record.parentUuid !== 'string' && record.type !== 'progress';
}

/** Conversation, or something that must not vanish silently. */
function worthASession(record: NativeRecord): boolean {
  return record.type === 'user' || (isChain(record) && isRoot(record));
}
