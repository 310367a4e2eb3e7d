import type { GraphRow, Stroke } from '../../shared/lineage.ts';
import { type GraphNode, numbered } from './node.ts';

/** Lanes that are drawn; further branches are counted where they start. */
export const MOST_LANES = 12;

/** A line of nodes, drawn straight in one lane: from its newest node down to the node that it came from. */
interface Strand {
  lane: number;
  top: GraphNode;
  agent: string;
  isDashed: boolean;
  /** a merge above it leads to it */
  isLed: boolean;
}

/** A line from a merge down to what was merged in, until that has a lane of its own. */
interface Lead {
  lane: number;
  to: GraphNode;
  agent: string;
}

/**
 * Rows for nodes that stand in drawing order. The line that `focus` lies on keeps the first lane; each other line takes the
 * first free one from its newest node to the node that it came from.
 */
export function laneRows(order: readonly GraphNode[], focus: GraphNode | null): GraphRow[] {
  return new Lanes(order, focus).rows();
}

class Lanes {
  readonly #order: readonly GraphNode[];
  /** by place in the order; null = it has no lane */
  readonly #strandOf: (Strand | null | undefined)[];
  /** the child that goes on straight, by place in the order */
  readonly #straight: (GraphNode | null)[];
  readonly #first: GraphNode | null;
  readonly #busy: (Strand | Lead | null)[] = [];
  /** lines that are not drawn, by place in the order of the node that they start at */
  readonly #more: Int32Array;
  readonly #leads: Lead[] = [];

  constructor(order: readonly GraphNode[], focus: GraphNode | null) {
    this.#order = numbered(order);
    this.#strandOf = new Array(order.length);
    this.#more = new Int32Array(order.length);
    const path = new Uint8Array(order.length);
    for (let at = focus; at !== null; at = at.parent) path[at.n] = 1;
    this.#straight = order.map((node) => straightChild(node, path));
    this.#first = focus === null ? null : this.#topOf(focus);
  }

  rows(): GraphRow[] {
    const rows: GraphRow[] = [];
    for (const node of this.#order) {
      const strand = this.#enter(node);
      if (strand === null) continue;
      rows.push(this.#row(node, strand));
    }
    return rows;
  }

  /** The newest node of the line that a node lies on. */
  #topOf(node: GraphNode): GraphNode {
    let top = node;
    for (let up = this.#straight[top.n]; up; up = this.#straight[top.n]) top = up;
    return top;
  }

  /** The node's strand, with a lane; null when none was free. */
  #enter(node: GraphNode): Strand | null {
    const above = this.#straight[node.n];
    const known = above ? this.#strandOf[above.n] : undefined;
    const strand =
      known || (known === null && !this.#hasRows(node) && !this.#isLed(node) ? null : this.#newStrand(node));
    this.#strandOf[node.n] = strand;
    // the line above it is not drawn: here is where it starts
    if (strand !== null && known === null) this.#more[node.n]!++;
    if (strand === null && node.parent !== null) {
      const isBottom = this.#straight[node.parent.n] !== node;
      this.#more[node.parent.n]! += this.#more[node.n]! + (isBottom ? 1 : 0);
    }
    return strand;
  }

  /** Whether a line that has rows hangs on it: then it must have one too. */
  #hasRows(node: GraphNode): boolean {
    return node.children.some((child) => this.#strandOf[child.n]);
  }

  /** Whether a line from a merge ends here: then it must end at a row. */
  #isLed(node: GraphNode): boolean {
    return this.#leads.some(({ to }) => to === node);
  }

  /** Whether a line hangs on nothing: then there is no row at which it could be counted. */
  #isRoot(top: GraphNode): boolean {
    let at = top;
    while (at.parent !== null && this.#straight[at.parent.n] === at) at = at.parent;
    return at.parent === null;
  }

  #newStrand(top: GraphNode): Strand | null {
    const lead = this.#leads.find(({ to }) => to === top);
    const lane = lead?.lane ?? (top === this.#first ? 0 : this.#free(this.#hasRows(top) || this.#isRoot(top)));
    if (lane === null) return null;
    if (lead !== undefined) this.#leads.splice(this.#leads.indexOf(lead), 1);
    const strand = { lane, top, agent: top.agent, isDashed: top.kind === 'subagent', isLed: lead !== undefined };
    this.#busy[lane] = strand;
    return strand;
  }

  #free(always: boolean): number | null {
    for (let lane = this.#first === null ? 0 : 1; always || lane < MOST_LANES; lane++)
      if (!this.#busy[lane]) return lane;
    return null;
  }

  #row(node: GraphNode, strand: Strand): GraphRow {
    const { n: _n, parent: _parent, merged: _merged, children, paths, ...shown } = node;
    const strokes: Stroke[] = [];
    const lead = this.#lead(node);
    for (const [lane, line] of this.#busy.entries()) {
      if (!line) continue;
      const stroke = this.#stroke(lane, line, node, lead);
      if (stroke !== null) strokes.push(stroke);
    }
    if (node.parent === null) this.#busy[strand.lane] = null;
    return {
      ...shown,
      files: paths.length,
      branches: children.filter((child) => child.session !== node.session).map(({ session }) => session),
      more: this.#more[node.n]!,
      lane: strand.lane,
      strokes,
    };
  }

  /** The line from a merge: the lane of what was merged in, where it has one, else a new one that leads to it. */
  #lead({ n, merged }: GraphNode): number | null {
    if (merged === null) return null;
    const known = this.#strandOf[this.#topOf(merged).n];
    if (known) return known.lane;
    // clocks can differ: what stands above already is not led down to
    if (merged.n <= n) return null;
    const lane = this.#free(false);
    if (lane === null) return null;
    const lead = { lane, to: merged, agent: merged.agent };
    this.#leads.push(lead);
    this.#busy[lane] = lead;
    return lane;
  }

  #stroke(lane: number, line: Strand | Lead, node: GraphNode, lead: number | null): Stroke | null {
    const { agent } = line;
    if ('to' in line) {
      if (line.to === node) {
        this.#busy[lane] = null;
        this.#leads.splice(this.#leads.indexOf(line), 1);
        return { lane, agent, dashed: false, above: true, below: false, bend: 'above' };
      }
      const isNew = lane === lead;
      return { lane, agent, dashed: false, above: !isNew, below: true, bend: isNew ? 'below' : null };
    }
    if (this.#strandOf[node.n] === line) {
      const above = node !== line.top || line.isLed;
      return { lane, agent: node.agent, dashed: line.isDashed, above, below: node.parent !== null, bend: null };
    }
    if (this.#endsAt(line, node)) {
      this.#busy[lane] = null;
      return { lane, agent, dashed: line.isDashed, above: true, below: false, bend: 'above' };
    }
    return { lane, agent, dashed: line.isDashed, above: true, below: true, bend: lane === lead ? 'below' : null };
  }

  /** Whether a line goes down to this node, which lies on another one. */
  #endsAt(strand: Strand, node: GraphNode): boolean {
    return node.children.some((child) => this.#strandOf[child.n] === strand && this.#straight[node.n] !== child);
  }
}

/** The child in whose line a node lies: on the way to the focus, else of its own session, else the newest. No sub-agent. */
function straightChild(node: GraphNode, path: Uint8Array): GraphNode | null {
  let best: GraphNode | null = null;
  let least = 4;
  for (const child of node.children) {
    if (child.kind === 'subagent') continue;
    const rank = path[child.n] ? 0 : child.session !== node.session ? 3 : child.active ? 1 : 2;
    if (best !== null && (rank > least || (rank === least && child.n > best.n))) continue;
    best = child;
    least = rank;
  }
  return best;
}
