import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { toAppError } from '../../../shared/errors.ts';
import type { Receipt } from '../../../shared/handoff.ts';
import { useClient } from '../../app/client-context.ts';
import { useAppEvents } from '../../app/live.ts';
import { PagedWindow } from '../../app/paged-window.ts';
import { queries, useInfo } from '../../app/queries.ts';
import { indexes, useWindow } from '../../app/use-window.ts';
import { formatCount, formatWhen } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { usePane } from '../../keymap/panes.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icon.tsx';
import { sayError } from '../../ui/toast.tsx';
import { useRoving, visibleRange } from '../../ui/use-roving.ts';
import { ReceiptDetail } from './receipt-detail.tsx';
import { actionIcon, actionWord, subjectOf } from './words.ts';

type ReceiptWindow = PagedWindow<Receipt>;

function useReceipts(): ReceiptWindow {
  const client = useClient();
  const view = useMemo(
    () =>
      new PagedWindow<Receipt>({
        pageSize: 100,
        keep: 500,
        fetch: (offset, limit, signal) => client.call('receipts.list', { offset, limit }, signal),
        onError: (thrown) => sayError(toAppError(thrown).message),
      }),
    [client],
  );
  useEffect(() => {
    view.ensure(0, 40);
    return () => view.close();
  }, [view]);
  useAppEvents((event) => {
    if (event.topic === 'receipt') view.invalidate();
  });
  return useWindow(view);
}

interface ReceiptsViewProps {
  openId: string | null;
  onOpen(id: string): void;
  onOpenSession(id: string): void;
  onBack(): void;
}

/** Every receipt with its verdict, and the chosen one with its checks. */
export function ReceiptsView({ openId, onOpen, onOpenSession, onBack }: ReceiptsViewProps) {
  const view = useReceipts();
  const total = view.total ?? 0;
  const keys = useInfo()?.keys;
  return (
    <>
      <section className="pane side l" aria-label={t.receipts.label} data-pane="list" tabIndex={-1}>
        <div className="head">
          <h2 className="text-15">{t.receipts.label}</h2>
          <span className="cnt">{formatCount(total)}</span>
          <span className="fill" />
          <VerifyAll view={view} total={total} />
        </div>
        {view.total === 0 ? (
          <Empty icon="receipts" title={t.receipts.none} why={t.receipts.noneWhy} />
        ) : (
          <ReceiptRows view={view} total={total} openId={openId} onOpen={onOpen} />
        )}
        {keys ? (
          <div className="foot text-12 text-tx-3">
            <Icon name="key" size={14} />
            <span className="cut">{keys.text}</span>
          </div>
        ) : null}
      </section>
      <main className="pane main" data-pane="main" tabIndex={-1}>
        {openId === null ? (
          <Empty icon="receipts" title={t.receipts.choose} why={t.receipts.chooseWhy} />
        ) : (
          <ReceiptDetail key={openId} id={openId} total={total} onOpenSession={onOpenSession} onBack={onBack} />
        )}
      </main>
    </>
  );
}

/** Verifies one after the other, so that a long chain does not ask for everything at once. */
function VerifyAll({ view, total }: { view: ReceiptWindow; total: number }) {
  const client = useClient();
  const queryClient = useQueryClient();
  const [done, setDone] = useState<number | null>(null);
  const run = async () => {
    for (let i = 0; i < total; i += 1) {
      setDone(i);
      const receipt = view.get(i) ?? (await client.call('receipts.list', { offset: i, limit: 1 })).rows[0];
      if (receipt)
        await queryClient.fetchQuery({ ...queries.verdict(client, receipt.id), staleTime: 0 }).catch(() => undefined);
    }
    setDone(null);
  };
  return (
    <Button icon="refresh" disabled={done !== null || total === 0} onClick={() => void run()}>
      {done === null ? t.receipts.verifyAll : t.receipts.verifyingAll(done, total)}
    </Button>
  );
}

function ReceiptRows({
  view,
  total,
  openId,
  onOpen,
}: {
  view: ReceiptWindow;
  total: number;
  openId: string | null;
  onOpen(id: string): void;
}) {
  const list = useRef<HTMLDivElement>(null);
  const handle = useRef<VirtualizerHandle>(null);
  const { active, go, mark } = useRoving(list, handle, total);
  const look = () => {
    if (handle.current) view.ensure(...visibleRange(handle.current));
  };
  const open = (index: number) => {
    const receipt = view.get(index);
    if (receipt) onOpen(receipt.id);
  };
  const step = (delta: 1 | -1) => go(list.current?.contains(document.activeElement) ? active + delta : active);
  usePane('list', {
    actions: { next: () => step(1), previous: () => step(-1), first: () => go(0), last: () => go(total - 1) },
  });
  const { columns } = t.receipts;
  return (
    <>
      <div className="rcp-head" aria-hidden="true">
        <span>{columns.time}</span>
        <span>{columns.action}</span>
        <span>{columns.subject}</span>
        <span>{columns.verdict}</span>
      </div>
      <div
        ref={list}
        className="scroll list-body"
        role="listbox"
        aria-label={t.receipts.label}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') step(1);
          else if (event.key === 'ArrowUp') step(-1);
          else if (event.key === 'Enter') open(active);
          else return;
          event.preventDefault();
        }}
        onClick={(event) => {
          const index = (event.target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset.index;
          if (index === undefined) return;
          mark(Number(index));
          open(Number(index));
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
            return (
              <div
                key={receipt?.id ?? index}
                role="option"
                aria-selected={receipt?.id === openId}
                aria-setsize={total}
                aria-posinset={index + 1}
                tabIndex={index === active ? 0 : -1}
                data-entry
                data-index={index}
                className={`rcp in ${receipt?.id === openId ? 'is-on' : ''}`}
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

function ReceiptCells({ receipt }: { receipt: Receipt }) {
  return (
    <>
      <span className="text-tx-3">{formatWhen(Date.parse(receipt.at) / 1000)}</span>
      <span className="row gap-1.5">
        <Icon name={actionIcon(receipt)} size={14} tone="quiet" />
        <span className="cut">{actionWord(receipt)}</span>
      </span>
      <span className="cut" title={subjectOf(receipt)}>
        {subjectOf(receipt)}
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
