import type { ReactNode } from 'react';
import type { GraphRow } from '../../../shared/lineage.ts';
import { formatDuration, formatTokens, formatWhen } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { AgentMark, agentColor } from '../../ui/agent-mark.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Status } from '../../ui/status.tsx';
import { Lanes } from './lanes.tsx';

/** The cells of one row of a graph. */
export function GraphCells({ row, width }: { row: GraphRow; width: number }) {
  return (
    <>
      <Lanes row={row} width={width} />
      <span className="tm">{row.ts === null ? '' : formatWhen(row.ts)}</span>
      <AgentMark agent={row.agent} size={14} />
      <span className="tx">
        <Text row={row} />
      </span>
      <span className="num">{row.tokens > 0 ? formatTokens(row.tokens) : ''}</span>
      <span className="num">{row.files > 0 ? row.files : ''}</span>
    </>
  );
}

function Text({ row }: { row: GraphRow }) {
  return (
    <>
      {row.head === null || row.head.label === '' ? null : <HeadLabel agent={row.agent} label={row.head.label} />}
      <Kind row={row} />
      {row.head === null || row.head.status === 'idle' ? null : <Status status={row.head.status} />}
      {row.errors > 0 ? (
        <span className="row gap-1 text-11 text-bad-tx">
          <Icon name="error" size={12} />
          {t.graph.errors(row.errors)}
        </span>
      ) : null}
      {row.active ? null : <span className="cnt">{t.graph.dead}</span>}
      {row.exact ? null : <span className="cnt">{t.graph.aboutHere}</span>}
      {row.more > 0 ? <span className="cnt">{t.graph.more(row.more)}</span> : null}
    </>
  );
}

function HeadLabel({ agent, label }: { agent: string; label: string }) {
  return (
    <span className="head-l" style={{ color: agentColor(agent) }} title={label}>
      {label}
    </span>
  );
}

function Kind({ row }: { row: GraphRow }): ReactNode {
  const text = row.text === '' ? null : <span className="cut">{row.text}</span>;
  const named = (name: string, more: ReactNode = text) => (
    <>
      <b className="font-label">{name}</b>
      {more}
    </>
  );
  switch (row.kind) {
    case 'start':
      return named(row.came === 'reset' ? t.list.kin.reset : t.graph.start);
    case 'handoff':
      return named(t.graph.continued);
    case 'merge':
      return named(t.graph.merged);
    case 'compaction':
      return named(t.graph.compacted, <span className="cut text-tx-3">{t.graph.window(row.before, row.after)}</span>);
    case 'subagent':
      return (
        <>
          {text}
          <span className="cnt">{t.graph.subagent(row.turns)}</span>
        </>
      );
    case 'run':
      return (
        <span className="cut text-tx-3">
          {[
            t.graph.turns(row.turns),
            row.seconds === null ? '' : formatDuration(row.seconds * 1000),
            row.files === 0 ? '' : t.graph.files(row.files),
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
      );
    case 'turn':
      return row.came === null || row.came === 'handoff' ? text : named(t.list.kin[row.came]);
  }
}

/** What a screen reader is told of a row. */
export function graphRowName(row: GraphRow): string {
  return [
    row.kind === 'turn' ? t.graph.turn(row.turn) : t.graph.kinds[row.kind],
    row.kind === 'compaction' ? t.graph.window(row.before, row.after) : row.text,
    row.head?.label ?? '',
    row.branches.length > 0 ? t.graph.startHere(row.branches.length + row.more) : '',
    row.errors > 0 ? t.graph.errors(row.errors) : '',
    row.active ? '' : t.graph.dead,
  ]
    .filter(Boolean)
    .join(', ');
}
