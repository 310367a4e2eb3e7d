import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nativeIdOf } from './native-id.ts';

describe('nativeIdOf', () => {
  it('is a UUID v7 that holds the time', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1_600_000_000, max: 4_000_000_000 }), (operation, at) => {
        const id = nativeIdOf(operation, at);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(at * 1000);
      }),
    );
  });

  it('is the same for the same operation and another for another', () => {
    expect(nativeIdOf('a', 1_795_000_000)).toBe(nativeIdOf('a', 1_795_000_000));
    expect(nativeIdOf('a', 1_795_000_000)).not.toBe(nativeIdOf('b', 1_795_000_000));
  });
});
