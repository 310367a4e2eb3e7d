import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { toAppError } from '../../../shared/errors.ts';
import type { Receipt } from '../../../shared/handoff.ts';
import { useClient } from '../../app/client-context.ts';
import { useAppEvents } from '../../app/live.ts';
import { PagedWindow } from '../../app/paged-window.ts';
import { queries, useInfo } from '../../app/queries.ts';
import { useWindow } from '../../app/use-window.ts';
import { formatCount } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icon.tsx';
import { sayError } from '../../ui/toast.tsx';
import { ReceiptDetail } from './receipt-detail.tsx';
import { ReceiptRows, type ReceiptWindow } from './receipt-rows.tsx';

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
    if (event.topic === 'receipt' || event.topic === 'missed') view.invalidate();
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
      if (receipt) await queryClient.fetchQuery({ ...queries.verdict(client, receipt.id), staleTime: 0 });
    }
  };
  const start = () => {
    run()
      .catch((thrown) => sayError(toAppError(thrown).message))
      .finally(() => setDone(null));
  };
  return (
    <Button icon="refresh" disabled={done !== null || total === 0} onClick={start}>
      {done === null ? t.receipts.verifyAll : t.receipts.verifyingAll(done, total)}
    </Button>
  );
}
