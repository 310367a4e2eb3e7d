import type { EventDraft, EventType, Origin, Warning } from '../../src/shared/events.ts';
import type { SessionSink } from '../contract.ts';
import type { Fork } from './forks.ts';
import { EVENT, EventGraph } from './graph.ts';
import { ResponseGroups } from './groups.ts';
import { Usual } from './native.ts';
import type { Json, NativeRecord } from './record.ts';
import { readTime } from './time.ts';

export const AGENT = 'claude';
export const ACTOR = 'agent:claude';
const NO_REFS: string[] = [];

/** The native record that is being mapped, and where its events go. */
export interface Current {
  record: NativeRecord;
  /** number of the line in the file, from 0 */
  line: number;
  uuid: string | null;
  ts: number | null;
  native_ts: string | number | undefined;
  /** what the next event hangs on; -1 = nothing */
  parent: number;
  part: number;
  /** first and last event, -1 = none yet */
  first: number;
  last: number;
  redactions: number;
  /** session that the record was copied from */
  from: string | undefined;
}

export interface Draft {
  type: EventType;
  actor: string;
  level: 0 | 1 | 2;
  payload: Json;
  refs?: string[];
  /** EVENT bits beside those that follow from the type */
  kind?: number;
}

const CORE_TYPES = new Set<string>([
  'message.user',
  'message.assistant',
  'message.thinking',
  'tool.call',
  'tool.result',
  'context.compacted',
]);

/** The EVENT bits that follow from a type. What can be the leaf is the same list as in src/core/view. */
export function typeKind(type: string): number {
  if (CORE_TYPES.has(type)) return EVENT.CORE;
  return type === 'message.system' ? EVENT.NOTE : 0;
}

/** Writes one session's events: numbers, parents, origins. Knows nothing of what records mean. */
export class SessionLog {
  sink: SessionSink;
  readonly graph = new EventGraph();
  readonly groups = new ResponseGroups();
  /** envelope fields that most records repeat, kept once in session.start */
  private repeated: Json = {};
  private readonly usuals = new Map<ReadonlySet<string>, Usual>();
  current: Current;
  /** tells which records are copies of another session's */
  fork: Fork | undefined;
  /** type of the last conversation event, or `interrupted`: tells whether a turn is under way */
  lastType = '';

  constructor(sink: SessionSink) {
    this.sink = sink;
    this.current = this.nothing();
  }

  private nothing(): Current {
    const none = { uuid: null, ts: null, native_ts: undefined, from: undefined };
    return { record: {}, line: -1, ...none, parent: -1, part: 0, first: -1, last: -1, redactions: 0 };
  }

  get defaults(): Json {
    return this.repeated;
  }

  set defaults(defaults: Json) {
    this.repeated = defaults;
    this.usuals.clear();
  }

  /** What needs no keeping of a record of which the fields `handled` are mapped. */
  usual(handled: ReadonlySet<string>): Usual {
    let usual = this.usuals.get(handled);
    if (usual === undefined) {
      usual = new Usual(handled, this.repeated);
      this.usuals.set(handled, usual);
    }
    return usual;
  }

  /** Goes on with another sink of the same log. False when the log has not the events that were written last. */
  renew(sink: SessionSink): boolean {
    const same = sink.next === this.sink.next;
    this.sink = sink;
    this.current = this.nothing();
    return same;
  }

  /** Turns to the next record. Its events hang on `parent` (-1 = nothing), each on the one before it. */
  begin(record: NativeRecord, line: number, parent: number, redactions: number): void {
    const { ts, native_ts, bad } = readTime(record.timestamp);
    const { current } = this;
    current.record = record;
    current.line = line;
    current.uuid = typeof record.uuid === 'string' && record.uuid !== '' ? record.uuid : null;
    current.ts = ts;
    current.native_ts = native_ts;
    current.parent = parent;
    current.part = 0;
    current.first = -1;
    current.last = -1;
    current.redactions = redactions;
    current.from = this.fork?.of(record);
    if (bad) this.warn('bad-timestamp', 'The time of this record cannot be read. It is shown without one.');
  }

  /** Appends an event of the current record to its chain. */
  put(draft: Draft): number {
    const { current } = this;
    const seq = this.append(draft, current.parent, this.origin());
    const same = current.first >= 0 && current.parent === current.last ? EVENT.SAME_RECORD : 0;
    this.graph.add(seq, current.parent, (draft.kind ?? 0) | typeKind(draft.type) | same);
    if (current.first < 0) current.first = seq;
    current.part++;
    current.parent = seq;
    current.last = seq;
    return seq;
  }

  /** Appends an event that is no record's own: derived, or a fact about the session. */
  aside(draft: Draft, parent: number, ts: number | null = this.current.ts): number {
    const seq = this.append(draft, parent, null, ts);
    this.graph.add(seq, parent, (draft.kind ?? 0) | typeKind(draft.type));
    return seq;
  }

  warn(about: string, detail: string, more: Partial<Warning> = {}): void {
    const line = this.current.line >= 0 ? { line: this.current.line + 1 } : {};
    this.sink.warning({ about, detail, ...line, ...more });
  }

  private origin(): Origin {
    const { uuid, line, native_ts, part, from } = this.current;
    const origin: Origin = { agent: AGENT, native_id: uuid, native_seq: line };
    if (native_ts !== undefined && part === 0) origin.native_ts = native_ts;
    if (part > 0) origin.part = part;
    if (from !== undefined) origin.session = from;
    return origin;
  }

  private append(draft: Draft, parent: number, origin: Origin | null, ts = this.current.ts): number {
    if (CORE_TYPES.has(draft.type)) this.lastType = draft.type;
    const event: EventDraft = {
      actor: draft.actor,
      agent: AGENT,
      level: draft.level,
      origin,
      parent_seq: parent < 0 ? null : parent,
      payload: draft.payload,
      refs: draft.refs ?? NO_REFS,
      ts,
      type: draft.type,
    };
    const { redactions } = this.current;
    if (redactions === 0 || origin === null) return this.sink.event(event);
    this.current.redactions = 0;
    return this.sink.event(event, redactions);
  }
}
