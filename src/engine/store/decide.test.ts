import { afterEach, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../core/hash.ts';
import { manifestSigned } from '../../core/log/manifest.ts';
import { verifyReceipt } from '../../core/log/receipt.ts';
import { signerOf } from '../../core/log/sign.ts';
import { unwrap } from '../../shared/errors.ts';
import type { Decision, Operation } from './contract.ts';
import {
  addSession,
  chatDraft,
  chatDrafts,
  sessionId,
  type TempStore,
  tempStore,
  testSigningKey,
} from './testing/temp-store.ts';

let temp: TempStore;
afterEach(() => temp.remove());

const A = sessionId(1);
const publicKey = signerOf(testSigningKey()).publicKey;

function operation(changes: Partial<Operation> = {}): Operation {
  return { id: 'op-1', kind: 'handoff', digest: 'd1', state: 'running', step: null, data: {}, updated: 1, ...changes };
}

function receiptDraft(id: string): NonNullable<Decision['receipt']> {
  return {
    version: 1,
    id,
    action: 'handoff',
    at: '2026-11-29T00:00:00Z',
    actor: 'user',
    session_id: A,
    subjects: [],
    facts: {},
  };
}

describe('a decision', () => {
  it('signs receipts and chains them in the order of decisions', async () => {
    temp = await tempStore();
    const { reader, writer } = temp.store;
    await addSession(temp.store, A, chatDrafts(2));
    const made = [];
    for (const id of ['r1', 'r2', 'r3']) made.push(unwrap(await writer.decide({ receipt: receiptDraft(id) })).receipt);
    const [first, second, third] = made;
    expect(verifyReceipt(first!, publicKey, null)).toMatchObject({ ok: true });
    expect(verifyReceipt(third!, publicKey, second!)).toMatchObject({ ok: true });
    expect(await reader.receipt('r2')).toEqual(second);
    expect(await reader.receipts({ offset: 0, limit: 2 })).toEqual({ total: 3, rows: [third, second] });
    expect(await reader.receipts({ session: 'other', offset: 0, limit: 2 })).toEqual({ total: 0, rows: [] });
    expect(await writer.decide({ receipt: receiptDraft('r2') })).toMatchObject({ ok: false });
    expect((await reader.receipts({ offset: 0, limit: 9 })).total).toBe(3);
  });

  it('is done whole or not at all', async () => {
    temp = await tempStore();
    const { reader, writer } = temp.store;
    await addSession(temp.store, A, chatDrafts(2));
    const result = await writer.decide({
      operation: operation(),
      append: [
        { session: A, drafts: [chatDraft(2)] },
        { session: sessionId(99), drafts: [chatDraft(0)] },
      ],
      settings: { theme: 'dark' },
      receipt: receiptDraft('r1'),
    });
    expect(result).toMatchObject({ ok: false, error: { code: 'not_found' } });
    expect(await reader.session(A)).toMatchObject({ events: 2 });
    expect(await reader.operation('op-1')).toBeNull();
    expect(await reader.setting('theme')).toBeNull();
    expect(await reader.receipt('r1')).toBeNull();
    expect(await reader.verify(A)).toMatchObject({ ok: true, events: 2 });
  });

  it('is not done when a session is not as it was expected', async () => {
    temp = await tempStore();
    const { reader, writer } = temp.store;
    await addSession(temp.store, A, chatDrafts(2));
    const append = [{ session: A, drafts: [chatDraft(2)] }];
    for (const wrong of [
      [{ session: A, events: 1 }],
      [{ session: A, events: null }],
      [{ session: sessionId(9), events: 0 }],
    ])
      expect(unwrap(await writer.decide({ expect: wrong, append, settings: { theme: 'dark' } }))).toEqual({
        seqs: [],
        moved: true,
      });
    expect(await reader.session(A)).toMatchObject({ events: 2 });
    expect(await reader.setting('theme')).toBeNull();
    const expected = [
      { session: A, events: 2 },
      { session: sessionId(9), events: null },
    ];
    expect(unwrap(await writer.decide({ expect: expected, append })).seqs).toEqual([[2]]);
  });

  it('refuses an operation id that was used for another request', async () => {
    temp = await tempStore();
    const { reader, writer } = temp.store;
    unwrap(await writer.decide({ operation: operation() }));
    unwrap(await writer.decide({ operation: operation({ state: 'done', step: 'receipt', data: { files: ['a'] } }) }));
    expect(await reader.operation('op-1')).toMatchObject({ state: 'done', data: { files: ['a'] } });
    const other = await writer.decide({ operation: operation({ digest: 'd2' }), settings: { x: 1 } });
    expect(other).toMatchObject({ ok: false, error: { code: 'operation_id_conflict' } });
    expect(await reader.setting('x')).toBeNull();
  });

  it('keeps rows true to the log', async () => {
    temp = await tempStore();
    const { reader, writer } = temp.store;
    await addSession(temp.store, A, chatDrafts(4));
    const [seqs] = unwrap(await writer.decide({ append: [{ session: A, drafts: chatDrafts(2, 4) }] })).seqs;
    expect(seqs).toEqual([4, 5]);
    unwrap(
      await writer.decide({
        facts: [{ session: A, facts: { title: 'My title', title_from: 'user', archived: true } }],
      }),
    );
    expect(await reader.session(A)).toMatchObject({
      events: 6,
      counts: { user: 3, assistant: 3 },
      title: 'My title',
      archived: true,
      last_prompt: 'text number 4',
    });
    expect((await reader.sessions({ offset: 0, limit: 9, text: 'my title' })).total).toBe(1);
  });

  it('signs manifests at the head it leaves behind', async () => {
    temp = await tempStore();
    const { reader, writer } = temp.store;
    await addSession(temp.store, A, chatDrafts(3));
    expect(await reader.manifest(A)).toBeNull();
    const manifests = [{ session: A, adapter_version: '1' }];
    unwrap(await writer.decide({ manifests }));
    unwrap(await writer.decide({ append: [{ session: A, drafts: chatDrafts(1, 3) }], manifests }));
    const manifest = await reader.manifest(A);
    expect(manifest).toMatchObject({ version: 2, event_count: 4, head: (await reader.events(A, 3, 1))[0]?.checksum });
    expect(manifestSigned(manifest!, publicKey)).toBe(true);
  });

  it('keeps bytes once, whatever they are called', async () => {
    temp = await tempStore();
    const bytes = Buffer.from('some bytes '.repeat(100));
    const artifacts = [{ bytes, media_type: 'text/plain' }];
    unwrap(await temp.store.writer.decide({ artifacts }));
    unwrap(await temp.store.writer.decide({ artifacts }));
    const found = await temp.store.reader.artifact(`artifact:sha256:${sha256Hex(bytes)}`);
    expect(found?.media_type).toBe('text/plain');
    expect(Buffer.from(found?.bytes ?? []).equals(bytes)).toBe(true);
    expect(await temp.store.reader.artifact('artifact:sha256:beef')).toBeNull();
  });
});
