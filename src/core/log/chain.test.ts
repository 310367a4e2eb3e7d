import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../shared/events.ts';
import type { Receipt } from '../../shared/handoff.ts';
import { Chain, eventText, findBreak, GENESIS, nextLink } from './chain.ts';
import { manifestSigned, signManifest } from './manifest.ts';
import { signReceipt, verifyReceipt } from './receipt.ts';
import { signerOf } from './sign.ts';

function log(payloads: Record<string, unknown>[]): SessionEvent[] {
  let head = GENESIS;
  return payloads.map((payload, seq) => {
    const event = {
      seq,
      ts: seq / 3,
      agent: 'claude',
      actor: 'user',
      type: 'meta',
      level: 2 as const,
      payload,
      refs: [],
      parent_seq: null,
      origin: null,
    };
    head = nextLink(head, eventText(event));
    return { ...event, checksum: `sha256:${head}` };
  });
}

const payloads = fc.array(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }), { minLength: 1, maxLength: 12 });

describe('hash chain', () => {
  it('accepts an untouched log, however it is computed', () => {
    fc.assert(
      fc.property(payloads, (list) => {
        const events = log(list);
        expect(findBreak(events)).toBeNull();
        const bulk = new Chain();
        for (const event of events) bulk.addBulk(Buffer.from(eventText(event)));
        expect(`sha256:${bulk.sync()}`).toBe(events.at(-1)?.checksum);
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  it('names the event when any payload is changed, removed or moved', () => {
    fc.assert(
      fc.property(payloads, fc.nat(), fc.constantFrom('change', 'remove', 'swap'), (list, pick, how) => {
        const events = structuredClone(log(list.map((p, i) => ({ ...p, n: i }))));
        const at = pick % events.length;
        if (how === 'change') (events[at] as SessionEvent).payload = { ...(events[at] as SessionEvent).payload, n: -1 };
        if (how === 'remove') events.splice(at, 1);
        if (how === 'swap') events.reverse();
        const broken = findBreak(events);
        if (how === 'change') expect(broken?.seq).toBe(at);
        if (how === 'remove' && at < events.length) expect(broken?.seq).toBe(at);
        if (how === 'swap' && events.length > 1) expect(broken).not.toBeNull();
      }),
      { numRuns: 300, seed: 2 },
    );
  });
});

describe('receipts', () => {
  const signer = signerOf(generateKeyPairSync('ed25519').privateKey);
  const draft = {
    version: 1 as const,
    id: 'r1',
    action: 'handoff' as const,
    at: '2026-11-29T00:00:00Z',
    actor: 'user',
    session_id: 'sess_x',
    subjects: [],
    facts: { kept: 3 },
  };

  it('verify when untouched and chained', () => {
    const first = signReceipt(draft, null, signer);
    const second = signReceipt({ ...draft, id: 'r2' }, first, signer);
    expect(verifyReceipt(first, signer.publicKey, null).ok).toBe(true);
    expect(verifyReceipt(second, signer.publicKey, first).ok).toBe(true);
    expect(verifyReceipt(second, signer.publicKey, null).ok).toBe(false);
    expect(verifyReceipt(first, null).ok).toBe(false);
  });

  it('fail when one character of any field is changed', () => {
    const receipt = signReceipt(draft, null, signer);
    for (const key of Object.keys(receipt) as (keyof Receipt)[]) {
      const value = receipt[key];
      const changed =
        typeof value === 'string' ? `${value}x` : typeof value === 'number' ? value + 1 : { changed: true };
      expect(verifyReceipt({ ...receipt, [key]: changed } as Receipt, signer.publicKey, null).ok, key).toBe(false);
    }
  });
});

describe('manifest', () => {
  it('is signed whole and holds no absolute path', () => {
    const signer = signerOf(generateKeyPairSync('ed25519').privateKey);
    const row = {
      id: 'sess_00000000000000000000',
      agent: 'claude',
      native_id: 'n',
      cwd: '/home/dev/api server',
      parent: null,
      parent_kind: null,
      events: 3,
    };
    const manifest = signManifest({ row, head: GENESIS, root: row.id, adapterVersion: '1', version: 1 }, signer);
    expect(manifestSigned(manifest, signer.publicKey)).toBe(true);
    expect(manifestSigned({ ...manifest, event_count: 4 }, signer.publicKey)).toBe(false);
    expect(JSON.stringify(manifest)).not.toContain('/home/dev');
    expect(manifest.session_uri).toBe('session://local/api-server/claude/sess_00000000000000000000');
  });
});
