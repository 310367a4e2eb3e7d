import type { EventDraft, Origin } from '../../src/shared/events.ts';
import type { CaptureOutcome, CaptureSink, SessionSink } from '../contract.ts';
import type { CursorSession, Item, Json, Part } from './session.ts';
import { short } from './tools.ts';

/** What of a session was captured. JSON. */
export interface SessionState {
  /** messages of the active line: id, what they said, their last event, the last event that views take for a leaf */
  items: [id: string, facts: string, tail: number, core: number][];
  /** calls without a result so far, by id */
  calls: [id: string, seq: number][];
  start: number;
  leaf: number;
  title: string | null;
  warned: number;
}

type Sums = Pick<CaptureOutcome, 'records' | 'mapped' | 'unknown' | 'declared' | 'unreadable'>;

/** Writes what is new of a session to its log: rows change in place, so it is compared message by message. */
export class Recorder {
  readonly sums: Sums = { records: 0, mapped: 0, unknown: {}, declared: {}, unreadable: 0 };
  readonly #log: SessionSink;
  readonly #session: CursorSession;
  readonly #state: SessionState;
  #line = 0;
  #part = 0;
  #response: string | null = null;
  readonly #calls: Map<unknown, number>;

  constructor(sink: CaptureSink, session: CursorSession, state: SessionState | null) {
    const { id, parent } = session;
    this.#session = session;
    this.#log = sink.session({ native_id: id, ...(parent === null ? {} : { parent }) });
    this.#state = state ?? { items: [], calls: [], start: -1, leaf: -1, title: null, warned: 0 };
    this.#calls = new Map(this.#state.calls);
  }

  run(): SessionState {
    const { items, unreadable } = this.#session;
    const before = this.#state.items;
    if (this.#state.start < 0) this.#start();
    this.#facts();
    let same = true;
    this.#state.items = [];
    for (const [n, item] of items.entries()) {
      this.#line = n;
      this.#part = 0;
      const known = before[n];
      const facts = item.parts.map(({ fact }) => fact);
      same &&=
        known !== undefined &&
        known[0] === item.id &&
        known[1].split(' ').every((fact) => fact === '' || facts.includes(fact));
      if (same) this.#again(item, known!, n === before.length - 1);
      else this.#new(item, item.parts, this.#tail, this.#core, []);
    }
    this.#settle();
    this.#state.calls = [...this.#calls].map(([id, seq]) => [String(id), seq]);
    this.sums.records += unreadable;
    this.sums.unreadable += unreadable;
    this.#warn();
    return this.#state;
  }

  get #tail(): number {
    return this.#state.items.at(-1)?.[2] ?? this.#state.start;
  }

  get #core(): number {
    return this.#state.items.at(-1)?.[3] ?? -1;
  }

  #start(): void {
    const { cwd, started, native, parent } = this.#session;
    const payload = { cwd, native, ...(parent === null ? {} : { native_parent: parent.native_id }) };
    this.#state.start = this.#put('session.start', 'system', payload, -1, { ts: started });
  }

  #facts(): void {
    const { cwd, model, title } = this.#session;
    if (cwd !== null) this.#log.facts({ cwd, cwd_last: cwd });
    if (model !== null) this.#log.facts({ model });
    if (title === null || title.trim() === '' || title === this.#state.title) return;
    this.#state.title = title;
    this.#log.facts({ title: title.trim(), title_from: 'agent' });
  }

  /** A message that is known, perhaps with more in it now. Behind others that followed it, more of it comes too late to stand. */
  #again(item: Item, [, facts, tail, core]: SessionState['items'][number], last: boolean): void {
    const more = item.parts.filter(({ fact }) => !facts.split(' ').includes(fact));
    this.#response = responseAfter(item, this.#response);
    if (more.length > 0 && last) this.#new(item, more, tail, core, facts === '' ? [] : facts.split(' '));
    else {
      this.#state.items.push([item.id, facts, tail, core]);
      this.#count(item, 'captured before');
    }
  }

  #new(item: Item, parts: readonly Part[], tail: number, core: number, said: string[]): void {
    let [at, leaf] = [tail, core];
    this.#count(item, null);
    if (item.unknown !== undefined)
      this.#put('meta', 'system', { key: 'unknown', value: item.unknown.value }, at, item);
    for (const [n, part] of parts.entries()) {
      const payload: Json = { ...part.payload };
      if (n === 0 && said.length === 0 && item.native !== undefined) payload.native = item.native;
      if (part.type === 'message.user') this.#response = null;
      else if (ANSWER.has(part.type)) payload.response = this.#response ??= item.id;
      const seq = this.#put(part.type, part.actor, payload, at, item);
      at = seq;
      if (CORE_TYPES.has(part.type)) leaf = this.#state.leaf = seq;
      if (part.type === 'tool.call') this.#calls.set(payload.call_id, seq);
      if (part.type === 'tool.result') this.#derived(part, seq, item);
    }
    const facts = [...new Set([...said, ...parts.map(({ fact }) => fact)])].join(' ');
    this.#state.items.push([item.id, facts, at, leaf]);
    if (item.usage !== undefined)
      this.#put('meta', 'system', { key: 'usage', value: { response: item.id, ...item.usage } }, at, item);
    if (parts.some(({ type }) => type === 'tool.result')) this.#response = null;
  }

  #derived({ derived, payload }: Part, seq: number, item: Item): void {
    const call = this.#calls.get(payload.call_id);
    if (call === undefined) return;
    this.#calls.delete(payload.call_id);
    for (const one of derived ?? []) this.#put(one.type, 'agent:cursor', one.payload, seq, item, [`seq:${call}`]);
  }

  #count({ unknown }: Item, declared: string | null): void {
    this.sums.records++;
    if (declared !== null) this.sums.declared[declared] = (this.sums.declared[declared] ?? 0) + 1;
    else if (unknown === undefined) this.sums.mapped++;
    else this.sums.unknown[unknown.kind] = (this.sums.unknown[unknown.kind] ?? 0) + 1;
  }

  #settle(): void {
    if (this.#core === this.#state.leaf) return;
    this.#state.leaf = this.#core;
    this.#part = 0;
    this.#line = this.#session.items.length;
    this.#put('meta', 'system', { key: 'leaf', value: this.#tail }, this.#tail, { ts: null });
  }

  #warn(): void {
    const { warnings } = this.#session;
    for (const warning of warnings.slice(this.#state.warned)) this.#log.warning(warning);
    this.#state.warned = Math.max(this.#state.warned, warnings.length);
  }

  #put(
    type: string,
    actor: string,
    payload: object,
    parent: number,
    { ts, id }: { ts: number | null; id?: string },
    refs: string[] = [],
  ): number {
    const origin: Origin = { agent: 'cursor', native_id: id ?? null, native_seq: this.#line };
    if (this.#part > 0) origin.part = this.#part;
    this.#part++;
    const draft: EventDraft = {
      ts,
      agent: 'cursor',
      actor,
      type,
      level: 0,
      payload: payload as Json,
      refs,
      parent_seq: parent < 0 ? null : parent,
      origin,
    };
    return this.#log.event(draft);
  }
}

/** Types that views take for the leaf of a session. */
const CORE_TYPES: ReadonlySet<string> = new Set([
  'message.user',
  'message.assistant',
  'message.thinking',
  'tool.call',
  'tool.result',
]);

const ANSWER: ReadonlySet<string> = new Set(['message.assistant', 'message.thinking', 'tool.call']);

/** Answers are told apart by prompts and results. */
function responseAfter({ id, parts }: Item, open: string | null): string | null {
  if (parts.some(({ type }) => type === 'message.user' || type === 'tool.result')) return null;
  return parts.some(({ type }) => ANSWER.has(type)) ? (open ?? id) : open;
}

/** Version of a session's rows. */
export const digest = (...texts: string[]): string => short(texts.join('\0'));
