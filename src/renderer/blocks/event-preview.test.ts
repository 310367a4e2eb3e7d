import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventPreview } from './event-preview.ts';

describe('eventPreview', () => {
  it('says what the event was', () => {
    expect(
      eventPreview({ type: 'message.user', payload: { content: [{ kind: 'text', text: 'Fix\n the  login' }] } }),
    ).toBe('Fix the login');
    expect(
      eventPreview({ type: 'tool.call', payload: { name: 'Bash', arguments: { command: 'ls -l', timeout: 3 } } }),
    ).toBe('Bash ls -l');
    expect(eventPreview({ type: 'tool.call', payload: { name: 'exec', arguments: 'x=1' } })).toBe('exec x=1');
    expect(eventPreview({ type: 'message.thinking', payload: { form: 'signed' } })).toBe('message.thinking');
  });

  it('takes any JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (event) => typeof eventPreview(event) === 'string'),
    );
  });
});
