import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventText } from '../../core/log/chain.ts';
import type { EventDraft, SessionEvent } from '../../shared/events.ts';
import { bufferFor } from './event-buffer.ts';
import { partsOf } from './event-bytes.ts';
import { chatDraft } from './testing/temp-store.ts';

const text = (draft: EventDraft, seq: number): string => {
  const buffer = bufferFor(partsOf(draft, seq), 0);
  return Buffer.from(buffer.run(0, 0, 1).bytes).toString();
};
const expected = (draft: EventDraft, seq: number): string => eventText({ ...draft, seq } as unknown as SessionEvent);

describe('the bytes of an event', () => {
  it('is the canonical JSON of the core, for any time, origin, ref and unknown field', () => {
    const origin = fc.record(
      {
        agent: fc.string(),
        native_id: fc.option(fc.string()),
        native_seq: fc.nat(),
        part: fc.nat(),
        native_ts: fc.string(),
        x: fc.nat(),
      },
      { requiredKeys: ['agent', 'native_id', 'native_seq'] },
    );
    const ts = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer({ min: -1_000_000, max: 4_000_000_000_000 }).map((ms) => ms / 1000),
      fc.constant(null),
    );
    const draft = fc.record(
      {
        origin: fc.option(origin),
        ts,
        refs: fc.array(fc.string(), { maxLength: 2 }),
        actor: fc.string(),
        later_field: fc.nat(),
      },
      { requiredKeys: ['origin', 'ts', 'refs', 'actor'] },
    );
    fc.assert(
      fc.property(draft, fc.nat(), (changes, seq) => {
        const whole = { ...chatDraft(3), ...changes };
        expect(text(whole, seq)).toBe(expected(whole, seq));
      }),
      { numRuns: 2000 },
    );
  });
});
