import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../testing/property-runs.ts';
import { cutText } from './cut-text.ts';

const NOTE = /\n\[… (\d+) of (\d+) bytes left out here …\]\n/;

describe('a long text', () => {
  it('keeps about 4 KB of head and tail, whole characters, and says how much is left out; the whole is put aside', () => {
    const characters = fc.array(fc.constantFrom('a', 'é', '测', '🙂'), { minLength: 8193, maxLength: 9000 });
    fc.assert(
      fc.property(characters, (list) => {
        const whole = list.join('');
        let aside = '';
        const { text, truncated } = cutText(whole, (bytes) => {
          aside = Buffer.from(bytes).toString();
          return 'artifact:x';
        });
        const [head, left, of, tail] = text.split(NOTE) as [string, string, string, string];
        const bytes = Buffer.byteLength(whole);
        expect(aside).toBe(whole);
        expect(truncated).toEqual({ bytes, artifact: 'artifact:x' });
        expect(Number(of)).toBe(bytes);
        expect(Buffer.byteLength(head) + Number(left) + Buffer.byteLength(tail)).toBe(bytes);
        expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
        for (const part of [head, tail]) expect(Math.abs(Buffer.byteLength(part) - 4096)).toBeLessThan(4);
      }),
      propertyRuns(60, 401),
    );
  });

  it('is one by its bytes and not by its letters', () => {
    const store = () => 'artifact:x';
    expect(cutText('测'.repeat(2730), store)).toEqual({ text: '测'.repeat(2730) });
    expect(cutText('测'.repeat(2731), store).truncated).toMatchObject({ bytes: 8193 });
  });
});
