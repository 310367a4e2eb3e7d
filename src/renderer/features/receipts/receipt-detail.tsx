import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { toAppError } from '../../../shared/errors.ts';
import type { Receipt, Verdict } from '../../../shared/handoff.ts';
import { useClient } from '../../app/client-context.ts';
import { queries, useSession } from '../../app/queries.ts';
import { Inked } from '../../blocks/inked.tsx';
import { formatBytes, formatClock, shortHash } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { usePane } from '../../keymap/panes.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy.ts';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useHandoffActions } from '../handoff/use-handoff-actions.ts';
import { titleOf } from '../sessions/words.ts';
import { actionIcon, actionWord, factValue, factWord, failedFirst, sentenceOf } from './words.ts';

interface ReceiptDetailProps {
  id: string;
  total: number;
  onOpenSession(id: string): void;
  onBack(): void;
}

/** One receipt: the verdict, a sentence, each check, what went in and out, the signed text, and what it does not show. */
export function ReceiptDetail({ id, total, onOpenSession, onBack }: ReceiptDetailProps) {
  const client = useClient();
  const receipt = useQuery(queries.receipt(client, id));
  const verdict = useQuery(queries.verdict(client, id));
  const session = useSession(receipt.data?.session_id ?? '').data;
  usePane('main', { actions: { back: onBack } });
  if (receipt.error) return <Empty icon="error" title={t.app.failed} why={toAppError(receipt.error).message} />;
  if (!receipt.data) return <div className="scroll" aria-busy="true" />;
  return (
    <>
      <div className="head line">
        <Icon name={actionIcon(receipt.data)} size={18} />
        <h2 className="text-15">{actionWord(receipt.data)}</h2>
        <span className="cnt">
          {t.receipts.position(receipt.data.position + 1, Math.max(total, receipt.data.position + 1))}
        </span>
        <span className="fill" />
        <UndoButton receipt={receipt.data} />
        <Button icon="refresh" disabled={verdict.isFetching} onClick={() => void verdict.refetch()}>
          {verdict.data ? t.receipts.verifyAgain : t.receipts.verify}
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <div className="scroll in px-6 py-5" tabIndex={0} data-entry>
        <div className="measure">
          {verdict.data ? <VerdictHead verdict={verdict.data} at={verdict.dataUpdatedAt / 1000} /> : null}
          {verdict.error ? <p className="mb-2 text-bad-tx">{toAppError(verdict.error).message}</p> : null}
          <p className="say">{sentenceOf(receipt.data, session && titleOf(session))}</p>
          {verdict.data ? <Checks verdict={verdict.data} /> : null}
          <Subjects receipt={receipt.data} onOpenSession={onOpenSession} />
          <Canonical receipt={receipt.data} />
          <p className="note mt-4">{t.receipts.honest}</p>
        </div>
      </div>
    </>
  );
}

/** Takes the handoff of this receipt back; one that was is not offered again. */
function UndoButton({ receipt }: { receipt: Receipt }) {
  const actions = useHandoffActions();
  const operation = receipt.facts.operation_id;
  const [busy, setBusy] = useState(false);
  if (receipt.action !== 'handoff' || typeof operation !== 'string') return null;
  const undo = () => {
    setBusy(true);
    void actions.takeBack(operation, receipt.session_id).finally(() => setBusy(false));
  };
  return (
    <Button icon="undo" disabled={busy} onClick={undo}>
      {t.receipts.takeBack}
    </Button>
  );
}

function VerdictHead({ verdict, at }: { verdict: Verdict; at: number }) {
  const passed = verdict.checks.filter((check) => check.ok).length;
  return (
    <div className={`row mb-2 ${verdict.ok ? 'text-ok-tx' : 'text-bad-tx'}`} role="status">
      <Icon name={verdict.ok ? 'ok' : 'error'} size={20} />
      <span className="text-15">{verdict.ok ? t.receipts.verdicts.verified : t.receipts.verdicts.failed}</span>
      <span className="text-12 text-tx-3">
        {formatClock(at)},{' '}
        {verdict.ok ? t.receipts.allChecks(passed) : t.receipts.someChecks(passed, verdict.checks.length)}
      </span>
    </div>
  );
}

function Checks({ verdict }: { verdict: Verdict }) {
  return (
    <>
      <h3 className="mt-5 mb-1 font-title">{t.receipts.checks}</h3>
      <ul className="ver-list">
        {failedFirst(verdict).map((check) => (
          <li key={check.id} className={check.ok ? '' : 'is-bad'}>
            <Icon name={check.ok ? 'check' : 'drop'} size={14} tone={check.ok ? 'ok' : 'bad'} />
            <span className={`wrap-anywhere font-label ${check.detail ? '' : 'col-span-2'}`}>{check.text}</span>
            {check.detail ? <span className="why wrap-anywhere">{check.detail}</span> : null}
          </li>
        ))}
      </ul>
    </>
  );
}

function Subjects({ receipt, onOpenSession }: { receipt: Receipt; onOpenSession(id: string): void }) {
  const facts = Object.entries(receipt.facts).filter(([, value]) => value !== null && typeof value !== 'object');
  return (
    <>
      <h3 className="mt-5 mb-1 font-title">{t.receipts.inAndOut}</h3>
      <table className="tbl tight">
        <tbody>
          {receipt.subjects.map((subject) => (
            <tr key={`${subject.name} ${subject.sha256}`}>
              <td className="!ps-0 text-tx-3">{factWord(subject.name)}</td>
              <td className="cut" title={subject.path}>
                {subject.path ?? (
                  <button type="button" className="link" onClick={() => onOpenSession(receipt.session_id)}>
                    {receipt.session_id}
                  </button>
                )}
              </td>
              <td
                className="mono !text-11 text-tx-3"
                title={subject.sha256}
              >{`sha256 ${shortHash(subject.sha256)}`}</td>
              <td className="num !pe-0 text-tx-3">{subject.bytes === undefined ? '' : formatBytes(subject.bytes)}</td>
            </tr>
          ))}
          <tr>
            <td className="!ps-0 text-tx-3">{t.receipts.key}</td>
            <td className="mono cut" title={receipt.key_id}>
              {receipt.key_id}
            </td>
            <td />
            <td />
          </tr>
          {facts.map(([name, value]) => (
            <tr key={name}>
              <td className="!ps-0 text-tx-3">{factWord(name)}</td>
              <td className="cut" colSpan={3} title={String(value)}>
                {factValue(value)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function Canonical({ receipt }: { receipt: Receipt }) {
  const [open, setOpen] = useState(false);
  const json = JSON.stringify(receipt);
  return (
    <div className="tools mt-3">
      <div className="flex items-center">
        <button type="button" className="tool" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name={open ? 'chev-d' : 'chev-r'} size={12} />
          <Icon name="file" size={14} />
          <span className="nm">{t.receipts.canonical}</span>
          <span className="arg cut">{t.receipts.canonicalHow(new TextEncoder().encode(json).length)}</span>
        </button>
        <IconButton icon="copy" small label={t.receipts.copyJson} onClick={() => void copyText(json)} />
      </div>
      {open ? (
        <div className="tool-b">
          <pre className="code !whitespace-pre-wrap wrap-anywhere">
            <Inked code={json} />
          </pre>
        </div>
      ) : null}
    </div>
  );
}
