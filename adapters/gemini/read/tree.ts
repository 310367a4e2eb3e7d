/** A message that has a place in the conversation: what it says, and where in the log it stands. */
export interface TreeNode {
  /** index of the message before it; -1 for the root */
  parent: number;
  id: string;
  facts: readonly string[];
  /** its events */
  seqs: readonly number[];
  /** event on which the next message hangs */
  tail: number;
  /** last event up to here that views take for a leaf, -1 = none */
  core: number;
}

/** JSON form of the tree. */
export interface TreeState {
  nodes: [parent: number, id: string, facts: string, seqs: readonly number[], tail: number, core: number][];
  /** the messages that the client has now, in its order; node -1 = one without a place */
  list: [id: string, node: number][];
}

export const ROOT = 0;

/**
 * All messages that a session ever had, as a tree: those of a common beginning stand once. The client's own list is a path
 * in it, so that a list that is written again, shortened or changed is told apart from what was captured before.
 */
export class Tree {
  readonly #nodes: TreeNode[];
  #list: [string, number][];
  /** last place in the list, by id */
  readonly #places = new Map<string, number>();
  readonly #children = new Map<number, number[]>();
  readonly #versions = new Map<string, number>();

  /** @param start the session's first event, where there is no state */
  constructor(state: TreeState | null, start = -1) {
    this.#nodes = state?.nodes.map(([parent, id, facts, seqs, tail, core]) => ({
      parent,
      id,
      facts: facts === '' ? [] : facts.split(' '),
      seqs,
      tail,
      core,
    })) ?? [{ parent: -1, id: '', facts: [], seqs: [], tail: start, core: -1 }];
    this.#list = [];
    for (const [id, node] of state?.list ?? []) this.list(id, node);
    for (const [index, node] of this.#nodes.entries()) if (node.parent >= 0) this.#child(node, index);
  }

  state(): TreeState {
    return {
      nodes: this.#nodes.map(({ parent, id, facts, seqs, tail, core }) => [
        parent,
        id,
        facts.join(' '),
        seqs,
        tail,
        core,
      ]),
      list: this.#list,
    };
  }

  /** Index of the last message of the list that has a place; the root where there is none. */
  get at(): number {
    return this.#list.findLast(([, node]) => node >= 0)?.[1] ?? ROOT;
  }

  node(index: number): TreeNode {
    return this.#nodes[index]!;
  }

  change(index: number, more: Partial<TreeNode>): void {
    Object.assign(this.node(index), more);
  }

  /** Nodes of the list, in order. */
  path(): number[] {
    return this.#list.flatMap(([, node]) => (node >= 0 ? [node] : []));
  }

  /** Node of a message in the list: undefined = it is not there, -1 = it has no place in the conversation. */
  listed(id: string): number | undefined {
    const place = this.#places.get(id);
    return place === undefined ? undefined : this.#list[place]![1];
  }

  /** Puts a message at the end of the list, or into its old place there. */
  list(id: string, node: number): void {
    const place = this.#places.get(id);
    if (place !== undefined) this.#list[place] = [id, node];
    else this.#places.set(id, this.#list.push([id, node]) - 1);
  }

  /** Puts other nodes in the place of some. */
  relist(nodes: ReadonlyMap<number, number>): void {
    this.#list = this.#list.map(([id, node]) => [id, nodes.get(node) ?? node]);
  }

  clear(): void {
    this.#list = [];
    this.#places.clear();
  }

  /** Drops a message and all behind it; an unknown one drops everything, as the client does. */
  rewind(id: string): void {
    const place = this.#places.get(id) ?? 0;
    for (const [dropped] of this.#list.splice(place)) this.#places.delete(dropped);
  }

  /** A message below a node that has this id and says the same, or less, or more. */
  find(parent: number, id: string, facts: readonly string[]): number | undefined {
    return this.#children.get(parent)?.findLast((index) => {
      const node = this.node(index);
      return node.id === id && compare(node.facts, facts) !== 'other';
    });
  }

  isLeaf(index: number): boolean {
    return !this.#children.has(index);
  }

  /** How many versions of a message there are. */
  versions(id: string): number {
    return this.#versions.get(id) ?? 0;
  }

  add(node: TreeNode): number {
    const index = this.#nodes.push(node) - 1;
    this.#child(node, index);
    return index;
  }

  #child({ parent, id }: TreeNode, index: number): void {
    this.#versions.set(id, this.versions(id) + 1);
    const children = this.#children.get(parent);
    if (children === undefined) this.#children.set(parent, [index]);
    else children.push(index);
  }
}

/**
 * How a version of a message compares with what is known of it. A version without thoughts or results is not another one:
 * the client leaves them out when it writes its history again.
 */
export function compare(known: readonly string[], now: readonly string[]): 'same' | 'less' | 'more' | 'other' {
  const missing = now.filter((fact) => !known.includes(fact)).length;
  const gone = known.filter((fact) => !now.includes(fact));
  if (missing === 0) return gone.length === 0 ? 'same' : 'less';
  return gone.every((fact) => fact.startsWith('t') || fact.startsWith('x')) ? 'more' : 'other';
}
