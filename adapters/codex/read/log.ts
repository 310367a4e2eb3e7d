import type { ContentBlock, EventDraft, EventType, MessageUser, Origin, Warning } from '../../../src/shared/events.ts';
import type { SessionSink } from '../../contract.ts';

const AGENT = 'codex';
export const ACTOR = 'agent:codex';
const NO_REFS: string[] = [];

/** Where a native record stands. */
export interface Place {
  /** number of the line, from 0 */
  line: number;
  /** its own time as written, any JSON value */
  time: unknown;
  redacted: boolean;
}

/** A prompt: what it hangs on, by what a compaction knows it again, and the prompt before it on the same path (-1 = none). */
type Prompt = [seq: number, before: number, key: string, previous: number];

/** What of a log must survive between two captures. JSON. */
export interface LogState {
  parent: number;
  start: number;
  /** all prompts in order, those of dead branches too */
  prompts: Prompt[];
  /** index of the last prompt of the active path, -1 = none */
  top: number;
  /** group of the answer that is being read, null between answers */
  response: string | null;
}

/** Types that make the tree: the others hang on it and are no one's parent. */
const CORE: ReadonlySet<string> = new Set([
  'message.user',
  'message.system',
  'message.assistant',
  'message.thinking',
  'tool.call',
  'tool.result',
  'context.compacted',
]);

/** Writes one thread's events: numbers, parents, times, origins. Knows nothing of what records mean. */
export class ThreadLog {
  readonly sink: SessionSink;
  readonly state: LogState;
  /** name of the file that is being read and a short tag for it, where it is not the thread's first; its thread, where another */
  source: { file?: string; thread?: string; tag?: string } = {};
  #place: Place = { line: 0, time: null, redacted: false };
  #ts: number | null = null;
  #nativeTs: string | number | undefined;
  #part = 0;
  #id: string | null = null;
  /** events of the tree with their lines, by file, for a file that goes on from the middle of another */
  /** set while more files of the thread follow */
  marking = false;
  readonly #marks = new Map<string, [line: number, seq: number][]>();

  constructor(sink: SessionSink, state?: LogState) {
    this.sink = sink;
    this.state = state ?? { parent: -1, start: -1, prompts: [], top: -1, response: null };
  }

  get ts(): number | null {
    return this.#ts;
  }

  get place(): Place {
    return this.#place;
  }

  /** Turns to the next record. `id`: its own id, where it has one. */
  begin(place: Place, id: string | null): void {
    this.#place = place;
    this.#part = 0;
    this.#id = id;
    this.#nativeTs = undefined;
    this.#ts = null;
    const { time } = place;
    if (typeof time !== 'string') return;
    const ms = Date.parse(time);
    if (Number.isNaN(ms)) {
      this.#nativeTs = time;
      this.warn('bad-timestamp', 'The time of this record cannot be read; it is shown without one.');
      return;
    }
    this.#ts = ms / 1000;
    if (new Date(ms).toISOString() !== time) this.#nativeTs = time;
  }

  /** Appends an event of the current record and returns its number. */
  put(type: EventType, actor: string, payload: object, refs: string[] = NO_REFS): number {
    const { parent } = this.state;
    const draft: EventDraft = {
      ts: this.#ts,
      agent: AGENT,
      actor,
      type,
      level: 1,
      payload: payload as Record<string, unknown>,
      refs,
      parent_seq: parent < 0 ? null : parent,
      origin: this.#origin(),
    };
    const first = this.#part++ === 0 && this.#place.redacted;
    const seq = first ? this.sink.event(draft, 1) : this.sink.event(draft);
    if (CORE.has(type)) {
      this.state.parent = seq;
      if (this.marking) this.#mark(this.source.file ?? '', this.#place.line, seq);
    }
    return seq;
  }

  /** A prompt of the person; `key` stands for its text. */
  prompt(payload: MessageUser, key: string): number {
    const before = this.state.parent;
    const seq = this.put('message.user', 'user', payload);
    this.state.top = this.state.prompts.push([seq, before, key, this.state.top]) - 1;
    return seq;
  }

  /** Writes events of an earlier record, as if it were read now. */
  aside(place: Place, id: string | null, write: () => void): void {
    const [now, part, nowId] = [this.#place, this.#part, this.#id];
    this.begin(place, id);
    write();
    this.begin(now, nowId);
    this.#part = part;
  }

  meta(key: string, value: unknown): number {
    return this.put('meta', 'system', { key, value });
  }

  system(
    content: ContentBlock[],
    about: string,
    toModel: boolean,
    role: 'user' | 'developer' | 'system' = 'user',
  ): number {
    return this.put('message.system', 'system', { content, role, about, ...(toModel ? { to_model: true } : {}) });
  }

  warn(about: string, detail: string, more: Partial<Warning> = {}): void {
    this.sink.warning({ about, detail, line: this.#place.line + 1, ...this.#file(), ...more });
  }

  #file(): { file?: string } {
    return this.source.file === undefined ? {} : { file: this.source.file };
  }

  /** Group of the answer that is being read; a new one after a prompt or a result. */
  response(): string {
    this.state.response ??= `${this.source.tag ?? ''}r${this.#place.line}`;
    return this.state.response;
  }

  endResponse(): void {
    this.state.response = null;
  }

  /** Prompts of the active path, newest first. */
  *path(): Generator<Prompt> {
    for (let at = this.state.top; at >= 0; at = this.state.prompts[at]![3]) yield this.state.prompts[at]!;
  }

  /** Goes back before the n-th last prompt; what comes next hangs there. False = there are not so many prompts. */
  rollback(turns: number): boolean {
    const dropped = this.path().take(Math.max(0, turns)).toArray();
    const last = dropped.at(-1);
    if (last !== undefined) this.#return(last[1], last[3]);
    return dropped.length === turns;
  }

  #mark(file: string, line: number, seq: number): void {
    const marks = this.#marks.get(file);
    if (marks === undefined) this.#marks.set(file, [[line, seq]]);
    else marks.push([line, seq]);
  }

  /** Learns the lines of events that an earlier capture stored. */
  async recall(): Promise<void> {
    this.#marks.clear();
    for await (const { type, origin, seq } of this.sink.stored()) {
      if (CORE.has(type) && origin !== null) this.#mark(origin.source ?? '', origin.native_seq, seq);
    }
  }

  /** Goes back to where the thread stood before `line` of `file` ('' = the first file). */
  returnTo(file: string, line: number): void {
    const seq = this.#marks.get(file)?.findLast(([at]) => at < line)?.[1] ?? -1;
    this.#return(
      seq,
      this.state.prompts.findLastIndex(([prompt]) => prompt <= seq),
    );
  }

  #return(parent: number, top: number): void {
    this.state.parent = parent;
    this.state.top = top;
    this.endResponse();
    this.meta('leaf', parent < 0 ? this.state.start : parent);
  }

  #origin(): Origin {
    const origin: Origin = { agent: AGENT, native_id: this.#id, native_seq: this.#place.line };
    if (this.source.file !== undefined) origin.source = this.source.file;
    if (this.source.thread !== undefined) origin.session = this.source.thread;
    if (this.#part > 0) origin.part = this.#part;
    else if (this.#nativeTs !== undefined) origin.native_ts = this.#nativeTs;
    return origin;
  }
}
