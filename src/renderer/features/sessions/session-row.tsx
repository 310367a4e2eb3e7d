import { memo, type Ref } from 'react';
import { tokensOf } from '../../../core/view/family-tree.ts';
import type { ParentKind, SessionRow as Row } from '../../../shared/session.ts';
import { useLineage } from '../../app/queries.ts';
import { useView } from '../../app/view-state.ts';
import { formatBytes, formatTokens, formatWhen } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { AgentMark } from '../../ui/agent-mark.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Status } from '../../ui/status.tsx';
import { placeOf, sizeOf, titleOf } from './words.ts';

const LARGE = 100_000_000;

interface SessionRowProps {
  ref?: Ref<HTMLDivElement>;
  row: Row;
  index: number;
  total: number;
  selected: boolean;
  focusable: boolean;
  expanded: boolean;
  onToggle(): void;
}

/** One session of the list: who, what, when; then its state, its place and its size; then only what is out of the ordinary. */
export const SessionRow = memo(function SessionRow({
  ref,
  row,
  index,
  total,
  selected,
  focusable,
  expanded,
  onToggle,
}: SessionRowProps) {
  const unread = useView((view) => view.unread.has(row.id));
  const dragged = useView((view) => view.drag?.session.id === row.id);
  const size = sizeOf(row);
  return (
    <div
      ref={ref}
      role="option"
      aria-selected={selected}
      aria-disabled={dragged || undefined}
      aria-setsize={total}
      aria-posinset={index + 1}
      tabIndex={focusable ? 0 : -1}
      data-entry
      data-index={index}
      data-session={row.id}
      className={`srow ${selected ? 'is-on' : ''} ${dragged ? 'is-drag' : ''}`}
    >
      {unread ? <span className="dot" role="img" aria-label={t.list.unread} /> : null}
      <AgentMark agent={row.agent} />
      <div className={`ti cut ${unread ? 'un' : ''}`}>{titleOf(row)}</div>
      <div className="tm">{row.last_activity === null ? '' : formatWhen(row.last_activity)}</div>
      <div className="l2">
        <Status status={row.status} />
        <span className="cut">{placeOf(row)}</span>
      </div>
      <div className="sz">{size === null ? '' : formatTokens(size)}</div>
      <Oddities row={row} expanded={expanded} onToggle={onToggle} />
    </div>
  );
});

/** "2 forks", "1 subagent", and what it is itself to its parent. */
function familyOf(row: Row): string[] {
  const kinds = Object.entries(row.kin) as [ParentKind, number][];
  const own = row.parent === null || row.parent_kind === null ? [] : [t.list.kin[row.parent_kind]];
  return [...own, ...kinds.map(([kind, n]) => t.list.children[kind](n))];
}

/** The third line: family, warnings, secrets, size. Not there when there is nothing to say. */
function Oddities({ row, expanded, onToggle }: { row: Row; expanded: boolean; onToggle(): void }) {
  const family = familyOf(row);
  const lineage = [...(row.branches > 1 ? [t.list.branches(row.branches)] : []), ...family].join(' · ');
  const { data } = useLineage(row.id, expanded && family.length > 0);
  const odd = lineage || row.warnings.length > 0 || row.redactions > 0 || row.bytes >= LARGE;
  if (!odd) return null;
  return (
    <div className="l3">
      {lineage ? (
        // Arrow keys do the same on the row; an option may not hold a button of its own.
        // biome-ignore lint/a11y/noStaticElementInteractions: a wider target for the mouse alone
        // biome-ignore lint/a11y/useKeyWithClickEvents: see above
        <span
          className="chip"
          onClick={(event) => {
            event.stopPropagation();
            onToggle();
          }}
        >
          {family.length > 0 ? (
            <Icon name={expanded ? 'chev-d' : 'chev-r'} size={12} />
          ) : (
            <Icon name="branch" size={12} />
          )}
          <span>{lineage}</span>
        </span>
      ) : null}
      {expanded && data ? <span className="cnt">{t.list.family(tokensOf(data))}</span> : null}
      {row.warnings.length > 0 ? (
        <Chip meaning="warn" icon="warn">
          {t.list.warnings(row.warnings.length)}
        </Chip>
      ) : null}
      {row.redactions > 0 ? <Chip icon="redact">{t.list.redacted(row.redactions)}</Chip> : null}
      {row.bytes >= LARGE ? (
        <Chip meaning="warn" icon="storage">
          {formatBytes(row.bytes)}
        </Chip>
      ) : null}
    </div>
  );
}
