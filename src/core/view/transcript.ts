import { CODE, CORE, OTHER_TYPE } from './codes.ts';
import { FLAG, MARK, MARK_MASK, type SessionIndex } from './flags.ts';
import { takesResults } from './tree.ts';

/** Kinds of display rows; the numbers are private to a plan. */
export const ROW = { prompt: 0, text: 1, thinking: 2, tools: 3, rule: 4, system: 5, unknown: 6, warning: 7 } as const;

/** Events that one row can hold: calls of a tool group, unknown records. */
const GROUP = 40;
/** How many tool groups back a result may look for an unanswered call. */
const LOOK_BACK = 8;

/**
 * Which events make which display row, from columns alone. Rows follow the log over all branches. Appended events only
 * add rows, or extend the last group of their kind, so a plan is extended and never made anew.
 *
 * Calls form one group until a prompt, a text, readable thinking or a mark stands between; results go to the group of
 * their call wherever they stand, derived events to that of the call they come from.
 */
export class RowPlan {
  /** number of events planned so far */
  n = 0;
  kind: Uint8Array = new Uint8Array(256);
  /** first and last event of each row */
  first: Int32Array = new Int32Array(256);
  last: Int32Array = new Int32Array(256);
  /** number of the turn each row belongs to, 0 before the first prompt */
  turn: Int32Array = new Int32Array(256);
  /** row that shows each event; for hidden ones the row before */
  rowOf: Int32Array = new Int32Array(256);
  rows = 0;
  readonly prompts: number[] = [];
  readonly replies: number[] = [];
  readonly tools: number[] = [];
  readonly errors: number[] = [];
  #calls: Int32Array = new Int32Array(256);
  #pending: Int32Array = new Int32Array(256);
  #anchor: Int32Array = new Int32Array(256);
  #turn = 0;
  #openTools = -1;
  #openThinking = -1;
  #openUnknown = -1;

  /** Takes the events that the index has beyond `n`. */
  extend(index: SessionIndex): this {
    this.rowOf = sized(this.rowOf, index.n);
    this.#anchor = sized(this.#anchor, index.n);
    for (let seq = this.n; seq < index.n; seq++) {
      const code = index.type[seq]!;
      const parent = index.parent[seq]!;
      const above = parent >= 0 && parent < seq ? this.#anchor[parent]! : -1;
      this.#anchor[seq] = CORE[code] ? seq : above;
      this.rowOf[seq] = this.#place(index, seq, code, index.flags[seq]!, above);
    }
    this.n = index.n;
    return this;
  }

  #place(index: SessionIndex, seq: number, code: number, flags: number, above: number): number {
    switch (code) {
      case CODE.user:
        return this.#prompt(seq, flags);
      case CODE.assistant:
        return this.#text(seq, flags);
      case CODE.thinking:
        return this.#thinking(seq, flags);
      case CODE.call:
        return this.#call(seq);
      case CODE.result:
        return this.#result(index, seq, flags, above);
      case CODE.system:
      case CODE.decision:
      case CODE.memory:
        return this.#row(ROW.system, seq);
      case OTHER_TYPE:
        return this.#unknown(seq);
      case CODE.meta:
        if ((flags & MARK_MASK) === MARK.UNKNOWN) return this.#unknown(seq);
        if ((flags & MARK_MASK) === MARK.WARNING) return this.#row(ROW.warning, seq);
        return this.#hidden();
      default:
        if (flags & FLAG.DERIVED) return this.#derived(index, seq, above);
        return flags & FLAG.HIDDEN ? this.#hidden() : this.#breaking(ROW.rule, seq);
    }
  }

  #row(kind: number, seq: number): number {
    const row = this.rows++;
    if (row === this.kind.length) this.#grow();
    this.kind[row] = kind;
    this.first[row] = seq;
    this.last[row] = seq;
    this.turn[row] = this.#turn;
    return row;
  }

  /** A row that ends every open group. */
  #breaking(kind: number, seq: number): number {
    this.#openTools = -1;
    this.#openThinking = -1;
    this.#openUnknown = -1;
    return this.#row(kind, seq);
  }

  #hidden(): number {
    return Math.max(0, this.rows - 1);
  }

  #prompt(seq: number, flags: number): number {
    const counts = (flags & MARK_MASK) === FLAG.PROMPT;
    if (counts) this.#turn++;
    const row = this.#breaking(ROW.prompt, seq);
    if (counts) this.prompts.push(row);
    return row;
  }

  #text(seq: number, flags: number): number {
    const row = this.#breaking(ROW.text, seq);
    if ((flags & MARK_MASK) === FLAG.REPLY) this.replies.push(row);
    if (flags & FLAG.ERROR) this.errors.push(row);
    return row;
  }

  /** Reasoning that cannot be read gets one row between two others, however many blocks of it there are. */
  #thinking(seq: number, flags: number): number {
    if (flags & MARK.READABLE) return this.#breaking(ROW.thinking, seq);
    if (this.#openThinking < 0) this.#openThinking = this.#row(ROW.thinking, seq);
    return this.#add(this.#openThinking, seq);
  }

  #unknown(seq: number): number {
    const open = this.#openUnknown;
    if (open < 0 || open !== this.rows - 1 || this.#calls[open]! >= GROUP) {
      this.#openUnknown = this.#row(ROW.unknown, seq);
      this.#calls[this.#openUnknown] = 0;
    }
    this.#calls[this.#openUnknown]!++;
    return this.#add(this.#openUnknown, seq);
  }

  #add(row: number, seq: number): number {
    if (seq > this.last[row]!) this.last[row] = seq;
    return row;
  }

  #call(seq: number): number {
    if (this.#openTools < 0 || this.#calls[this.#openTools]! >= GROUP) this.#openGroup(seq);
    const row = this.#openTools;
    this.#calls[row]!++;
    this.#pending[row]!++;
    return this.#add(row, seq);
  }

  #openGroup(seq: number): void {
    this.#openTools = this.#row(ROW.tools, seq);
    this.#calls[this.#openTools] = 0;
    this.#pending[this.#openTools] = 0;
    this.tools.push(this.#openTools);
  }

  #result(index: SessionIndex, seq: number, flags: number, above: number): number {
    const row = this.#groupOfResult(index, seq, above);
    this.#pending[row] = Math.max(0, this.#pending[row]! - 1);
    if (flags & FLAG.ERROR) this.#error(row);
    return this.#add(row, seq);
  }

  /** The group of the call above it; else the last group that waits for a result; else a group of its own. */
  #groupOfResult(index: SessionIndex, seq: number, above: number): number {
    if (above >= 0 && takesResults(index.type[above]!)) {
      const row = this.rowOf[above]!;
      if (index.type[above] === CODE.call || this.#pending[row]! > 0) return row;
    }
    for (let back = 1; back <= LOOK_BACK; back++) {
      const row = this.tools.at(-back);
      if (row !== undefined && this.#pending[row]! > 0) return row;
    }
    if (this.#openTools < 0) this.#openGroup(seq);
    return this.#openTools;
  }

  #error(row: number): void {
    // results come mostly in order, so the place is at or near the end
    let at = this.errors.length;
    while (at > 0 && this.errors[at - 1]! > row) at--;
    if (this.errors[at - 1] !== row) this.errors.splice(at, 0, row);
  }

  #derived(index: SessionIndex, seq: number, above: number): number {
    const row = above >= 0 && takesResults(index.type[above]!) ? this.rowOf[above]! : this.#hidden();
    return this.kind[row] === ROW.tools && row < this.rows ? this.#add(row, seq) : row;
  }

  #grow(): void {
    const size = this.kind.length * 2;
    this.kind = sized(this.kind, size);
    this.first = sized(this.first, size);
    this.last = sized(this.last, size);
    this.turn = sized(this.turn, size);
    this.#calls = sized(this.#calls, size);
    this.#pending = sized(this.#pending, size);
  }
}

function sized<T extends Uint8Array | Int32Array>(array: T, size: number): T {
  if (size <= array.length) return array;
  const Constructor = array.constructor as new (length: number) => T;
  const next = new Constructor(Math.max(size, array.length * 2));
  next.set(array);
  return next;
}

/** The events a page needs, ascending: those of its rows, derived ones only where a row shows them. */
export function pageSeqs(plan: RowPlan, index: SessionIndex, from: number, limit: number): number[] {
  const seqs: number[] = [];
  const to = Math.min(plan.rows, from + limit);
  let start = Number.POSITIVE_INFINITY;
  let end = -1;
  for (let row = Math.max(0, from); row < to; row++) {
    start = Math.min(start, plan.first[row]!);
    end = Math.max(end, plan.last[row]!);
  }
  for (let seq = start; seq <= end; seq++) {
    const row = plan.rowOf[seq]!;
    if (row < from || row >= to) continue;
    const code = index.type[seq]!;
    const isDiff = code === CODE.edit && plan.kind[row] === ROW.tools;
    if (isDiff || !(index.flags[seq]! & FLAG.HIDDEN)) seqs.push(seq);
  }
  return seqs;
}
