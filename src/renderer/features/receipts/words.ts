import type { Receipt, Verdict } from '../../../shared/handoff.ts';
import { formatSpoken } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { agentLabel } from '../../ui/agent-mark.tsx';
import type { IconName } from '../../ui/icon.tsx';

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const ICONS: Record<Receipt['action'], IconName> = {
  handoff: 'handoff',
  'handoff.undo': 'undo',
  export: 'export',
  import: 'import',
};
export const actionIcon = (receipt: Receipt): IconName => ICONS[receipt.action];
export const actionWord = (receipt: Receipt): string => t.receipts.actions[receipt.action] ?? receipt.action;

/** What a receipt is about, in a line: the session's title, and where it went. */
export function subjectOf(receipt: Receipt): string {
  const title = text(receipt.facts.title) ?? receipt.session_id;
  const to = text(receipt.facts.to) ?? text(receipt.facts.to_agent);
  return receipt.action === 'handoff' && to ? `${title} → ${agentLabel(to)}` : title;
}

/** The sentence for people on top of a receipt. */
export function sentenceOf(receipt: Receipt): string {
  const when = formatSpoken(new Date(receipt.at));
  const title = text(receipt.facts.title) ?? t.receipts.thisSession;
  switch (receipt.action) {
    case 'handoff': {
      const to = text(receipt.facts.to) ?? text(receipt.facts.to_agent);
      return t.receipts.said.handoff(when, title, to ? agentLabel(to) : t.receipts.thisSession);
    }
    case 'handoff.undo':
      return t.receipts.said.undo(when, title);
    case 'export':
      return t.receipts.said.export(when, title);
    case 'import':
      return t.receipts.said.import(when, title);
  }
}

/** Checks with the failed ones first: the eye looks there. */
export const failedFirst = (verdict: Verdict): Verdict['checks'] =>
  [...verdict.checks].sort((a, b) => Number(a.ok) - Number(b.ok));
