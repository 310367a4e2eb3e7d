import { useState } from 'react';
import type { GraphRow } from '../../../shared/lineage.ts';
import { useSession } from '../../app/queries.ts';
import { t } from '../../i18n/t.ts';
import { ChipButton } from '../../ui/chip.tsx';
import { Empty } from '../../ui/empty.tsx';
import { titleOf } from '../sessions/words.ts';
import { GraphRows } from './graph-rows.tsx';
import { useGraph } from './use-graph.ts';

interface GraphViewProps {
  /** session whose family is drawn, and whose line comes first */
  id: string;
  chosen: GraphRow | null;
  onChoose(row: GraphRow | null): void;
  onOpenEvent(session: string, seq: number): void;
  onBack(): void;
}

/** The family of a session as lanes: where it came from, what came from it, and what happened on the way. */
export function GraphView({ id, chosen, onChoose, onOpenEvent, onBack }: GraphViewProps) {
  const [rows, setRows] = useState<'turns' | 'segments'>('segments');
  const [subagents, setSubagents] = useState(true);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const { view, facts } = useGraph(id, { rows, subagents, open: [...open] });
  const session = useSession(id).data;
  const total = view.total ?? 0;
  const change = (run: string, isOpen: boolean) => {
    const next = new Set(open);
    if (isOpen) next.add(run);
    else next.delete(run);
    setOpen(next);
  };
  return (
    <>
      <div className="head line">
        <h2 className="cut text-15" title={session && titleOf(session)}>
          {session ? titleOf(session) : t.graph.label}
        </h2>
        {facts ? (
          <span className="cnt flex-none">{t.graph.family(facts.sessions, facts.events, facts.tokens)}</span>
        ) : null}
      </div>
      <div className="bar line">
        <span className="fill" />
        <ChipButton on={subagents} aria-pressed={subagents} onClick={() => setSubagents(!subagents)}>
          {t.graph.subagents}
        </ChipButton>
        <fieldset className="seg m-0" aria-label={t.graph.rowsLabel}>
          {(['turns', 'segments'] as const).map((choice) => (
            <button
              key={choice}
              type="button"
              className={rows === choice ? 'is-on' : ''}
              aria-pressed={rows === choice}
              onClick={() => setRows(choice)}
            >
              {t.graph.rows[choice]}
            </button>
          ))}
        </fieldset>
      </div>
      {view.total === 0 ? (
        <Empty icon="graph" title={t.graph.none} why={t.graph.noneWhy} />
      ) : (
        <GraphRows
          view={view}
          total={total}
          chosen={chosen?.id ?? null}
          open={open}
          onChoose={onChoose}
          onOpen={(row) => onOpenEvent(row.session, row.seq)}
          onExpand={(run) => change(run, true)}
          onCollapse={(run) => change(run, false)}
          onBack={onBack}
        />
      )}
    </>
  );
}
