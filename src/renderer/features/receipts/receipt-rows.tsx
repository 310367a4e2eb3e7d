import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useRef } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import type { Receipt } from '../../../shared/handoff.ts';
import { useClient } from '../../app/client-context.ts';
import type { PagedWindow } from '../../app/paged-window.ts';
import { queries, useSession } from '../../app/queries.ts';
import { indexes } from '../../app/use-window.ts';
import { formatWhen } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { usePane } from '../../keymap/panes.ts';
import { Icon } from '../../ui/icon.tsx';
import { useRoving, visibleRange } from '../../ui/use-roving.ts';
import { titleOf } from '../sessions/words.ts';
import { actionIcon, actionWord, subjectOf } from './words.ts';

export type ReceiptWindow = PagedWindow<Receipt>;

interface ReceiptRowsProps {
  view: ReceiptWindow;
  total: number;
  openId: string | null;
  onOpen(id: string): void;
}

/** The receipts, newest first, virtual over their number. */
export function ReceiptRows({ view, total, openId, onOpen }: ReceiptRowsProps) {
  const list = useRef<HTMLDivElement>(null);
  const handle = useRef<VirtualizerHandle>(null);
  const { active, go, mark } = useRoving(list, handle, total, view);
  const look = () => {
    if (handle.current) view.ensure(...visibleRange(handle.current));
  };
  const open = (index: number) => {
    const receipt = view.get(index);
    mark(index);
    if (receipt) onOpen(receipt.id);
  };
  const step = (delta: 1 | -1) => go(list.current?.contains(document.activeElement) ? active + delta : active);
  usePane('list', {
    actions: { next: () => step(1), previous: () => step(-1), first: () => go(0), last: () => go(total - 1) },
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') step(1);
    else if (event.key === 'ArrowUp') step(-1);
    else if (event.key === 'Enter') open(active);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <Columns />
      <div
        ref={list}
        className="scroll list-body"
        role="listbox"
        aria-label={t.receipts.label}
        onKeyDown={onKeyDown}
        onClick={(event) => {
          const index = (event.target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset.index;
          if (index !== undefined) open(Number(index));
        }}
      >
        <Virtualizer
          ref={handle}
          data={indexes(total)}
          keepMounted={total > 0 ? [active] : []}
          onScroll={look}
          itemSize={32}
        >
          {(_, index) => {
            const receipt = view.get(index);
            const on = receipt !== undefined && receipt.id === openId;
            return (
              <div
                key={receipt?.id ?? index}
                role="option"
                aria-selected={on}
                aria-setsize={total}
                aria-posinset={index + 1}
                tabIndex={index === active ? 0 : -1}
                data-entry
                data-index={index}
                className={`rcp in ${on ? 'is-on' : ''}`}
              >
                {receipt ? <ReceiptCells receipt={receipt} /> : null}
              </div>
            );
          }}
        </Virtualizer>
      </div>
    </>
  );
}

function Columns() {
  const { columns } = t.receipts;
  return (
    <div className="rcp-head" aria-hidden="true">
      <span>{columns.time}</span>
      <span>{columns.action}</span>
      <span>{columns.subject}</span>
      <span>{columns.verdict}</span>
    </div>
  );
}

function ReceiptCells({ receipt }: { receipt: Receipt }) {
  const session = useSession(receipt.session_id).data;
  const subject = subjectOf(receipt, session && titleOf(session));
  return (
    <>
      <span className="text-tx-3">{formatWhen(Date.parse(receipt.at) / 1000)}</span>
      <span className="row gap-1.5">
        <Icon name={actionIcon(receipt)} size={14} tone="quiet" />
        <span className="cut">{actionWord(receipt)}</span>
      </span>
      <span className="cut" title={subject}>
        {subject}
      </span>
      <VerdictWord id={receipt.id} />
    </>
  );
}

/** The verdict of this window's last check; what was not checked is said to be so. */
function VerdictWord({ id }: { id: string }) {
  const { data } = useQuery({ ...queries.verdict(useClient(), id), enabled: false });
  if (!data) {
    return (
      <span className="verdict text-tx-3">
        <Icon name="s-idle" size={14} />
        {t.receipts.verdicts.unchecked}
      </span>
    );
  }
  return (
    <span className={`verdict ${data.ok ? 'text-ok-tx' : 'text-bad-tx'}`}>
      <Icon name={data.ok ? 'ok' : 'error'} size={14} />
      {data.ok ? t.receipts.verdicts.verified : t.receipts.verdicts.failed}
    </span>
  );
}
