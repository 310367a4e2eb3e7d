import { familyTree, tokensOf } from '../../../core/view/family-tree.ts';
import type { SessionRow } from '../../../shared/session.ts';
import { useLineage } from '../../app/queries.ts';
import { formatWhen } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { AgentMark } from '../../ui/agent-mark.tsx';
import { Status } from '../../ui/status.tsx';
import { titleOf } from '../sessions/words.ts';

/** The family of a session: what it came from and what came from it, indented by descent. */
export function LineagePanel({ id, onOpenSession }: { id: string; onOpenSession(id: string): void }) {
  const { data } = useLineage(id);
  const members = familyTree(data ?? []);
  if (!data) return null;
  if (members.length < 2) return <p className="p-3 text-12 text-tx-3">{t.inspector.noLineage}</p>;
  return (
    <>
      <ul className="py-2" aria-label={t.inspector.lineage}>
        {members.map(({ row, depth }) => (
          <Member key={row.id} row={row} depth={depth} here={row.id === id} onOpen={() => onOpenSession(row.id)} />
        ))}
      </ul>
      <p className="px-3 text-11 text-tx-3">{t.inspector.familyUsage(tokensOf(data))}</p>
    </>
  );
}

function Member({ row, depth, here, onOpen }: { row: SessionRow; depth: number; here: boolean; onOpen(): void }) {
  return (
    <li style={{ paddingInlineStart: depth * 14 }}>
      <button
        type="button"
        className={`row in h-7 w-full px-3 text-start text-12 ${here ? 'bg-sel' : 'hover:bg-hover'}`}
        aria-current={here ? 'true' : undefined}
        title={titleOf(row)}
        onClick={onOpen}
      >
        <AgentMark agent={row.agent} size={14} />
        <span className="cut fill">{titleOf(row)}</span>
        <span className="cnt">{here ? t.inspector.thisOne : t.list.kin[row.parent_kind ?? 'none']}</span>
        <Status status={row.status} iconOnly />
        <span className="cnt">{row.last_activity === null ? '' : formatWhen(row.last_activity)}</span>
      </button>
    </li>
  );
}
