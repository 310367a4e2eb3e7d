import type { GraphRow, NodeKind, Stroke } from '../../../shared/lineage.ts';
import { agentColor } from '../../ui/agent-mark.tsx';
import { GLYPHS, type IconName } from '../../ui/glyphs.ts';

/** The part of a graph that lies in one row: its lines, and its node over them. */

const ROW = 28;
const MIDDLE = ROW / 2;
const APART = 22;
const FIRST = 10;
const BEND = 8;

const x = (lane: number): number => FIRST + lane * APART;

/** Width of the column for so many lanes. */
export const lanesWidth = (lanes: number): number => Math.max(56, FIRST * 2 + (lanes - 1) * APART + 4);

export function Lanes({ row, width }: { row: GraphRow; width: number }) {
  return (
    <svg className="lsvg" viewBox={`0 0 ${width} ${ROW}`} width={width} height={ROW} aria-hidden="true">
      {row.strokes.map((stroke) => (
        <path
          key={stroke.lane}
          d={pathOf(stroke, row.lane)}
          style={{ stroke: agentColor(stroke.agent) }}
          strokeDasharray={stroke.dashed ? '2 3' : undefined}
        />
      ))}
      <Node row={row} />
    </svg>
  );
}

/** The lines of one lane, and its bend to the row's own node. */
function pathOf({ lane, above, below, bend }: Stroke, node: number): string {
  const at = x(lane);
  const line =
    above && below ? `M${at} 0V${ROW}` : above ? `M${at} 0V${MIDDLE}` : below ? `M${at} ${MIDDLE}V${ROW}` : '';
  if (bend === null) return line;
  const corner = bend === 'above' ? `M${at} 0V${MIDDLE - BEND}` : `M${at} ${ROW}V${MIDDLE + BEND}`;
  // a lane that a merge joins, or leaves, may go on past it
  return `${above && below ? line : ''}${corner}${turn(at, x(node), MIDDLE)}`;
}

/** From a lane round the corner, and on to the node. */
function turn(from: number, to: number, y: number): string {
  const side = to < from ? -1 : 1;
  return `Q${from} ${y} ${from + side * BEND} ${y}H${to}`;
}

const ICONS: Partial<Record<NodeKind, IconName>> = { compaction: 'compact', merge: 'merge', handoff: 'handoff' };

function Node({ row }: { row: GraphRow }) {
  const at = x(row.lane);
  const color = agentColor(row.agent);
  const icon =
    row.head !== null && row.kind !== 'subagent' ? 'n-head' : row.branches.length > 0 ? 'fork' : ICONS[row.kind];
  if (icon !== undefined && icon !== 'fork') return <Sign at={at} icon={icon} color={color} />;
  if (icon === 'fork' && row.kind === 'turn' && hasForks(row)) return <Sign at={at} icon="fork" color={color} />;
  if (row.kind === 'start') return <circle cx={at} cy={MIDDLE} r={5} style={{ fill: color }} />;
  if (row.kind === 'subagent')
    return (
      <>
        <circle className="mask" cx={at} cy={MIDDLE} r={8} />
        <circle
          cx={at}
          cy={MIDDLE}
          r={5}
          fill="none"
          strokeDasharray="2 2"
          strokeWidth={1.5}
          style={{ stroke: color }}
        />
      </>
    );
  if (row.kind === 'run')
    return (
      <>
        <rect className="mask" x={at - 6} y={4} width={12} height={ROW - 8} />
        <rect
          x={at - 4.5}
          y={6}
          width={9}
          height={ROW - 12}
          rx={4.5}
          fill="none"
          strokeWidth={1.5}
          style={{ stroke: color }}
        />
        {[-4, 0, 4].map((down) => (
          <circle key={down} cx={at} cy={MIDDLE + down} r={1} style={{ fill: color }} />
        ))}
      </>
    );
  return (
    <circle
      cx={at}
      cy={MIDDLE}
      r={row.active ? 3.5 : 3}
      className={row.active ? '' : 'dead'}
      style={{ fill: color, stroke: color }}
    />
  );
}

/** A sub-agent hangs on a turn without being a branch of the conversation. */
const hasForks = (row: GraphRow): boolean =>
  row.more > 0 || row.strokes.some(({ bend, dashed }) => bend === 'above' && !dashed) || row.branches.length > 1;

/** One sign of the icon set, with the lines ending short of it. */
function Sign({ at, icon, color }: { at: number; icon: IconName; color: string }) {
  const { line, fill } = GLYPHS[icon] as { line?: string; fill?: string };
  return (
    <>
      <circle className="mask" cx={at} cy={MIDDLE} r={9} />
      <g
        className="gl"
        transform={`translate(${at - 7} 7) scale(.875)`}
        strokeWidth={1.7}
        style={{ stroke: color, color }}
      >
        {line ? <path d={line} /> : null}
        {fill ? <path className="f" d={fill} /> : null}
      </g>
    </>
  );
}
