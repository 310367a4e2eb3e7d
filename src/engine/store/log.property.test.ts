import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventText, findBreak } from '../../core/log/chain.ts';
import { codeOf } from '../../core/view/codes.ts';
import { unwrap } from '../../shared/errors.ts';
import type { EventDraft, SessionEvent } from '../../shared/events.ts';
import { addSession, sessionId, type TempStore, tempStore } from './testing/temp-store.ts';

let temp: TempStore;
beforeAll(async () => {
  temp = await tempStore();
});
afterAll(() => temp.remove());

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>;
const draft: fc.Arbitrary<EventDraft> = fc.record({
  ts: fc.option(fc.double({ min: 0, max: 4e9, noNaN: true })),
  agent: fc.constantFrom('claude', 'codex'),
  actor: fc.constantFrom('user', 'system', 'agent:claude'),
  type: fc.constantFrom('message.user', 'tool.call', 'meta', 'somebody.elses_type'),
  level: fc.constantFrom(0, 1, 2),
  payload: fc.dictionary(fc.string(), json, { maxKeys: 4, noNullPrototype: true }),
  refs: fc.array(fc.constantFrom('seq:1', 'artifact:sha256:0'), { maxLength: 2 }),
  parent_seq: fc.constant(null),
  origin: fc.option(
    fc.record({ agent: fc.constant('claude'), native_id: fc.option(fc.string()), native_seq: fc.nat() }),
  ),
});
/** Batches of few distinct events, repeated to any length: what matters is where batches, segments and tail meet. */
const batch = fc.record({
  drafts: fc.array(draft, { minLength: 1, maxLength: 4 }),
  times: fc.constantFrom(1, 2, 15, 40, 130, 300),
  pad: fc.constantFrom(0, 0, 0, 5000),
});

async function readAll(id: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const some of temp.store.reader.stream(id)) events.push(...some);
  return events;
}

describe('any log', () => {
  it('comes back whole, chained and indexed, however it was cut into batches', async () => {
    let n = 0;
    const run = async (batches: { drafts: EventDraft[]; times: number; pad: number }[], ask: number) => {
      const id = sessionId(++n);
      await addSession(temp.store, id, []);
      const expected: EventDraft[] = [];
      for (const { drafts, times, pad } of batches) {
        const padded = drafts.map((one) => ({ ...one, payload: { ...one.payload, pad: ' '.repeat(pad) } }));
        const many = Array.from({ length: times }, () => padded).flat();
        unwrap(await temp.store.writer.decide({ append: [{ session: id, drafts: many }] }));
        expected.push(...many);
      }
      const events = await readAll(id);
      expect(events.map(eventText)).toEqual(expected.map((one, seq) => eventText({ ...one, seq } as SessionEvent)));
      expect(findBreak(events)).toBeNull();
      expect(await temp.store.reader.verify(id)).toMatchObject({ ok: true, events: events.length });
      const index = await temp.store.reader.index(id);
      expect([...index.type]).toEqual(expected.map(({ type }) => codeOf(type)));
      expect([...index.ts]).toEqual(expected.map(({ ts }) => ts ?? Number.NaN));
      const from = ask % events.length;
      expect(await temp.store.reader.events(id, from, 50)).toEqual(events.slice(from, from + 50));
    };
    await fc.assert(fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 6 }), fc.nat(), run), { numRuns: 25 });
  });
});
