import { DERIVED_TYPES, type EventDraft } from '../../../src/shared/events.ts';
import { isObject, type Json, text } from '../json.ts';

/** Types that make the tree (src/core/view/codes.ts): only they can be a leaf by being last. */
const CORE: ReadonlySet<string> = new Set([
  'message.user',
  'message.assistant',
  'message.thinking',
  'tool.call',
  'tool.result',
  'context.compacted',
]);
const SENT = 1;
const IN_TREE = 2;
const SUMMARY = 4;

/** Where a native record lies in the log. */
export interface Placed {
  /** its first event, and the one that its children hang on */
  start: number;
  end: number;
  ts: number | null;
  /** it is part of the conversation: being last, it says where the session goes on */
  chooses: boolean;
}

/** A call that has no result yet. */
export interface OpenCall {
  seq: number;
  name: string;
  args: unknown;
}

/**
 * What of a log is needed to go on with it, learned from its events alone, those of this capture and stored ones alike:
 * which record lies where, what hangs on what, what the agent would send, and which calls wait for a result.
 */
export class Graph {
  readonly records = new Map<string, Placed>();
  readonly calls = new Map<string, OpenCall>();
  /** by first event of a result: its call */
  readonly answered = new Map<number, string>();
  /** the last record, and the last one that says where the session goes on; -1 = none */
  last = -1;
  choice = -1;
  /** the session's start, on which roots hang: what hangs on nothing would be part of every branch */
  root = -1;
  /** prompts so far */
  prompts = 0;
  /** messages of the conversation so far */
  conversation = 0;
  readonly #parent: number[] = [];
  readonly #start: number[] = [];
  readonly #bits: number[] = [];
  readonly #type: string[] = [];
  readonly #keptFrom = new Map<number, number>();
  /** by first event of an edit of the context: the record that it edits, and the events that it puts in its place */
  readonly #edits = new Map<number, { of: number; by: readonly number[] }>();
  #lastCore = -1;
  #saidLeaf: number | null = null;

  /** Takes the next event of the log, in order. */
  add(seq: number, draft: EventDraft): void {
    const { type, payload, origin, parent_seq } = draft;
    const first = (origin?.part ?? 0) === 0;
    this.#parent[seq] = parent_seq ?? -1;
    this.#start[seq] = origin === null ? -1 : first ? seq : this.#start[seq - 1]!;
    this.#bits[seq] = bitsOf(draft);
    this.#type[seq] = type;
    if (type === 'session.start') this.root = seq;
    if (type === 'meta' && payload.key === 'leaf') this.#saidLeaf = Number(payload.value);
    if (CORE.has(type)) {
      this.#lastCore = seq;
      this.#saidLeaf = null;
      this.conversation++;
    }
    if (type === 'context.compacted' && isObject(payload.native))
      this.#keptFrom.set(seq, this.keptFrom(payload.native, parent_seq ?? -1));
    this.#call(seq, draft);
    if (origin !== null) this.#place(seq, draft, first);
  }

  #place(seq: number, { type, payload, origin, ts }: EventDraft, first: boolean): void {
    const key = keyOf(origin!.native_id, origin!.native_seq);
    let placed = first ? undefined : this.records.get(key);
    if (placed === undefined) {
      placed = { start: seq, end: seq, ts, chooses: false };
      this.records.set(key, placed);
    }
    if (DERIVED_TYPES.has(type)) return;
    placed.end = seq;
    placed.chooses ||= chooses(type, payload);
    const { edits } = payload;
    if (type === 'meta' && isObject(edits) && typeof edits.of === 'number' && Array.isArray(edits.by))
      this.#edits.set(seq, { of: edits.of, by: edits.by as number[] });
    this.touch(placed);
  }

  /** A record stands at the end of the file. */
  touch({ end, chooses }: Placed): void {
    this.last = end;
    if (chooses) this.choice = end;
  }

  #call(seq: number, { type, payload }: EventDraft): void {
    if (type === 'tool.call') this.#ask(seq, payload);
    else if (type === 'tool.result') {
      this.calls.delete(String(payload.call_id));
      this.answered.set(seq, String(payload.call_id));
    } else if (type === 'message.user') {
      this.calls.clear();
      this.prompts++;
    }
  }

  #ask(seq: number, { call_id, name, arguments: args, synthetic }: Record<string, unknown>): void {
    if (synthetic !== true) this.calls.set(String(call_id), { seq, name: text(name) ?? '', args });
  }

  typeOf(seq: number): string {
    return this.#type[seq] ?? '';
  }

  parentOf(seq: number): number {
    return this.#parent[seq] ?? -1;
  }

  /** First event of the record that an event belongs to. */
  startOf(seq: number): number {
    return this.#start[seq] ?? -1;
  }

  isSent(seq: number): boolean {
    return (this.#bits[seq]! & SENT) !== 0;
  }

  /** Whether an event lies on the path that ends with `leaf`. */
  isOn(seq: number, leaf: number): boolean {
    let at = leaf;
    while (at > seq) at = this.parentOf(at);
    return at === seq;
  }

  /** Nearest event at or above that is part of the tree, -1 = none. */
  core(seq: number): number {
    let at = seq;
    while (at >= 0 && !(this.#bits[at]! & IN_TREE)) at = this.parentOf(at);
    return at;
  }

  /** Where the session goes on, when that is not what the log shows by itself (its last conversation event). */
  unsaidLeaf(): number | null {
    const assumed = this.#saidLeaf ?? this.#lastCore;
    return this.choice < 0 || this.core(this.choice) === this.core(assumed) ? null : this.choice;
  }

  /**
   * What the agent sends of the path that ends with `leaf`, from the event `from` on, summaries left out. An edit on the path
   * puts its own events in the place of what it edits, the last one wins; `edits` takes those that were met.
   */
  path(leaf: number, from: number, edits: Map<number, readonly number[]> = new Map()): number[] {
    const seqs: number[] = [];
    for (let at = leaf; at >= from && at >= 0; at = this.parentOf(at)) {
      const start = this.startOf(at);
      const made = this.#edits.get(start);
      if (made !== undefined) {
        if (!edits.has(made.of)) edits.set(made.of, made.by);
        continue;
      }
      const edit = edits.get(start);
      if (edit === undefined) {
        if (this.isSent(at) && !(this.#bits[at]! & SUMMARY)) seqs.push(at);
      } else if (at === start) seqs.push(...edit.toReversed());
    }
    return seqs.reverse();
  }

  /** The whole context at `leaf`: the last summary with what it kept, and what came after it. */
  context(leaf: number): number[] {
    let compaction = leaf;
    while (compaction >= 0 && !(this.#bits[compaction]! & SUMMARY && this.isSent(compaction)))
      compaction = this.parentOf(compaction);
    const edits = new Map<number, readonly number[]>();
    const after = this.path(leaf, compaction + 1, edits);
    if (compaction < 0) return after;
    const from = this.#keptFrom.get(compaction) ?? compaction;
    return [compaction, ...this.path(this.parentOf(compaction), from, edits), ...after];
  }

  /**
   * First event that a compaction keeps of the path that ends with `leaf`: of the entry `firstKeptEntryId`, in version 1 of the
   * line `firstKeptEntryIndex` (the header is 0). Behind the path when that entry is not on it: then nothing is kept.
   */
  keptFrom({ firstKeptEntryId: id, firstKeptEntryIndex: index }: Json, leaf: number): number {
    const key = text(id) ?? (typeof index === 'number' && index > 0 ? keyOf(null, index) : undefined);
    const start = key === undefined ? undefined : this.records.get(key)?.start;
    return start !== undefined && this.isOn(start, leaf) ? start : leaf + 1;
  }
}

/** By what a record is known: its id, or its line where it has none (version 1). */
export function keyOf(id: string | null, line: number): string {
  return id ?? `\n${line}`;
}

function bitsOf({ type, payload }: EventDraft): number {
  if (type === 'message.system') return payload.to_model === true ? SENT : 0;
  if (!CORE.has(type)) return 0;
  if (type === 'context.compacted') return IN_TREE | SUMMARY | (payload.edit === true ? 0 : SENT);
  return IN_TREE | (payload.synthetic === true ? 0 : SENT);
}

function chooses(type: string, payload: Record<string, unknown>): boolean {
  if (CORE.has(type)) return true;
  if (type === 'message.system') return payload.about !== 'instructions';
  return type === 'meta' && payload.edits !== undefined;
}
