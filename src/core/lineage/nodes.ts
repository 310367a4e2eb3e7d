import type { Turn } from '../../shared/turns.ts';
import { tokensOf } from '../view/family-tree.ts';
import { type FamilyMember, type GraphNode, numbered } from './node.ts';

/**
 * The nodes of a family, each hung on the one that it came from: within a session by its own tree, its first one on the
 * parent's node that it started at. What a session copied from its parent is drawn there alone. Parents that are not in the
 * family, and circles in damaged data, count as none.
 */
export function familyNodes(members: readonly FamilyMember[]): GraphNode[] {
  const chains = new Map(members.map((member) => [member.row.id, chainOf(member)]));
  for (const member of members) hang(member, chains);
  for (const member of members) merge(member, chains);
  return breakCircles([...chains.values()].flatMap(({ nodes }) => nodes));
}

interface Chain {
  member: FamilyMember;
  /** ascending by seq; never empty */
  nodes: GraphNode[];
}

function chainOf(member: FamilyMember): Chain {
  const { row, turns } = member;
  const own = turns.filter(({ copied, turn }) => !copied && turn > 0);
  const nodes: GraphNode[] = [startOf(member, turns)];
  if (row.parent_kind === 'subagent') return { member, nodes: [subagentOf(member, nodes[0]!, own)] };
  for (const turn of own) nodes.push(...nodesOf(row, turn));
  hangWithin(nodes, own);
  const head = nodes.findLast(({ active }) => active) ?? nodes.at(-1)!;
  head.head = { label: row.git_branch ?? row.title ?? '', status: row.status };
  return { member, nodes };
}

function nodeOf({ id, agent }: FamilyMember['row'], seq: number, more: Partial<GraphNode>): GraphNode {
  return {
    id: `${id}:${seq}`,
    session: id,
    agent,
    kind: 'turn',
    seq,
    last_seq: seq,
    turn: 0,
    turns: 0,
    ts: null,
    seconds: null,
    text: '',
    tokens: 0,
    before: null,
    after: null,
    paths: [],
    errors: 0,
    active: true,
    head: null,
    came: null,
    exact: true,
    n: 0,
    parent: null,
    merged: null,
    children: [],
    ...more,
  };
}

function startOf({ row }: FamilyMember, turns: readonly Turn[]): GraphNode {
  const firstOwn = turns.find(({ copied, turn }) => !copied && turn > 0);
  return nodeOf(row, 0, {
    kind: row.parent_kind === 'handoff' ? 'handoff' : 'start',
    // what was copied keeps its old times: such a session begins when the first of its own was said
    ts: row.parent === null ? (row.started_at ?? firstOwn?.ts ?? null) : (firstOwn?.ts ?? row.started_at),
    text: (row.parent === null ? row.model : row.title) ?? '',
    came: row.parent_kind,
  });
}

/** A sub-agent is one node: what it did stands in its own session. */
function subagentOf({ row }: FamilyMember, start: GraphNode, own: readonly Turn[]): GraphNode {
  const last = own.at(-1);
  const ends = own.flatMap(({ ts, seconds }) => (ts === null ? [] : [ts + (seconds ?? 0)]));
  return {
    ...start,
    kind: 'subagent',
    text: row.title ?? own[0]?.prompt ?? '',
    turns: own.length,
    last_seq: last?.last_seq ?? 0,
    seconds: start.ts === null || ends.length === 0 ? null : Math.max(0, Math.max(...ends) - start.ts),
    tokens: tokensOf(own),
    paths: [...new Set(own.flatMap(({ files }) => files))],
    errors: own.reduce((sum, { errors }) => sum + errors, 0),
    head: { label: '', status: row.status },
  };
}

function nodesOf(row: FamilyMember['row'], turn: Turn): GraphNode[] {
  const { ts, seconds, active, errors, last_seq } = turn;
  const said = nodeOf(row, turn.seq, {
    last_seq,
    turn: turn.turn,
    turns: 1,
    ts,
    seconds,
    text: turn.prompt,
    tokens: tokensOf([turn]),
    paths: turn.files,
    errors,
    active,
  });
  const compactions = turn.compactions.map(({ seq, before, after }) =>
    nodeOf(row, seq, { kind: 'compaction', turn: turn.turn, ts, before, after, active }),
  );
  return [said, ...compactions];
}

/** In the session's own tree: a turn hangs on the node that holds the event it goes on from. */
function hangWithin(nodes: readonly GraphNode[], turns: readonly Turn[]): void {
  const above = new Map(turns.map(({ seq, parent_seq }) => [seq, parent_seq]));
  for (const [i, node] of nodes.entries()) {
    if (i === 0) continue;
    const parent = above.get(node.seq);
    // what has no parent follows on what was there before, as agents' files without a tree do
    attach(node, parent === undefined || parent === null ? nodes[i - 1]! : last(nodes, Math.min(parent, node.seq - 1)));
  }
}

/** Where an event of a session is drawn: with its parent, for what it has of it. */
function at({ nodes }: Chain, seq: number): GraphNode {
  const [first] = nodes;
  return first?.parent && seq < first.seq ? first.parent : last(nodes, seq);
}

/** The last node that begins at `seq` or before it. */
function last(nodes: readonly GraphNode[], seq: number): GraphNode {
  let low = 0;
  let high = nodes.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (nodes[middle]!.seq <= seq) low = middle;
    else high = middle - 1;
  }
  return nodes[low]!;
}

function attach(node: GraphNode, parent: GraphNode): void {
  node.parent = parent;
  parent.children.push(node);
}

function hang({ row, turns, from_seq }: FamilyMember, chains: ReadonlyMap<string, Chain>): void {
  const parent = row.parent === null || row.parent === row.id ? undefined : chains.get(row.parent);
  const own = chains.get(row.id);
  if (parent === undefined || own === undefined) return;
  const [start, first] = own.nodes;
  const place = from_seq ?? calledAt(row.id, parent.member.turns) ?? copiedUntil(turns, parent.member.turns);
  const below = place === null ? before(parent.nodes, start!.ts) : at(parent, place);
  // sessions that name each other: this one is where the other hangs already
  if (below === start) return;
  if (start!.kind !== 'start' || first === undefined) {
    start!.exact = place !== null;
    attach(start!, below);
    return;
  }
  // a fork begins with what was said in it: it has no place of its own before that
  own.nodes.shift();
  first.came = row.parent_kind;
  first.exact = place !== null;
  for (const child of start!.children) attach(child, below);
}

/** The call of a sub-agent. */
function calledAt(id: string, parents: readonly Turn[]): number | null {
  for (const { subagents } of parents) for (const { session, seq } of subagents) if (session === id) return seq;
  return null;
}

/** The parent's last event of what was copied: the turn that was said at the same time in the same words. */
function copiedUntil(turns: readonly Turn[], parents: readonly Turn[]): number | null {
  const last = turns.findLast(({ copied, turn }) => copied && turn > 0);
  if (last === undefined) return null;
  return parents.find(({ ts, prompt }) => ts === last.ts && prompt === last.prompt)?.seq ?? null;
}

function before(nodes: readonly GraphNode[], ts: number | null): GraphNode {
  if (ts === null) return nodes[0]!;
  return nodes.findLast((node) => node.active && node.ts !== null && node.ts <= ts) ?? nodes[0]!;
}

function merge({ row, merges }: FamilyMember, chains: ReadonlyMap<string, Chain>): void {
  const own = chains.get(row.id)!;
  for (const { seq, ts, from, from_seq, text } of merges) {
    const other = chains.get(from);
    const below = at(own, seq);
    const after = below.children.find((child) => child.session === row.id && child.seq > seq);
    const node = nodeOf(row, seq, { kind: 'merge', ts: ts ?? below.ts, text, turn: below.turn, active: below.active });
    attach(node, below);
    if (after !== undefined) {
      below.children.splice(below.children.indexOf(after), 1);
      attach(after, node);
    }
    if (below.head !== null && below.session === row.id) [node.head, below.head] = [below.head, null];
    own.nodes.splice(own.nodes.indexOf(below) + 1, 0, node);
    if (other !== undefined && other !== own)
      node.merged = from_seq === null ? other.nodes.at(-1)! : at(other, from_seq);
  }
}

/** Sessions that name each other as parents hang on nothing: the one that comes first here is free. */
function breakCircles(nodes: GraphNode[]): GraphNode[] {
  // by whose walk up a node was seen: a walk that meets itself goes round
  const walk = new Int32Array(nodes.length).fill(-1);
  for (const { n } of numbered(nodes)) {
    for (let up: GraphNode | null = nodes[n]!; up !== null && walk[up.n] === -1; up = up.parent) {
      walk[up.n] = n;
      if (up.parent === null || walk[up.parent.n] !== n) continue;
      up.parent.children.splice(up.parent.children.indexOf(up), 1);
      up.parent = null;
    }
  }
  return nodes;
}
