import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { findBreak } from '../../core/log/chain.ts';
import { unwrap } from '../../shared/errors.ts';
import type { SessionEvent } from '../../shared/events.ts';
import { addSession, chatDraft, chatDrafts, sessionId, type TempStore, tempStore } from './testing/temp-store.ts';

let temp: TempStore;
afterEach(() => temp.remove());

const A = sessionId(1);

describe('a log in the store', () => {
  it('gives back what was appended, numbered and chained, from segments and from the tail', async () => {
    temp = await tempStore();
    const { reader, writer } = temp.store;
    await addSession(temp.store, A, chatDrafts(1300));
    for (let seq = 1300; seq < 1310; seq++)
      unwrap(await writer.decide({ append: [{ session: A, drafts: [chatDraft(seq)] }] }));
    const all = [];
    for await (const events of reader.stream(A)) all.push(...events);
    expect(all.map((event) => event.seq)).toEqual(Array.from({ length: 1310 }, (_, i) => i));
    expect(findBreak(all)).toBeNull();
    expect(await reader.verify(A)).toEqual({ ok: true, events: 1310, head: all.at(-1)?.checksum });
    expect((await reader.events(A, 1020, 290)).map((event) => event.seq)).toEqual(all.slice(1020).map((e) => e.seq));
    expect(await reader.eventsAt(A, [1305, 3, 600])).toEqual([all[1305], all[3], all[600]]);
    const index = await reader.index(A);
    expect([index.n, index.ts[1309], index.parent[0], index.parent[1309]]).toEqual([1310, 1_780_001_309, -1, 1308]);
  });

  it('gives chosen events in the order asked, across segments and the tail', async () => {
    temp = await tempStore();
    const { reader, writer } = temp.store;
    await addSession(temp.store, A, chatDrafts(1300));
    for (let seq = 1300; seq < 1310; seq++)
      unwrap(await writer.decide({ append: [{ session: A, drafts: [chatDraft(seq)] }] }));
    const all: SessionEvent[] = [];
    for await (const events of reader.stream(A)) all.push(...events);
    const order = [1309, 700, 3, ...Array.from({ length: 1310 }, (_, i) => i).filter((seq) => seq % 3 !== 1)];
    const picked: SessionEvent[] = [];
    for await (const events of reader.pick(A, Uint32Array.from(order))) picked.push(...events);
    expect(picked).toEqual(order.map((seq) => ({ ...all[seq], checksum: '' })));
    const none: SessionEvent[] = [];
    for await (const events of reader.pick(A, new Uint32Array(0))) none.push(...events);
    expect(none).toEqual([]);
    const beyond = reader.pick(A, Uint32Array.of(1310))[Symbol.asyncIterator]();
    await expect(beyond.next()).rejects.toMatchObject({ error: { code: 'store_corrupt' } });
  });

  it('seals its tail and reads the same afterwards', async () => {
    temp = await tempStore();
    const { writer } = temp.store;
    await addSession(temp.store, A, chatDrafts(3));
    for (let seq = 3; seq < 1203; seq += 60)
      unwrap(await writer.decide({ append: [{ session: A, drafts: chatDrafts(60, seq) }] }));
    await temp.close();
    const { reader } = await temp.reopen();
    expect(await reader.verify(A)).toMatchObject({ ok: true, events: 1203 });
    const all = [];
    for await (const events of reader.stream(A)) all.push(...events);
    expect(findBreak(all)).toBeNull();
    expect(all).toHaveLength(1203);
  });

  it('keeps an event larger than a segment', async () => {
    temp = await tempStore();
    const text = 'päivää '.repeat(400_000);
    await addSession(temp.store, A, [chatDraft(0), chatDraft(1, text), chatDraft(2)]);
    expect((await temp.store.reader.events(A, 1, 1))[0]?.payload).toMatchObject({ content: [{ kind: 'text', text }] });
    expect(await temp.store.reader.verify(A)).toMatchObject({ ok: true, events: 3 });
  });

  it('says so when a session is not there', async () => {
    temp = await tempStore();
    await expect(temp.store.reader.index(A)).rejects.toMatchObject({ error: { code: 'not_found' } });
    expect(await temp.store.reader.session(A)).toBeNull();
  });
});

describe('the store file', () => {
  it('can be read by its owner alone', async () => {
    temp = await tempStore();
    await addSession(temp.store, A, chatDrafts(3));
    expect(statSync(temp.home).mode & 0o777).toBe(0o700);
    for (const name of ['store.db', 'store.db-wal', 'store.db-shm'])
      expect(statSync(join(temp.home, name)).mode & 0o777, name).toBe(0o600);
  });
});
