import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { databasePath } from '../../../adapters/io/database-path.ts';
import { verifyReceipt } from '../../core/log/receipt.ts';
import type { Receipt, Verdict } from '../../shared/handoff.ts';
import type { StoreReader } from '../store/contract.ts';

type Check = Verdict['checks'][number];
type Subject = Receipt['subjects'][number];

/** What stands in the target's database where a receipt says that a session was written; null = it cannot be told. */
export type Standing = (receipt: Receipt, subject: Subject) => Promise<'same' | 'other' | 'absent' | null>;

/**
 * Checks a receipt with a key from outside of it: signature, its link to the receipt before it, and whether the things it
 * names are still as they were.
 */
export async function checkReceipt(
  reader: StoreReader,
  receipt: Receipt,
  publicKey: string,
  standing: Standing = async () => null,
): Promise<Verdict> {
  const previous = receipt.position === 0 ? null : await receiptAt(reader, receipt.position - 1);
  const verdict = verifyReceipt(receipt, publicKey, previous);
  const checks = [...verdict.checks];
  for (const subject of receipt.subjects) checks.push(await checkSubject(reader, receipt, subject, standing));
  return { ok: checks.every((check) => check.ok), checks };
}

/** The receipt at a position of the chain; null when it is missing. The list is ordered by position, newest first. */
async function receiptAt(reader: StoreReader, position: number): Promise<Receipt | null> {
  const { total } = await reader.receipts({ offset: 0, limit: 1 });
  const { rows } = await reader.receipts({ offset: Math.max(0, total - 1 - position), limit: 1 });
  return rows[0]?.position === position ? rows[0] : null;
}

async function checkSubject(
  reader: StoreReader,
  receipt: Receipt,
  subject: Subject,
  standing: Standing,
): Promise<Check> {
  const id = `subject:${subject.name}`;
  if (subject.path !== undefined && databasePath(subject.path) !== null)
    return { id, ...checkRows(subject.path, await standing(receipt, subject)) };
  if (subject.path !== undefined) return { id, ...(await checkFile(subject.path, subject)) };
  const seq = typeof subject.seq === 'number' ? subject.seq : null;
  if (seq === null) return { id, ok: true, text: `${subject.name} is named by its hash alone` };
  const session = typeof subject.session === 'string' ? subject.session : receipt.session_id;
  const [event] = await reader.eventsAt(session, [seq]).catch(() => []);
  const ok = event?.checksum === `sha256:${subject.sha256}`;
  return {
    id,
    ok,
    text: ok
      ? `${subject.name}: event ${seq} is unchanged`
      : `${subject.name}: event ${seq} is not the one of the receipt`,
  };
}

function checkRows(path: string, found: Awaited<ReturnType<Standing>>): Omit<Check, 'id'> {
  if (found === 'same') return { ok: true, text: `${path} is as it was written` };
  if (found === 'other')
    return { ok: true, text: `${path} is there and has changed since`, detail: 'It was gone on with, or edited' };
  if (found === 'absent')
    return { ok: true, text: `${path} is no longer there`, detail: 'It was removed since; nothing can be compared' };
  return { ok: false, text: `${path} cannot be read, so nothing can be compared` };
}

/** A session file may have grown since: then its first bytes count. */
async function checkFile(path: string, { sha256, bytes }: Subject): Promise<Omit<Check, 'id'>> {
  const found = await hashOfPrefix(path, bytes);
  if (found === null) {
    const there = await lstat(path).catch(() => null);
    if (there) return { ok: false, text: `${path} cannot be read, so nothing can be compared` };
    return {
      ok: true,
      text: `${path} is no longer there`,
      detail: 'It was removed or archived since; nothing can be compared',
    };
  }
  if (found.sha256 !== sha256) return { ok: false, text: `${path} was changed since` };
  return {
    ok: true,
    text: found.grown ? `${path} begins as it was written and has grown since` : `${path} is as it was written`,
  };
}

/** SHA-256 of the first `bytes` bytes of a file (all when undefined); null when it cannot be read; '' when it is shorter. */
export async function hashOfPrefix(path: string, bytes?: number): Promise<{ sha256: string; grown: boolean } | null> {
  const hash = createHash('sha256');
  let read = 0;
  let grown = false;
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      const take = bytes === undefined ? chunk : chunk.subarray(0, Math.max(0, bytes - read));
      hash.update(take);
      read += take.length;
      grown ||= take.length < chunk.length;
      if (grown) break;
    }
  } catch {
    return null;
  }
  return { sha256: bytes !== undefined && read < bytes ? '' : hash.digest('hex'), grown };
}
