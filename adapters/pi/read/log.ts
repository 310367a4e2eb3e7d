import type { EventDraft, EventType, Origin, Warning } from '../../../src/shared/events.ts';
import type { SessionSink } from '../../contract.ts';
import type { StoreArtifact } from '../../io/cut-text.ts';
import { pack } from '../pack.ts';
import { Graph } from './graph.ts';

const AGENT = 'pi';
export const ACTOR = 'agent:pi';

/** Where a native record stands. */
export interface Place {
  /** number of the line, from 0 */
  line: number;
  /** its own time as written, any JSON value */
  time: unknown;
  id: string | null;
  /** event that it hangs on, -1 = a root */
  parent: number;
  redacted: boolean;
  /** id of the session that it was copied from */
  from: string | null;
}

/** Times that come back as they were for sure; the days that not every month has are looked at closely. */
const PLAIN_TIME = /^\d{4}-\d\d-(?:0[1-9]|1\d|2[0-8])T[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z$/;

const NOWHERE: Place = { line: 0, time: null, id: null, parent: -1, redacted: false, from: null };

/** Writes the events of one session: numbers, parents, times, origins. Knows nothing of what records mean. */
export class SessionLog {
  readonly graph = new Graph();
  sink: SessionSink;
  #store: StoreArtifact;
  #place = NOWHERE;
  #at = -1;
  #part = 0;
  #ts: number | null = null;
  #nativeTs: string | number | undefined;

  constructor(sink: SessionSink, store: StoreArtifact) {
    this.sink = sink;
    this.#store = store;
  }

  /** Learns what earlier captures stored. */
  async recall(): Promise<void> {
    for await (const event of this.sink.stored()) this.graph.add(event.seq, event);
  }

  /** Goes on in the sink of the next capture. False = the log is not as this state left it. */
  renew(sink: SessionSink, store: StoreArtifact): boolean {
    const left = this.sink.next;
    this.sink = sink;
    this.#store = store;
    return sink.next === left;
  }

  get place(): Place {
    return this.#place;
  }

  /** The event that the next one will hang on. */
  get at(): number {
    return this.#at;
  }

  begin(place: Place): void {
    this.#place = place;
    this.#at = place.parent;
    this.#part = 0;
    this.#nativeTs = undefined;
    this.#ts = null;
    const { time } = place;
    if (typeof time === 'number') {
      this.#nativeTs = time;
      if (Number.isFinite(time) && Math.abs(time) < 8.64e15) this.#ts = time / 1000;
    } else if (typeof time === 'string') {
      const ms = Date.parse(time);
      if (Number.isNaN(ms)) {
        this.#nativeTs = time;
        this.warn('bad-timestamp', 'The time of this record cannot be read; it is shown without one.');
      } else {
        this.#ts = ms / 1000;
        if (!PLAIN_TIME.test(time) && new Date(Math.round(this.#ts * 1000)).toISOString() !== time)
          this.#nativeTs = time;
      }
    }
  }

  /** Hangs what follows of the current record on another event. */
  moveTo(parent: number): void {
    this.#at = parent;
  }

  /** Appends an event of the current record, below the one before it, and returns its number. */
  put(type: EventType, actor: string, payload: object): number {
    this.#at = this.#append(type, actor, payload, []);
    return this.#at;
  }

  /** Appends an event that tells more about the last one: nothing hangs on it. */
  aside(type: EventType, actor: string, payload: object, refs: string[] = []): void {
    this.#append(type, actor, payload, refs);
  }

  meta(key: string, value: unknown, more: object = {}, actor = 'system'): number {
    return this.put('meta', actor, { key, value, ...more });
  }

  /** Says where the session goes on. */
  leaf(seq: number): void {
    const draft: EventDraft = {
      ts: null,
      agent: AGENT,
      actor: 'system',
      type: 'meta',
      level: 0,
      payload: { key: 'leaf', value: seq },
      refs: [],
      parent_seq: null,
      origin: null,
    };
    this.#take(draft, 0);
  }

  warn(about: string, detail: string, more: Partial<Warning> = {}): void {
    const warning = { about, detail, line: this.#place.line + 1, ...more };
    const seq = this.sink.next;
    this.sink.warning(warning);
    const skipped = {
      ts: null,
      agent: AGENT,
      actor: 'system',
      type: 'meta',
      level: 0,
      refs: [],
      parent_seq: null,
    } as const;
    // a warning is an event of the log too, kept by the sink
    for (let at = seq; at < this.sink.next; at++)
      this.graph.add(at, { ...skipped, refs: [], payload: { key: 'warning', value: warning }, origin: null });
  }

  /** Long texts of the `native` part become artifacts (rebuild.ts has the way back). */
  #append(type: EventType, actor: string, given: object, refs: string[]): number {
    const { native, ...payload } = given as Record<string, unknown>;
    const draft: EventDraft = {
      ts: this.#ts,
      agent: AGENT,
      actor,
      type,
      level: 1,
      payload: native === undefined ? payload : { ...payload, native: pack(native, this.#store) },
      refs,
      parent_seq: this.#at < 0 ? null : this.#at,
      origin: this.#origin(),
    };
    const redactions = this.#part++ === 0 && this.#place.redacted ? 1 : 0;
    return this.#take(draft, redactions);
  }

  #take(draft: EventDraft, redactions: number): number {
    const seq = redactions > 0 ? this.sink.event(draft, redactions) : this.sink.event(draft);
    this.graph.add(seq, draft);
    return seq;
  }

  #origin(): Origin {
    const { id, line, from } = this.#place;
    const origin: Origin = { agent: AGENT, native_id: id, native_seq: line };
    if (from !== null) origin.session = from;
    if (this.#part > 0) origin.part = this.#part;
    else if (this.#nativeTs !== undefined) origin.native_ts = this.#nativeTs;
    return origin;
  }
}
