import type { EventDraft, EventType, Origin, Warning } from '../../../src/shared/events.ts';
import type { SessionSink } from '../../contract.ts';

const AGENT = 'hermes';
export const ACTOR = 'agent:hermes';

/** Types that make the tree: the others hang on it and are no one's parent. */
const TREE: ReadonlySet<string> = new Set([
  'message.user',
  'message.system',
  'message.assistant',
  'message.thinking',
  'tool.call',
  'tool.result',
  'context.compacted',
]);

export const isTree = (type: string): boolean => TREE.has(type);
/** A harness note never chooses a branch (src/core/view/codes.ts). */
export const canBeLeaf = (type: string): boolean => TREE.has(type) && type !== 'message.system';

/** Where an event belongs: the row it comes from, null = the session's own row. */
export interface Place {
  row: number | null;
  /** changes with the row's content */
  version?: string;
  time: unknown;
  redacted: boolean;
  parent: number | null;
  /** the row is stored already, as it was before */
  again?: boolean;
  /** session that the row was copied from */
  from?: string | undefined;
}

const SESSION_ROW: Place = { row: null, time: null, redacted: false, parent: null };

/** Writes the events of a session: numbers, parents, times, origins. Knows nothing of what rows mean. */
export class SessionLog {
  readonly sink: SessionSink;
  #place: Place = SESSION_ROW;
  #ts: number | null = null;
  #part = 0;
  #tip: number | null = null;
  #leaf: number | null = null;
  #response = '';

  constructor(sink: SessionSink) {
    this.sink = sink;
  }

  /** Turns to the next row; its first event hangs on `place.parent`, each further one on the one before. */
  begin(place: Place): void {
    this.#place = place;
    this.#part = 0;
    this.#tip = place.parent;
    this.#leaf = null;
    // Events of one response stand and fall together, so a row that is written again is another one.
    this.#response = `row-${place.row}${place.again === true ? `-${this.sink.next}` : ''}`;
    this.#ts = secondsOf(place.time);
    if (place.time !== null && place.time !== undefined && this.#ts !== place.time)
      this.warn('bad-timestamp', 'The time of this message is not the number of seconds that Hermes writes.', {
        field: 'timestamp',
      });
  }

  /** Turns to what comes from the session's own row. */
  own(time: unknown = null): void {
    this.#place = SESSION_ROW;
    this.#part = 0;
    this.#tip = null;
    this.#leaf = null;
    this.#ts = secondsOf(time);
  }

  /** Id of the row, 0 for the session's own. */
  get row(): number {
    return this.#place.row ?? 0;
  }

  /** Names the answer that the row holds. */
  get response(): string {
    return this.#response;
  }

  /** Newest event of the tree in this row, else what the row hangs on. */
  get tip(): number | null {
    return this.#tip;
  }

  /** Newest event in this row that can be a leaf. */
  get leaf(): number | null {
    return this.#leaf;
  }

  put(type: EventType, actor: string, payload: object, refs: string[] = []): number {
    const draft: EventDraft = {
      ts: this.#ts,
      agent: AGENT,
      actor,
      type,
      level: 1,
      payload: payload as Record<string, unknown>,
      refs,
      parent_seq: this.#tip,
      origin: this.#origin(),
    };
    const first = this.#part++ === 0 && this.#place.redacted;
    const seq = first ? this.sink.event(draft, 1) : this.sink.event(draft);
    if (TREE.has(type)) this.#tip = seq;
    if (canBeLeaf(type)) this.#leaf = seq;
    return seq;
  }

  meta(key: string, value: unknown, actor = 'system'): number {
    return this.put('meta', actor, { key, value });
  }

  /** `line` is the row's id: that is how its place is named. */
  warn(about: string, detail: string, more: Partial<Warning> = {}): void {
    const { row } = this.#place;
    this.sink.warning({ about, detail, ...(row === null ? {} : { line: row }), ...more });
  }

  #origin(): Origin {
    const { row, time, version, from } = this.#place;
    const origin: Origin = { agent: AGENT, native_id: row === null ? null : String(row), native_seq: row ?? 0 };
    if (from !== undefined) origin.session = from;
    if (this.#part > 0) origin.part = this.#part;
    else {
      if (version !== undefined) origin.version = version;
      if (row !== null && this.#ts !== time && (typeof time === 'string' || typeof time === 'number'))
        origin.native_ts = time;
    }
    return origin;
  }
}

/** Seconds of a stored time: seconds as Hermes writes them, or milliseconds or text as others do. null = no time. */
export function secondsOf(time: unknown): number | null {
  if (typeof time === 'number' && Number.isFinite(time)) return time > 1e11 ? time / 1000 : time;
  if (typeof time !== 'string') return null;
  const ms = Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(time) ? time : `${time}Z`);
  return Number.isNaN(ms) ? null : ms / 1000;
}
