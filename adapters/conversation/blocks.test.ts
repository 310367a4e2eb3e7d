import { describe, expect, it } from 'vitest';
import { TestSession } from '../testing/session.ts';
import { artifactsOf, blocksOf, hasContent, partsOf, textsOf } from './blocks.ts';

describe('blocks of an event', () => {
  it('are those that have the form of their kind, whatever a log of others holds', () => {
    const session = new TestSession();
    const good = { kind: 'text', text: 'kept' };
    const odd = [null, 1, 'x', [], {}, { kind: 5 }, { kind: 'text', text: 5 }, { kind: 'image' }, { kind: 'document' }];
    const event = session.event('message.user', { content: [...odd, good, { kind: 'image', artifact: 1 }] });
    expect(blocksOf(event)).toEqual([good]);
    expect(partsOf(event, new Map())).toEqual([{ text: 'kept' }]);
    for (const content of [odd, null, 5, 'x', {}]) {
      const empty = session.event('message.user', { content });
      expect([hasContent(empty), artifactsOf(empty), textsOf(empty, new Map())]).toEqual([false, [], []]);
    }
  });
});
