import type { GraphNode } from './node.ts';

/** Turns in a row that are worth a line of their own each. */
const SHORT = 2;

/**
 * The tree with its plain stretches drawn as one node each: turns in a line, of one session, where nothing begins, ends,
 * fails or is merged. A run that is named in `open` stays as it is. `nodes` are changed.
 */
export function withRuns(nodes: readonly GraphNode[], open: ReadonlySet<string>): GraphNode[] {
  const taken = new Set<GraphNode>();
  const merged = new Set(nodes.map((node) => node.merged));
  const runs: GraphNode[] = [];
  for (const top of nodes) {
    if (taken.has(top) || !isPlain(top, merged)) continue;
    const above = top.children[0];
    if (above !== undefined && isPlain(above, merged) && above.session === top.session) continue;
    const stretch = [top];
    for (
      let down = top.parent;
      down !== null && isPlain(down, merged) && down.session === top.session;
      down = down.parent
    )
      stretch.push(down);
    if (stretch.length <= SHORT || open.has(top.id)) continue;
    for (const one of stretch) taken.add(one);
    runs.push(runOf(stretch));
  }
  return [...nodes.filter((node) => !taken.has(node)), ...runs];
}

function isPlain(node: GraphNode, merged: ReadonlySet<GraphNode | null>): boolean {
  const { kind, children, head, errors, came } = node;
  return (
    kind === 'turn' && children.length === 1 && head === null && errors === 0 && came === null && !merged.has(node)
  );
}

/** `stretch` newest first. */
function runOf(stretch: readonly GraphNode[]): GraphNode {
  const newest = stretch[0]!;
  const oldest = stretch.at(-1)!;
  const child = newest.children[0]!;
  const run: GraphNode = {
    ...newest,
    kind: 'run',
    seq: oldest.seq,
    turns: stretch.length,
    seconds: oldest.ts === null || newest.ts === null ? null : newest.ts + (newest.seconds ?? 0) - oldest.ts,
    tokens: stretch.reduce((sum, { tokens }) => sum + tokens, 0),
    paths: [...new Set(stretch.flatMap(({ paths }) => paths))],
    parent: oldest.parent,
    children: [child],
  };
  child.parent = run;
  const siblings = oldest.parent?.children;
  if (siblings !== undefined) siblings[siblings.indexOf(oldest)] = run;
  return run;
}
