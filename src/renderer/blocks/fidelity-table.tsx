import { useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import type { FidelityReport, FidelityRow, Outcome } from '../../shared/handoff.ts';
import { useClient } from '../app/client-context.ts';
import { queries } from '../app/queries.ts';
import { formatCount, formatPercent, formatTokens } from '../i18n/format.ts';
import { t } from '../i18n/t.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { eventPreview } from './event-preview.ts';
import { eventsOf, shares, worstFirst } from './fidelity.ts';

const LOOKS: Record<Outcome, { icon: IconName; className: string; share: string }> = {
  dropped: { icon: 'drop', className: 'fr-drop', share: 'drop' },
  summarised: { icon: 'approx', className: 'fr-sum', share: 'sum' },
  converted: { icon: 'convert', className: 'fr-conv', share: 'conv' },
  kept: { icon: 'check', className: 'fr-keep', share: 'keep' },
};

export const kindLabel = (kind: string): string => t.handoff.kinds[kind] ?? kind;

/** One stacked line by tokens; what is dropped is hatched. */
export function ShareBar({ report }: { report: FidelityReport }) {
  const parts = shares(report);
  const words = parts.map(
    (part) => `${formatPercent(part.tokens, report.tokens.total)} ${t.handoff.outcomes[part.outcome].toLowerCase()}`,
  );
  return (
    <div className="share" role="img" aria-label={t.handoff.share(words.join(', '))}>
      {parts.map((part) => (
        <i key={part.outcome} className={LOOKS[part.outcome].share} style={{ flex: part.tokens }} />
      ))}
    </div>
  );
}

interface FidelityTableProps {
  report: FidelityReport;
  session: string;
  onShowEvent(seq: number): void;
}

/** What becomes of each kind of block, worst first. A row opens the events it is about. */
export function FidelityTable({ report, session, onShowEvent }: FidelityTableProps) {
  const rows = worstFirst(report.rows);
  const [open, setOpen] = useState<string | null>(null);
  const { columns } = t.handoff;
  return (
    <table className="fid">
      <thead>
        <tr>
          <th scope="col">{columns.result}</th>
          <th scope="col">{columns.kind}</th>
          <th scope="col" className="num">
            {columns.blocks}
          </th>
          <th scope="col" className="num tok">
            {columns.tokens}
          </th>
          <th scope="col">{columns.how}</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const key = `${row.kind}.${row.outcome}.${row.how}`;
          return (
            <Fragment key={key}>
              <Row row={row} open={open === key} onToggle={() => setOpen(open === key ? null : key)} />
              {open === key ? <Events row={row} session={session} onShowEvent={onShowEvent} /> : null}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

function Row({ row, open, onToggle }: { row: FidelityRow; open: boolean; onToggle(): void }) {
  const look = LOOKS[row.outcome];
  const kind = kindLabel(row.kind);
  return (
    // The button in the last cell is the row's own control; a press anywhere on the row is only a wider target for it.
    <tr className="k-row" onClick={onToggle}>
      <td>
        <span className={`fr ${look.className}`}>
          <Icon name={look.icon} size={14} />
          <span>{t.handoff.outcomes[row.outcome]}</span>
        </span>
      </td>
      <td className="k">{kind}</td>
      <td className="num">{formatCount(row.count)}</td>
      <td className="num tok text-tx-3">{formatTokens(row.tokens)}</td>
      <td className="what" title={row.how}>
        {row.how}
      </td>
      <td>
        <button
          type="button"
          className="ib sm"
          aria-expanded={open}
          aria-label={t.handoff.showEvents(kind)}
          onClick={(event) => {
            event.stopPropagation();
            onToggle();
          }}
        >
          <Icon name={open ? 'chev-d' : 'chev-r'} size={12} />
        </button>
      </td>
    </tr>
  );
}

const PREVIEWED = 5;

function Events({ row, session, onShowEvent }: { row: FidelityRow; session: string; onShowEvent(seq: number): void }) {
  const [limit, setLimit] = useState(PREVIEWED);
  const { seqs, total } = eventsOf(row, limit);
  return (
    <tr className="sub">
      <td colSpan={6}>
        <ul aria-label={t.handoff.eventsOf(kindLabel(row.kind))}>
          {seqs.map((seq) => (
            <EventLine key={seq} seq={seq} session={session} onShow={() => onShowEvent(seq)} />
          ))}
          {total > seqs.length ? (
            <li>
              <span />
              <button type="button" className="link" onClick={() => setLimit(limit + 20)}>
                {t.handoff.moreEvents(total - seqs.length)}
              </button>
            </li>
          ) : null}
        </ul>
      </td>
    </tr>
  );
}

function EventLine({ seq, session, onShow }: { seq: number; session: string; onShow(): void }) {
  const { data } = useQuery(queries.event(useClient(), session, seq));
  return (
    <li>
      <button
        type="button"
        className="text-start hover:text-ac-tx"
        aria-label={t.reader.showEvent(seq)}
        onClick={onShow}
      >{`e${seq}`}</button>
      <span className="cut">{data ? eventPreview(data) : '…'}</span>
    </li>
  );
}
