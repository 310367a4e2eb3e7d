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
  fork: 'fork',
};
export const actionIcon = (receipt: Receipt): IconName => ICONS[receipt.action];
export const actionWord = (receipt: Receipt): string => t.receipts.actions[receipt.action] ?? receipt.action;

/** The agent a handoff went to, as the facts name it: by id, or as a record with an `agent`. */
function targetOf(receipt: Receipt): string | undefined {
  const to = receipt.facts.to ?? receipt.facts.to_agent;
  const agent = typeof to === 'object' && to !== null && 'agent' in to ? text(to.agent) : text(to);
  return agent === undefined ? undefined : agentLabel(agent);
}

/** What a receipt is about, in a line: the session's title, and where it went. */
export function subjectOf(receipt: Receipt, title: string | undefined): string {
  const to = receipt.action === 'handoff' ? targetOf(receipt) : undefined;
  const subject = text(receipt.facts.title) ?? title ?? receipt.session_id;
  return to ? `${subject} → ${to}` : subject;
}

/** The sentence for people on top of a receipt. */
export function sentenceOf(receipt: Receipt, known: string | undefined): string {
  const when = formatSpoken(new Date(receipt.at));
  const title = text(receipt.facts.title) ?? known ?? receipt.session_id;
  switch (receipt.action) {
    case 'handoff':
      return t.receipts.said.handoff(when, title, targetOf(receipt) ?? t.receipts.anotherAgent);
    case 'handoff.undo':
      return t.receipts.said.undo(when, title);
    case 'export':
      return t.receipts.said.export(when, title, formOf(receipt));
    case 'import':
      return t.receipts.said.import(when, title);
    case 'fork':
      return t.receipts.said.fork(when, title);
  }
}

/** What kind of file an export wrote: sessions in an agent's own form name no form. */
function formOf({ facts }: Receipt): string {
  const { forms } = t.receipts.said;
  const form = text(facts.form);
  return form !== undefined && Object.hasOwn(forms, form) ? forms[form as keyof typeof forms] : forms.native;
}

/** A fact's name as people write it: `operation_id` is "Operation id". */
export const factWord = (name: string): string => (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('_', ' ');

export const factValue = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? t.receipts.yes : t.receipts.no) : String(value);

/** Checks with the failed ones first: the eye looks there. */
export const failedFirst = (verdict: Verdict): Verdict['checks'] =>
  [...verdict.checks].sort((a, b) => Number(a.ok) - Number(b.ok));
