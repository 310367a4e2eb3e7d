import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

/** Independent and naive: what RFC 8785 section 3.2.3 says, word by word. */
function reference(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(reference).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return `{${entries.map(([k, v]) => `${JSON.stringify(k)}:${reference(v)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

const keys = fc.oneof(
  fc.string(),
  fc.constantFrom('10', '9', '1', 'a', 'B', '__proto__', 'é', '\u{1F600}', '\uFB33', ''),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(keys, tie('value')), { maxLength: 6 }).map((entries) => {
      const object = {};
      for (const [key, value] of entries)
        Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
      return object;
    }),
  ),
})).value;

describe('canonical JSON', () => {
  it('sorts keys by UTF-16 code units, as the RFC example does', () => {
    const input = {
      '€': 'Euro Sign',
      '\r': 'Carriage Return',
      '\uFB33': 'Hebrew',
      '1': 'One',
      '\u{1F600}': 'Smiley',
      '\u0080': 'Control',
      ö: 'o',
    };
    expect(Object.keys(JSON.parse(canonicalJson(input))).length).toBe(7);
    expect(canonicalJson(input)).toBe(
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"o","€":"Euro Sign","\u{1F600}":"Smiley","\uFB33":"Hebrew"}',
    );
  });

  it('writes numbers as the RFC asks', () => {
    expect(canonicalJson([333333333.3333333, 1e30, 4.5, 2e-3, 1e-27, -0, 1787022776.310706])).toBe(
      '[333333333.3333333,1e+30,4.5,0.002,1e-27,0,1787022776.310706]',
    );
  });

  it('equals the naive serialiser for any value', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(value)).toBe(reference(value));
      }),
      { numRuns: 2000, seed: 7 },
    );
  });

  it('never changes its input', () => {
    fc.assert(
      fc.property(json, (value) => {
        const before = JSON.stringify(value);
        canonicalJson(value);
        expect(JSON.stringify(value)).toBe(before);
      }),
      { numRuns: 300, seed: 8 },
    );
  });
});
