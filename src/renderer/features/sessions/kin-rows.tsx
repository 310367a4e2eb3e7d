import { familyTree } from '../../../core/view/family-tree.ts';
import type { SessionRow } from '../../../shared/session.ts';
import { useLineage } from '../../app/queries.ts';
import { formatWhen } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { AgentMark } from '../../ui/agent-mark.tsx';
import { Status } from '../../ui/status.tsx';
import { titleOf } from './words.ts';

/** The family of a session, opened in place: forks, continuations, subagents, each on a line of its own below its parent. */
export function KinRows({ row, openId, onOpen }: { row: SessionRow; openId: string | null; onOpen(id: string): void }) {
  const { data } = useLineage(row.id);
  const kin = familyTree(data ?? []).filter((member) => member.row.id !== row.id);
  return kin.map(({ row: other, depth }, i) => (
    <KinRow
      key={other.id}
      row={other}
      depth={Math.max(0, depth - 1)}
      last={i === kin.length - 1}
      selected={other.id === openId}
      onOpen={() => onOpen(other.id)}
    />
  ));
}

interface KinRowProps {
  row: SessionRow;
  /** 0 = right below the oldest of the family */
  depth: number;
  last: boolean;
  selected: boolean;
  onOpen(): void;
}

function KinRow({ row, depth, last, selected, onOpen }: KinRowProps) {
  const relation = t.list.kin[row.parent_kind ?? 'none'];
  return (
    // Enter is handled by the list, as for every option.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div
      role="option"
      aria-selected={selected}
      aria-label={`${relation}: ${titleOf(row)}`}
      tabIndex={-1}
      data-session={row.id}
      className={`kin ${selected ? 'is-on' : ''}`}
      style={{ marginInlineStart: 8 + depth * 14 }}
      onClick={(event) => {
        event.stopPropagation();
        onOpen();
      }}
    >
      <svg className="lane" viewBox="0 0 20 28" aria-hidden="true">
        <path d={last ? 'M8 0V8' : 'M8 0V28'} />
        <path d="M8 4v4a6 6 0 0 0 6 6h4" />
      </svg>
      <AgentMark agent={row.agent} size={14} />
      <span className="cut" title={relation}>
        {titleOf(row)}
      </span>
      <span className="tm row gap-1.5">
        <Status status={row.status} iconOnly />
        <span>{row.last_activity === null ? '' : formatWhen(row.last_activity)}</span>
      </span>
    </div>
  );
}
