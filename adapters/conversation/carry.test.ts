import { describe, expect, it } from 'vitest';
import type { ContentBlock } from '../../src/shared/events.ts';
import { adapters } from '../registry.ts';
import { TestSession } from '../testing/session.ts';

const session = new TestSession();
const opaque: ContentBlock = { kind: 'opaque', native: { image_url: 'https://example.com/a.png' } };
const text: ContentBlock = { kind: 'text', text: 'screenshot taken' };

/** An image that is an address, a block that is encrypted: no target writes it, so none may call the event kept. */
describe('a part that its own agent alone reads', () => {
  for (const { id, target } of Object.values(adapters)) {
    if (target === undefined) continue;
    it(`is said to be left out by ${id}, in prompts, replies and results`, () => {
      for (const event of [session.user([text, opaque]), session.result('c', [text, opaque])])
        expect(target.carry(event, 'another')).toMatchObject({
          outcome: 'converted',
          how: 'without a part that its own agent alone reads',
        });
    });

    it(`makes a prompt and a summary of nothing else a loss to ${id}`, () => {
      const loss = { outcome: 'dropped', how: 'in a form that its own agent alone reads' };
      expect(target.carry(session.user([opaque]), 'another')).toEqual(loss);
      expect(target.carry(session.event('context.compacted', { summary: [opaque] }), 'another')).toEqual(loss);
    });
  }
});
