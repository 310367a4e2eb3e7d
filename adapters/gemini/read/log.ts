import type { EventDraft, EventType, Origin, Warning } from '../../../src/shared/events.ts';
import type { SessionSink } from '../../contract.ts';
import type { Json } from './record.ts';

const AGENT = 'gemini';

/** Where a native record stands. */
export interface Place {
  /** number of the line, from 0; for a document that is written anew each time, the number of the writing */
  line: number;
  redacted: boolean;
}

/** An event as the reader makes it; its place in the tree is `parent`. */
export interface Entry {
  type: EventType;
  actor: string;
  payload: Json;
  /** seq, -1 = none */
  parent: number;
  /** id of the message, and its time as written */
  id?: string;
  time?: unknown;
  refs?: string[];
}

/** Types that make the tree for the views: the last of them is the leaf. */
export const CORE: ReadonlySet<string> = new Set([
  'message.user',
  'message.assistant',
  'message.thinking',
  'tool.call',
  'tool.result',
  'context.compacted',
]);

/** Writes one session's events: numbers, times, origins. Knows nothing of what records mean. */
export class SessionLog {
  readonly sink: SessionSink;
  #place: Place = { line: 0, redacted: false };
  #part = 0;
  /** the last time that was read: neighbours share it */
  #read: { time: string; ts: number | null; odd?: string } = { time: '', ts: null };

  constructor(sink: SessionSink) {
    this.sink = sink;
  }

  get place(): Place {
    return this.#place;
  }

  /** Turns to the next record; `again` = of the same line. */
  begin(place: Place, again: boolean): void {
    this.#place = place;
    if (!again) this.#part = 0;
  }

  put({ type, actor, payload, parent, id, time, refs }: Entry): number {
    const { ts, odd } = this.#time(time);
    const origin: Origin = { agent: AGENT, native_id: id ?? null, native_seq: this.#place.line };
    if (this.#part > 0) origin.part = this.#part;
    if (odd !== undefined) origin.native_ts = odd;
    const draft: EventDraft = {
      ts,
      agent: AGENT,
      actor,
      type,
      level: 1,
      payload,
      refs: refs ?? [],
      parent_seq: parent < 0 ? null : parent,
      origin,
    };
    const first = this.#part++ === 0 && this.#place.redacted;
    return first ? this.sink.event(draft, 1) : this.sink.event(draft);
  }

  /** Seconds, and the time as written where they do not give it back. */
  #time(time: unknown): { ts: number | null; odd?: string } {
    if (typeof time !== 'string') return { ts: null };
    if (time === this.#read.time) return this.#read;
    const ms = Date.parse(time);
    if (Number.isNaN(ms)) {
      this.warn('bad-timestamp', 'The time of this record cannot be read; it is shown without one.');
      return { ts: null, odd: time };
    }
    const ts = ms / 1000;
    this.#read = new Date(ms).toISOString() === time ? { time, ts } : { time, ts, odd: time };
    return this.#read;
  }

  warn(about: string, detail: string, more: Partial<Warning> = {}): void {
    this.sink.warning({ about, detail, line: this.#place.line + 1, ...more });
  }
}
