import { type GraphNode, numbered } from './node.ts';

/**
 * Nodes for drawing, newest first, and each above the one that it came from and above what was merged into it. Times decide
 * where that leaves a choice; without one, the session's own order does.
 */
export function drawingOrder(nodes: readonly GraphNode[]): GraphNode[] {
  const time = times(numbered(nodes));
  const waits = new Int32Array(nodes.length);
  for (const { parent, merged } of nodes) {
    if (parent !== null) waits[parent.n]!++;
    if (merged !== null) waits[merged.n]!++;
  }
  const ready = new Heap((a, b) => {
    const [left, right] = [time[a.n]!, time[b.n]!];
    if (left !== right) return left > right;
    if (a.session === b.session && a.seq !== b.seq) return a.seq > b.seq;
    return a.id > b.id;
  });
  for (const node of nodes) if (waits[node.n] === 0) ready.push(node);
  const order: GraphNode[] = [];
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    order.push(node);
    for (const below of [node.parent, node.merged]) if (below !== null && --waits[below.n]! === 0) ready.push(below);
  }
  return order.length === nodes.length ? order : drawingOrder(withoutMerges(nodes, new Set(order)));
}

/** Merges that go round in a circle, in damaged data, are not drawn. */
function withoutMerges(nodes: readonly GraphNode[], placed: ReadonlySet<GraphNode>): readonly GraphNode[] {
  for (const node of nodes) if (!placed.has(node)) node.merged = null;
  return nodes;
}

/** By place: a node without a time has that of what it came from. */
function times(nodes: readonly GraphNode[]): Float64Array {
  const known = new Float64Array(nodes.length).fill(Number.NaN);
  for (const node of nodes) {
    const line: GraphNode[] = [];
    let at: GraphNode | null = node;
    for (; at !== null && at.ts === null && Number.isNaN(known[at.n]); at = at.parent) line.push(at);
    const time = at === null ? Number.NEGATIVE_INFINITY : (at.ts ?? known[at.n]!);
    known[node.n] = time;
    for (const { n } of line) known[n] = time;
  }
  return known;
}

/** A binary heap: `pop` takes the one that comes first. */
class Heap {
  readonly #first: (a: GraphNode, b: GraphNode) => boolean;
  readonly #items: GraphNode[] = [];

  constructor(first: (a: GraphNode, b: GraphNode) => boolean) {
    this.#first = first;
  }

  push(node: GraphNode): void {
    const items = this.#items;
    let at = items.push(node) - 1;
    while (at > 0) {
      const up = (at - 1) >> 1;
      if (!this.#first(items[at]!, items[up]!)) break;
      [items[at], items[up]] = [items[up]!, items[at]!];
      at = up;
    }
  }

  pop(): GraphNode | undefined {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    if (top === undefined || last === undefined || items.length === 0) return top;
    items[0] = last;
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      if (left >= items.length) return top;
      const right = left + 1;
      const down = right < items.length && this.#first(items[right]!, items[left]!) ? right : left;
      if (!this.#first(items[down]!, items[at]!)) return top;
      [items[at], items[down]] = [items[down]!, items[at]!];
      at = down;
    }
  }
}
