import type { Receipt, Verdict } from '../../shared/handoff.ts';
import { sha256Ref } from '../hash.ts';
import { canonicalJson } from './canonical-json.ts';
import { type Signer, signJson, verifyJson } from './sign.ts';

/** What the caller knows of a receipt; position, link, key and signature are added here. */
export type ReceiptDraft = Omit<Receipt, 'position' | 'previous' | 'key_id' | 'signature'>;

/**
 * Numbers, chains and signs a receipt. `previous` is the whole preceding receipt of this store with its signature, or
 * null for the first; the signature covers everything but itself.
 */
export function signReceipt(draft: ReceiptDraft, previous: Receipt | null, signer: Signer): Receipt {
  const body = {
    ...draft,
    position: previous === null ? 0 : previous.position + 1,
    ...(previous === null ? {} : { previous: receiptHash(previous) }),
    key_id: signer.keyId,
  };
  return { ...body, signature: signJson(body, signer) } as Receipt;
}

/** `sha256:` over the canonical JSON of the whole receipt, signature included: what the next one points to. */
export function receiptHash(receipt: Receipt): string {
  return sha256Ref(canonicalJson(receipt));
}

/** Checks signature and, where the preceding receipt is known, the link. `publicKey` must come from outside the receipt. */
export function verifyReceipt(receipt: Receipt, publicKey: string | null, previous?: Receipt | null): Verdict {
  const { signature, ...body } = receipt;
  const checks: Verdict['checks'] = [];
  const signed = publicKey !== null && verifyJson(body, signature, publicKey);
  checks.push({
    id: 'key',
    ok: publicKey !== null,
    text: publicKey === null ? `Key ${receipt.key_id} is not known here` : `Key ${receipt.key_id} is known`,
  });
  checks.push({
    id: 'signature',
    ok: signed,
    text: signed
      ? 'Signature matches every byte'
      : 'Signature does not match: the receipt was changed or another key made it',
  });
  if (previous !== undefined) checks.push(linkCheck(receipt, previous));
  return { ok: checks.every((check) => check.ok), checks };
}

function linkCheck(receipt: Receipt, previous: Receipt | null): Verdict['checks'][number] {
  const expected = previous === null ? undefined : receiptHash(previous);
  const ok = receipt.previous === expected && receipt.position === (previous === null ? 0 : previous.position + 1);
  const text = ok
    ? 'Follows the receipt before it'
    : 'Does not follow the receipt before it: one was removed, changed or put between';
  return { id: 'chain', ok, text };
}
