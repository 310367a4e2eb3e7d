import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../adapters/testing/property-runs.ts';
import { fitting, partsOf, trimmed } from './bounds.ts';

describe('parts of a text', () => {
  it('are no larger than the limit, whole characters, and together the text', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 3000 }),
      fc.constantFrom('\n', '# x\n', '😀'.repeat(1500)),
    );
    fc.assert(
      fc.property(fc.array(line), fc.integer({ min: 6000, max: 20_000 }), (lines, limit) => {
        const text = lines.join('').toWellFormed();
        const parts = partsOf(text, limit);
        expect(parts.join('')).toBe(text);
        expect(parts.every((part) => part.isWellFormed() && Buffer.byteLength(part) <= limit)).toBe(true);
        expect(parts.length === 1 || parts.every((part) => part !== '')).toBe(true);
      }),
      propertyRuns(200, 20261130),
    );
  });

  it('end at line ends where there are any', () => {
    const text = 'a line of text\n'.repeat(1000);
    expect(partsOf(text, 5000).every((part) => part.endsWith('\n'))).toBe(true);
  });
});

describe('rows of a page', () => {
  it('are as many as fit, and one at least', () => {
    const rows = ['x'.repeat(50), 'y'.repeat(50), 'z'.repeat(50)];
    expect(fitting(rows, 120)).toEqual(rows.slice(0, 2));
    expect(fitting(rows, 10)).toEqual(rows.slice(0, 1));
    expect(fitting(rows, 1000)).toEqual(rows);
    expect(fitting([], 10)).toEqual([]);
  });
});

describe('details of an error', () => {
  it('are cut to what an answer can hold, and say so', () => {
    const cut = trimmed({
      items: Array.from({ length: 1000 }, (_, at) => at),
      text: 'x'.repeat(10_000),
      deep: deep(100),
    });
    expect(JSON.stringify(cut).length).toBeLessThan(2000);
    expect(cut).toMatchObject({ items: expect.arrayContaining(['… 980 more']) });
    expect(trimmed({ a: [1, 'b', null] })).toEqual({ a: [1, 'b', null] });
  });
});

const deep = (levels: number): unknown => (levels === 0 ? 'end' : { next: deep(levels - 1) });
