import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVENT_TYPES, type SessionEvent } from '../../shared/events.ts';
import { eventText, MAX_EVENT_CHARS } from './event-text.ts';

function event(type: string, payload: Record<string, unknown>, more: Partial<SessionEvent> = {}): SessionEvent {
  return {
    seq: 3,
    ts: null,
    agent: 'claude',
    actor: 'user',
    type,
    level: 1,
    payload,
    refs: [],
    parent_seq: null,
    origin: null,
    checksum: '',
    ...more,
  };
}

const text = (words: string) => [{ kind: 'text', text: words }];

describe('the texts of an event', () => {
  it('are what it says, each piece by itself', () => {
    const image = { kind: 'image', alt: 'a chart', artifact: 'x' };
    expect(eventText(event('message.user', { content: [...text('look'), image], via: 'prompt' }))).toEqual({
      kind: 'prompt',
      error: false,
      copy: false,
      tool: null,
      texts: ['look', 'a chart'],
    });
    const call = {
      name: 'Edit',
      arguments: { path: '/a.ts', edits: [{ line: 12, to: 'x' }] },
      native: { secret: 'raw' },
    };
    expect(eventText(event('tool.call', call))).toMatchObject({
      kind: 'tool',
      tool: 'Edit',
      texts: ['Edit', '/a.ts', '12', 'x'],
    });
    expect(eventText(event('note.risk', { text: 'may break', native: 'raw' }))?.texts).toEqual(['may break']);
  });

  it("are a result's own, and its client's twin only where it has none", () => {
    const twin = { structured: { stdout: 'twin' }, is_error: true };
    expect(eventText(event('tool.result', { content: text('shown'), ...twin }))).toMatchObject({
      error: true,
      texts: ['shown'],
    });
    expect(eventText(event('tool.result', { content: [], ...twin }))?.texts).toEqual(['twin']);
  });

  it('are none of state, of unknown records, and of what is derived from a call', () => {
    for (const key of ['usage', 'snapshot', 'unknown', 'settings', 'warning'])
      expect(eventText(event('meta', { key, value: { text: 'state' } }))).toBeNull();
    expect(eventText(event('command.run', { cmd: 'ls' }, { refs: ['seq:2'] }))).toBeNull();
    expect(eventText(event('todo.add', { text: 'by hand' }))?.texts).toEqual(['by hand']);
    expect(eventText(event('session.start', { cwd: '/home/dev' }))).toBeNull();
  });

  it('know a copy of another session', () => {
    const origin = { agent: 'claude', session: 'other', native_id: null, native_seq: 0 };
    expect(eventText(event('message.user', { content: text('x') }, { origin }))?.copy).toBe(true);
  });

  it('have a bound, together', () => {
    const long = '😀'.repeat(MAX_EVENT_CHARS / 4);
    const { texts } = eventText(event('message.user', { content: [text(`a${long}`), text(long), text(long)].flat() }))!;
    expect(texts.join('').length).toBeLessThanOrEqual(MAX_EVENT_CHARS);
    expect(texts.every((one) => one.isWellFormed())).toBe(true);
  });

  it('are found in payloads of any shape', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...EVENT_TYPES, 'odd.type'),
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.jsonValue(),
        (type, payload, any) => {
          for (const field of ['content', 'summary', 'text', 'value', 'arguments', 'structured'])
            expect(() => eventText(event(type, { ...payload, [field]: any }))).not.toThrow();
        },
      ),
    );
  });
});
