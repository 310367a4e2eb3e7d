import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isCopy } from '../../core/view/copies.ts';
import { unwrap } from '../../shared/errors.ts';
import type { EventDraft, SessionEvent } from '../../shared/events.ts';
import { forkPoint } from '../sessions/inherit.ts';
import type { Store } from './contract.ts';
import {
  addSession,
  chatDraft,
  chatDrafts,
  gather,
  sessionId,
  type TempStore,
  tempStore,
} from './testing/temp-store.ts';

let temp: TempStore;
beforeEach(async () => {
  temp = await tempStore();
});
afterEach(() => temp.remove());

async function fork(store: Store, from: string, at: number, id: string): Promise<void> {
  const { inherits, at: event } = (await forkPoint(store.reader, from, at))!;
  const payload = { from_session: from, from_seq: at, from_checksum: event.checksum };
  unwrap(
    await store.writer.decide({
      create: [{ id, agent: 'claude', native_id: id, source: null, parent: from, parent_kind: 'fork', inherits }],
      append: [{ session: id, drafts: [{ ...chatDraft(0), type: 'session.fork', parent_seq: null, payload }] }],
    }),
  );
}

const say = (n: number): EventDraft[] => chatDrafts(n).map((draft) => ({ ...draft, parent_seq: null }));

async function go(store: Store, session: string, n: number): Promise<number[]> {
  const { seqs } = unwrap(await store.writer.decide({ append: [{ session, drafts: say(n), hang: true }] }));
  return seqs[0]!;
}

/** An event without the mark that it is a copy. */
const unmarked = ({ origin: _, ...event }: SessionEvent): object => event;

const [A, B, C] = [sessionId(1), sessionId(2), sessionId(3)];

describe('a fork of ours', () => {
  it('is read with what it goes on from in front, and numbered on from there', async () => {
    const { reader } = temp.store;
    await addSession(temp.store, A, chatDrafts(600));
    await fork(temp.store, A, 520, B);
    expect(await go(temp.store, B, 3)).toEqual([522, 523, 524]);
    const [before, read, own] = [
      await gather(reader.stream(A)),
      await gather(reader.stream(B)),
      await gather(reader.log(B)),
    ];
    expect(read.map(({ seq }) => seq)).toEqual(Array.from({ length: 525 }, (_, i) => i));
    expect(read.slice(0, 521).map(unmarked)).toEqual(before.slice(0, 521).map(unmarked));
    expect(read.map(isCopy)).toEqual(read.map(({ seq }) => seq < 521));
    expect(read.slice(521).map(({ type, parent_seq }) => [type, parent_seq])).toEqual([
      ['session.fork', 520],
      ['message.user', 521],
      ['message.assistant', 522],
      ['message.user', 523],
    ]);
    expect(own.map(({ seq, parent_seq }) => [seq, parent_seq])).toEqual([
      [0, null],
      [1, 0],
      [2, 1],
      [3, 2],
    ]);
    expect(own.map(({ checksum }) => checksum)).toEqual(read.slice(521).map(({ checksum }) => checksum));
    expect(await reader.inherited(B)).toBe(521);
    expect(await reader.verify(B)).toMatchObject({ ok: true, events: 4 });
    expect(await reader.session(B)).toMatchObject({ events: 525, copied: 521, counts: { user: 263, assistant: 261 } });
  });

  it('does not see what the other session says later, nor the other way round', async () => {
    const { reader } = temp.store;
    await addSession(temp.store, A, chatDrafts(4));
    await fork(temp.store, A, 1, B);
    await temp.store.writer.decide({ append: [{ session: A, drafts: [chatDraft(4), chatDraft(5)] }] });
    await go(temp.store, B, 1);
    expect((await gather(reader.stream(B))).length).toBe(4);
    expect((await gather(reader.stream(A))).length).toBe(6);
    expect(await reader.session(A)).toMatchObject({ events: 6, children: [B], kin: { fork: 1 } });
  });

  it('goes on after the store was closed, with the same row', async () => {
    await addSession(temp.store, A, chatDrafts(8));
    await fork(temp.store, A, 5, B);
    await go(temp.store, B, 2);
    const row = await temp.store.reader.session(B);
    await temp.close();
    await temp.reopen();
    expect(await temp.store.reader.session(B)).toEqual(row);
    expect(await go(temp.store, B, 1)).toEqual([9]);
    expect(await temp.store.reader.session(B)).toMatchObject({ events: 10, counts: { user: 5, assistant: 4 } });
  });

  it('counts what was used once: in the session that it comes from', async () => {
    const drafts = chatDrafts(2);
    drafts[1]!.payload.usage = { input: 10, output: 5 };
    await addSession(temp.store, A, drafts);
    await fork(temp.store, A, 1, B);
    expect((await temp.store.reader.session(A))?.usage).toMatchObject({ input: 10, output: 5 });
    expect(await temp.store.reader.session(B)).toMatchObject({ usage: { input: 0, output: 0 }, context_tokens: 15 });
    expect(await temp.store.reader.stats()).toMatchObject({ events: 3 });
  });

  it('takes nothing that would hang before its beginning', async () => {
    await addSession(temp.store, A, chatDrafts(4));
    await fork(temp.store, A, 3, B);
    const decided = await temp.store.writer.decide({ append: [{ session: B, drafts: [chatDraft(2)] }] });
    expect(decided).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', details: { parent_seq: 1, first: 4 } },
    });
    expect(await temp.store.reader.session(B)).toMatchObject({ events: 5 });
  });
});

describe('forks of forks, at any place', () => {
  it('read as the events of all of them in a row; every way of reading agrees', async () => {
    const { reader } = temp.store;
    await addSession(temp.store, A, chatDrafts(70));
    let n = 10;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(69),
        fc.integer({ min: 1, max: 80 }),
        fc.nat(),
        fc.array(fc.nat(), { maxLength: 30 }),
        async (first, more, second, wanted) => {
          const [b, c] = [sessionId(n++), sessionId(n++)];
          await fork(temp.store, A, first, b);
          await go(temp.store, b, more);
          const whole = await gather(reader.stream(b));
          const at = second % whole.length;
          await fork(temp.store, b, at, c);
          await go(temp.store, c, 1);
          const read = await gather(reader.stream(c));
          expect(read.slice(0, at + 1).map(unmarked)).toEqual(whole.slice(0, at + 1).map(unmarked));
          expect(read.map(({ origin }) => origin?.session)).toEqual(
            read.map(({ seq }) => (seq > at ? undefined : seq > first ? b : A)),
          );
          expect(read.map(({ seq }) => seq)).toEqual(read.map((_, i) => i));
          const seqs = wanted.map((value) => value % read.length);
          expect(await reader.eventsAt(c, seqs)).toEqual(seqs.map((seq) => read[seq]));
          const picked = await gather(reader.pick(c, Uint32Array.from(seqs)));
          expect(picked).toEqual(seqs.map((seq) => ({ ...read[seq], checksum: '' })));
          expect(await reader.events(c, 0, 1000)).toEqual(read);
          const index = await reader.index(c);
          expect([index.n, await reader.inherited(c)]).toEqual([read.length, at + 1]);
          expect([...index.parent]).toEqual(read.map(({ parent_seq }) => parent_seq ?? -1));
          expect((await reader.session(c))?.events).toBe(read.length);
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe('a decision that is done once', () => {
  it('answers what it recorded, and changes nothing', async () => {
    const { reader, writer } = temp.store;
    await addSession(temp.store, C, chatDrafts(2));
    const operation = {
      id: 'op',
      kind: 'append',
      digest: 'd',
      state: 'done',
      step: null,
      data: { x: 1 },
      updated: 1,
    } as const;
    const decision = { operation, once: true, append: [{ session: C, drafts: say(2), hang: true }] };
    expect(unwrap(await writer.decide(decision))).toMatchObject({ seqs: [[2, 3]] });
    expect(unwrap(await writer.decide(decision))).toEqual({ seqs: [], replayed: { x: 1, seqs: [[2, 3]] } });
    expect(await reader.session(C)).toMatchObject({ events: 4 });
    const other = await writer.decide({ ...decision, operation: { ...operation, digest: 'e' } });
    expect(other).toMatchObject({ ok: false, error: { code: 'operation_id_conflict' } });
  });
});
