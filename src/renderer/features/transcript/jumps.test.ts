import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jumpFrom, placeAmong } from './jumps.ts';

const prompts = [0, 5, 9, 20];

describe('placeAmong', () => {
  it('counts those at or before the reader', () => {
    expect([-1, 0, 4, 5, 19, 20, 99].map((ordinal) => placeAmong(prompts, ordinal))).toEqual([0, 1, 1, 2, 3, 4, 4]);
    expect(placeAmong([], 3)).toBe(0);
  });
});

describe('jumpFrom', () => {
  it('goes to the neighbour and stops at the ends', () => {
    expect(jumpFrom(prompts, 5, 1)).toBe(9);
    expect(jumpFrom(prompts, 6, 1)).toBe(9);
    expect(jumpFrom(prompts, 20, 1)).toBeNull();
    expect(jumpFrom(prompts, 9, -1)).toBe(5);
    expect(jumpFrom(prompts, 8, -1)).toBe(5);
    expect(jumpFrom(prompts, 0, -1)).toBeNull();
  });

  it('visits each one once, in order, both ways', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(500)), (values) => {
        const ordinals = values.sort((a, b) => a - b);
        const walk = (start: number, direction: 1 | -1) => {
          const seen: number[] = [];
          for (let at = jumpFrom(ordinals, start, direction); at !== null; at = jumpFrom(ordinals, at, direction))
            seen.push(at);
          return seen;
        };
        expect(walk(-1, 1)).toEqual(ordinals);
        expect(walk(1000, -1)).toEqual([...ordinals].reverse());
      }),
    );
  });
});
