import type { GraphRow } from '../../shared/lineage.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { Turn } from '../../shared/turns.ts';

/** A session of a family, with what of it the graph shows. */
export interface FamilyMember {
  row: Pick<SessionRow, 'id' | 'agent' | 'title' | 'model' | 'git_branch' | 'parent' | 'parent_kind' | 'status'> & {
    started_at: number | null;
  };
  turns: readonly Turn[];
  /** event of the parent after which this session begins, where something tells it */
  from_seq: number | null;
  /** sessions that were merged into this one: at which event of it, and up to which of theirs */
  merges: readonly { seq: number; ts: number | null; from: string; from_seq: number | null; text: string }[];
}

/** A node before it has a row: what of it is drawn, and the nodes that it came from. */
export interface GraphNode extends Omit<GraphRow, 'lane' | 'strokes' | 'more' | 'branches' | 'files'> {
  /** its place in the list that is being worked on, so that what is known of it can stand in arrays */
  n: number;
  /** files that it edited */
  paths: readonly string[];
  parent: GraphNode | null;
  /** the head of what was merged in here */
  merged: GraphNode | null;
  children: GraphNode[];
}

/** Numbers nodes by their places. */
export function numbered<List extends readonly GraphNode[]>(nodes: List): List {
  for (let n = 0; n < nodes.length; n++) nodes[n]!.n = n;
  return nodes;
}
