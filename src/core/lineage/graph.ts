import type { GraphRow } from '../../shared/lineage.ts';
import { laneRows } from './lanes.ts';
import type { FamilyMember, GraphNode } from './node.ts';
import { familyNodes } from './nodes.ts';
import { drawingOrder } from './order.ts';
import { withRuns } from './runs.ts';

export interface GraphOptions {
  /** session whose line keeps the first lane */
  focus: string;
  /** each turn has a row, or plain stretches have one together */
  rows: 'turns' | 'segments';
  subagents: boolean;
  /** runs that are drawn turn by turn */
  open: ReadonlySet<string>;
}

/** The rows of a family's graph, newest first. The same input gives the same rows. */
export function familyGraph(members: readonly FamilyMember[], options: GraphOptions): GraphRow[] {
  const shown = options.subagents ? members : members.filter(({ row }) => row.parent_kind !== 'subagent');
  const all = familyNodes(shown);
  const nodes = options.rows === 'turns' ? all : withRuns(all, options.open);
  const order = drawingOrder(nodes);
  return laneRows(order, headOf(order, options.focus));
}

function headOf(order: readonly GraphNode[], session: string): GraphNode | null {
  const own = order.filter((node) => node.session === session);
  return own.find(({ head }) => head !== null) ?? own[0] ?? null;
}
