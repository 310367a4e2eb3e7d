import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { highlight } from './highlight.ts';

const inks = (code: string) => highlight(code).flatMap((span) => (span.ink ? [[span.ink, span.text]] : []));

describe('highlight', () => {
  it('inks words, strings, numbers and comments', () => {
    expect(inks('const a = await f("x // y", 12); // done')).toEqual([
      ['k', 'const'],
      ['k', 'await'],
      ['s', '"x // y"'],
      ['n', '12'],
      ['c', '// done'],
    ]);
  });

  it('gives back every character', () => {
    fc.assert(
      fc.property(fc.string(), (code) => {
        expect(
          highlight(code)
            .map((span) => span.text)
            .join(''),
        ).toBe(code);
      }),
    );
  });

  it('leaves very long text plain', () => {
    expect(highlight('const '.repeat(10_000))).toHaveLength(1);
  });
});
