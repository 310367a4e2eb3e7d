import { receiptHash, verifyReceipt } from '../../core/log/receipt.ts';
import type { Receipt, Verdict } from '../../shared/handoff.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { StoreReader } from '../store/contract.ts';
import { checkSession } from './session.ts';

type Check = Verdict['checks'][number];

const PAGE = 500;

/** Checks every session and the whole chain of receipts. Sound sessions are summed up; each unsound one is named. */
export async function verifyStore(
  reader: StoreReader,
  publicKey: string,
  onProgress?: (done: number, total: number) => void,
): Promise<Verdict> {
  const checks: Check[] = [];
  let sessions = 0;
  let events = 0;
  for await (const { row, total } of allSessions(reader)) {
    const verdict = await checkSession(reader, row, publicKey);
    for (const check of verdict.checks)
      if (!check.ok) checks.push({ ...check, id: `${row.id}:${check.id}`, text: `${row.id}: ${check.text}` });
    sessions++;
    events += row.events;
    onProgress?.(sessions, total);
  }
  const sound = checks.length === 0;
  checks.unshift({
    id: 'sessions',
    ok: sound,
    text: sound
      ? `All sessions are sound: ${sessions}, with ${events} events`
      : `Not all of the ${sessions} sessions are sound`,
  });
  checks.push(await checkReceipts(reader, publicKey));
  return { ok: checks.every((check) => check.ok), checks };
}

/** Every session of the store, sub-agents and empty ones too, the oldest first. */
export async function* allSessions(reader: StoreReader): AsyncGenerator<{ row: SessionRow; total: number }> {
  for (let offset = 0; ; offset += PAGE) {
    const { rows, total } = await reader.sessions({
      subagents: true,
      empty: true,
      sort: 'oldest',
      offset,
      limit: PAGE,
    });
    for (const row of rows) yield { row, total };
    if (rows.length < PAGE) return;
  }
}

/** Receipts come newest first: each must name the hash of the one that follows in the list. */
async function checkReceipts(reader: StoreReader, publicKey: string): Promise<Check> {
  let newer: Receipt | null = null;
  let seen = 0;
  for (let offset = 0; ; offset += PAGE) {
    const { rows, total } = await reader.receipts({ offset, limit: PAGE });
    for (const receipt of rows) {
      if (!verifyReceipt(receipt, publicKey).ok)
        return broken(`Receipt ${receipt.id} was changed: its signature does not match`);
      if (newer !== null && newer.previous !== receiptHash(receipt))
        return broken(`Receipt ${newer.id} does not follow ${receipt.id}: one was removed, changed or put between`);
      newer = receipt;
      seen++;
    }
    if (rows.length === 0 || seen >= total) break;
  }
  if (newer !== null && newer.position !== 0)
    return broken(`The first receipts are missing: the oldest is number ${newer.position}`);
  return {
    id: 'receipts',
    ok: true,
    text: seen === 0 ? 'No receipts yet' : `All receipts are signed and follow each other: ${seen}`,
  };
}

const broken = (text: string): Check => ({ id: 'receipts', ok: false, text });
