import { ANSWER, CODE, CORE } from './codes.ts';
import { type Columns, FLAG } from './flags.ts';

/** A result below a call or below another result belongs to that answer, wherever the path goes on. */
export function takesResults(code: number): boolean {
  return code === CODE.call || code === CODE.result;
}

/**
 * The conversation tree, grown an event at a time. One response with the results of its calls is one node, so that
 * parallel calls are not taken for branches.
 */
export class Tree {
  /** nodes without children: the number of branches */
  leaves = 0;
  /** true while each node hangs on the one before it: then there is one branch and all of it is active */
  straight = true;
  #size: number;
  #code: Uint8Array;
  /** nearest conversation event at or above each event, -1 = none */
  #anchor: Int32Array;
  #node: Int32Array;
  #hasChild: Uint8Array;
  /** node of the response that may go on, and the node above it */
  #head = -1;
  #headUp = -1;
  #last = -1;

  constructor(size = 256) {
    this.#size = size;
    this.#code = new Uint8Array(size);
    this.#anchor = new Int32Array(size);
    this.#node = new Int32Array(size);
    this.#hasChild = new Uint8Array(size);
  }

  static of(columns: Columns): Tree {
    const tree = new Tree(Math.max(256, columns.n));
    for (let i = 0; i < columns.n; i++) tree.add(i, columns.type[i]!, columns.flags[i]!, columns.parent[i]!);
    return tree;
  }

  /** `parent` is -1 for a root; one that is not earlier (damaged log) counts as none. */
  add(seq: number, code: number, flags: number, parent: number): void {
    if (seq >= this.#size) this.#grow();
    const above = parent >= 0 && parent < seq ? this.#anchor[parent]! : -1;
    this.#code[seq] = code;
    this.#anchor[seq] = CORE[code] ? seq : above;
    if (code === CODE.system && (above < 0 ? -1 : this.#node[above]!) !== this.#last) this.straight = false;
    if (!CORE[code]) return;
    const up = above < 0 ? -1 : this.#node[above]!;
    const own = this.#nodeOf(seq, code, flags, above, up);
    this.#node[seq] = own;
    if (own === seq) {
      this.leaves++;
      if (up !== this.#last) this.straight = false;
      this.#last = own;
    } else if (own !== this.#last || up !== own) this.straight = false;
    if (up >= 0 && up !== own && !this.#hasChild[up]) {
      this.#hasChild[up] = 1;
      this.leaves--;
    }
  }

  /** `up` is the node of `above`. */
  #nodeOf(seq: number, code: number, flags: number, above: number, up: number): number {
    if (ANSWER[code]) {
      const goesOn = flags & FLAG.SAME_RESPONSE && this.#head >= 0 && (up === this.#head || up === this.#headUp);
      if (!goesOn) {
        this.#head = seq;
        this.#headUp = up;
      }
      return this.#head;
    }
    return code === CODE.result && above >= 0 && takesResults(this.#code[above]!) ? up : seq;
  }

  #grow(): void {
    this.#size *= 2;
    this.#code = grown(this.#code, new Uint8Array(this.#size));
    this.#anchor = grown(this.#anchor, new Int32Array(this.#size));
    this.#node = grown(this.#node, new Int32Array(this.#size));
    this.#hasChild = grown(this.#hasChild, new Uint8Array(this.#size));
  }
}

/** The larger array with the smaller one's entries at its beginning. */
export function grown<T extends Uint8Array | Int32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
