import type { Counts, SessionRow } from '../../shared/session.ts';
import { activePath, leafEvent, tipOf } from './branch.ts';
import { CODE, CORE } from './codes.ts';
import { type Columns, FLAG, MARK, MARK_MASK } from './flags.ts';
import { grown, Tree } from './tree.ts';

interface Numbers {
  counts: Counts;
  errors: number;
}

/** Which events are active: null = all. */
export type Active = Uint8Array | null;

export function isActive(active: Active, seq: number): boolean {
  return active === null || active[seq] === 1;
}

/**
 * Counts of the active branch, by the case schema. A log without any side branch is counted as it comes; else one pass
 * over three columns is made when asked.
 */
export class Tally {
  #n = 0;
  #type: Uint8Array;
  #flags: Uint8Array;
  #parent: Int32Array;
  readonly #tree: Tree;
  readonly #all: Numbers = zero();
  /** events with more than one image */
  readonly #images: Map<number, number>;

  constructor(saved?: { columns: Columns; images: readonly [number, number][] }) {
    const size = Math.max(256, saved?.columns.n ?? 0);
    this.#type = new Uint8Array(size);
    this.#flags = new Uint8Array(size);
    this.#parent = new Int32Array(size);
    this.#tree = new Tree(size);
    this.#images = new Map(saved?.images);
    if (!saved) return;
    const { n, type, flags, parent } = saved.columns;
    for (let i = 0; i < n; i++) this.add(type[i]!, flags[i]!, parent[i]!, this.#images.get(i) ?? 1);
  }

  get n(): number {
    return this.#n;
  }

  get branches(): number {
    return Math.max(1, this.#tree.leaves);
  }

  get images(): [number, number][] {
    return [...this.#images];
  }

  /** `images` matters only where the flags say that there is one. */
  add(code: number, flags: number, parent: number, images: number): void {
    const seq = this.#n++;
    if (seq === this.#type.length) this.#grow();
    this.#type[seq] = code;
    this.#flags[seq] = flags;
    this.#parent[seq] = parent;
    this.#tree.add(seq, code, flags, parent);
    if (flags & FLAG.IMAGE && images > 1) this.#images.set(seq, images);
    count(this.#all, code, flags, images);
  }

  /** The active events, given the value of the last leaf event. */
  active(leaf: number | null): Active {
    const columns = this.#columns();
    const decides = leafEvent(columns) >= 0;
    return this.#tree.straight && !decides ? null : activePath(columns, decides ? leaf : null);
  }

  /** The end of the conversation, given the value of the last leaf event; null when nothing was said. */
  tip(leaf: number | null): number | null {
    const columns = this.#columns();
    const tip = tipOf(columns, leafEvent(columns) >= 0 ? leaf : null);
    return tip < 0 ? null : tip;
  }

  numbers(active: Active): Numbers {
    if (active === null) return { counts: { ...this.#all.counts }, errors: this.#all.errors };
    const numbers = zero();
    for (let i = 0; i < this.#n; i++) {
      if (active[i]) count(numbers, this.#type[i]!, this.#flags[i]!, 1);
    }
    for (const [seq, images] of this.#images) if (active[seq]) numbers.counts.image += images - 1;
    return numbers;
  }

  /** Idle, unless nothing was said, or the branch ends with a call that has no result. */
  status(active: Active, { user, assistant, tool_call }: Counts): SessionRow['status'] {
    if (user + assistant + tool_call === 0) return 'empty';
    let open = 0;
    for (let i = this.#n - 1; i >= 0; i--) {
      const code = this.#type[i]!;
      if (!CORE[code] || !isActive(active, i)) continue;
      if (code === CODE.call) open++;
      else if (code === CODE.result) open -= this.#flags[i]! & MARK.MISSING ? 0 : 1;
      else break;
    }
    return open > 0 ? 'ended_mid_tool' : 'idle';
  }

  #columns(): Columns {
    return { n: this.#n, type: this.#type, flags: this.#flags, parent: this.#parent };
  }

  #grow(): void {
    const size = this.#type.length * 2;
    this.#type = grown(this.#type, new Uint8Array(size));
    this.#flags = grown(this.#flags, new Uint8Array(size));
    this.#parent = grown(this.#parent, new Int32Array(size));
  }
}

function zero(): Numbers {
  return {
    counts: { user: 0, assistant: 0, tool_call: 0, tool_result: 0, thinking: 0, image: 0, compaction: 0 },
    errors: 0,
  };
}

function count(numbers: Numbers, code: number, flags: number, images: number): void {
  const counts = numbers.counts;
  if (flags & FLAG.ERROR) numbers.errors++;
  if (flags & FLAG.IMAGE) counts.image += images;
  const mark = flags & MARK_MASK;
  if (code === CODE.call) counts.tool_call++;
  else if (code === CODE.result) counts.tool_result += mark === MARK.MISSING ? 0 : 1;
  else if (code === CODE.user) counts.user += mark === FLAG.PROMPT ? 1 : 0;
  else if (code === CODE.assistant) counts.assistant += mark === FLAG.REPLY ? 1 : 0;
  else if (code === CODE.thinking) counts.thinking += mark === MARK.READABLE ? 1 : 0;
  else if (code === CODE.compacted) counts.compaction += mark === MARK.EDIT ? 0 : 1;
}
