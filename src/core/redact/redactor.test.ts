import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redactor } from './redactor.ts';
import { RULES_VERSION } from './rules.ts';
import { contextSample, fragmentIn, type Sample, tokenSample } from './testing/secret-samples.ts';

const KEY = new Uint8Array(32).fill(7);
const redactor = (): Redactor => new Redactor({ key: KEY });
const sample = fc.oneof(tokenSample, contextSample);

const before = fc.constantFrom(
  '',
  'see ',
  'line one\n',
  '\t',
  '> ',
  '(',
  'x = y; ',
  '日本語 ',
  'fine\r\n',
  '# ',
  '🚀 ',
);
const after = fc.constantFrom('', '\n', ' and more', '\nPORT=8080\n', '\r\nnext line', ' 🚀', '\t# comment');

/** The redacted text as someone might read it who undoes every disguise. */
const plain = (text: string): string => text.normalize('NFKC').replace(/[\p{Cf}\p{Cc}\p{DI}]/gu, '');

function expectGone(text: string, { secret }: Sample): void {
  expect(fragmentIn(plain(text), secret)).toBeNull();
}

describe('redacting text', () => {
  it('removes secrets of every kind and leaves the text around them alone', () => {
    fc.assert(
      fc.property(sample, before, after, (one, front, back) => {
        const out = redactor().text(front + one.text + back);
        expectGone(out, one);
        expect(out.startsWith(front)).toBe(true);
        expect(out.endsWith(back)).toBe(true);
        expect(out).toMatch(/\[REDACTED:[a-z0-9-]+:1\]/);
      }),
      { numRuns: 800 },
    );
  });

  it('leaves redacted text as it is', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(before, sample, after), { maxLength: 4 }), (parts) => {
        const text = parts.map(([front, one, back]) => front + one.text + back).join(' ');
        const once = redactor().text(text);
        expect(redactor().text(once)).toBe(once);
      }),
      { numRuns: 500 },
    );
  });

  it('finds secrets that are disguised by invisible or full-width characters', () => {
    const disguise = fc.constantFrom<(c: string) => string>(
      (c) => `${c}\u200b`,
      (c) => `${c}\u2060\ufeff`,
      (c) => `${c}\u00ad`,
      (c) => `${c}\u0000`,
      (c) => `${c}\u001b[31m`,
      (c) => (/[!-~]/.test(c) ? String.fromCharCode(c.charCodeAt(0) + 0xfee0) : c),
    );
    fc.assert(
      fc.property(tokenSample, disguise, fc.nat(), (one, hide, at) => {
        const start = one.text.indexOf(one.secret);
        const place = start + (at % Math.max(1, one.secret.length - 1));
        const hidden = one.text.slice(0, place) + hide(one.text.charAt(place)) + one.text.slice(place + 1);
        expectGone(redactor().text(`a ${hidden} b`), one);
      }),
      { numRuns: 500 },
    );
  });

  it('gives the same secret the same number and another one another', () => {
    const [a, b] = ['a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8', 'Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4J3i2'].map(
      (body) => `ghp${'_'}${body}`,
    );
    const one = redactor();
    expect(one.text(`${a} ${b} ${a}`)).toBe(
      '[REDACTED:github-token:1] [REDACTED:github-token:2] [REDACTED:github-token:1]',
    );
    expect(one.text(`GITHUB_TOKEN=${b}`)).toBe('GITHUB_TOKEN=[REDACTED:github-token:2]');
    expect(one.counts).toEqual({ 'github-token': 4 });
    const later = new Redactor({ key: KEY, state: JSON.parse(JSON.stringify(one.state())) });
    expect(later.text(`${b} npm${'_'}${'x1Y2'.repeat(9)}`)).toBe('[REDACTED:github-token:2] [REDACTED:npm-token:1]');
    expect(later.counts).toEqual({ 'github-token': 5, 'npm-token': 1 });
  });

  it('never calls a session redacted by newer rules than its oldest part was', () => {
    const key = new Uint8Array(32);
    expect(new Redactor({ key }).state().rules).toBe(RULES_VERSION);
    const old = { rules: RULES_VERSION - 1, seen: {}, counts: {} };
    expect(new Redactor({ key, state: old }).state().rules).toBe(RULES_VERSION - 1);
  });

  it('keeps no value in its state', () => {
    fc.assert(
      fc.property(sample, (one) => {
        const it = redactor();
        it.text(one.text);
        expect(fragmentIn(JSON.stringify(Object.keys(it.state().seen)), one.secret, 6)).toBeNull();
      }),
      { numRuns: 200 },
    );
  });
});

describe('redacting records', () => {
  /** Hides a value in JSON inside a string, several levels deep. */
  const nested = (value: unknown, depth: number): unknown =>
    depth === 0 ? value : JSON.stringify({ deep: nested(value, depth - 1), next: 'kept' });
  const unnest = (value: unknown, depth: number): unknown =>
    depth === 0 ? value : unnest((JSON.parse(value as string) as { deep: unknown }).deep, depth - 1);

  it('keeps JSON inside strings valid at every depth', () => {
    fc.assert(
      fc.property(sample, before, after, fc.integer({ min: 0, max: 3 }), (one, front, back, depth) => {
        const record = { id: 'r1', content: [{ text: nested(front + one.text + back, depth) }], tail: 'kept' };
        const out = redactor().record(structuredClone(record));
        expectGone(JSON.stringify(out), one);
        const text = unnest(out.content[0]?.text, depth) as string;
        expect(text.startsWith(front)).toBe(true);
        expect(text.endsWith(back)).toBe(true);
        expect({ ...out, content: [] }).toEqual({ ...record, content: [] });
      }),
      { numRuns: 500 },
    );
  });

  it('replaces values by the name of their field and leaves its neighbours', () => {
    const secret = ['hunter2', 'NxjMSbtA'].join('-');
    const out = redactor().record({
      user: 'admin',
      password: secret,
      token: 'string',
      tokens: 12,
      api_key_name: 'main',
    });
    expect(out).toEqual({
      user: 'admin',
      password: '[REDACTED:password:1]',
      token: 'string',
      tokens: 12,
      api_key_name: 'main',
    });
  });

  it('does not touch protected fields, whatever they hold', () => {
    const secret = `ghp${'_'}${'a1B2c3D4'.repeat(5)}`;
    const guarded = new Redactor({ key: KEY, protectedKey: (key) => key === 'signature' });
    const out = guarded.record({ signature: secret, text: secret, nested: { signature: [secret] } });
    expect(out).toEqual({ signature: secret, text: '[REDACTED:github-token:1]', nested: { signature: [secret] } });
  });

  it("protects nothing below a field whose names are somebody else's", () => {
    const secret = `ghp${'_'}${'a1B2c3D4'.repeat(5)}`;
    const guarded = new Redactor({
      key: KEY,
      protectedKey: (key) => key === 'id',
      foreignKey: (key) => key === 'input',
    });
    const out = guarded.record({ id: secret, input: { id: secret, rows: [{ id: secret }] }, after: { id: secret } });
    const gone = '[REDACTED:github-token:1]';
    expect(out).toEqual({ id: secret, input: { id: gone, rows: [{ id: gone }] }, after: { id: secret } });
  });

  it('redacts the names of fields too, in place', () => {
    const secret = `ghp${'_'}${'a1B2c3D4'.repeat(5)}`;
    const out = redactor().record<Record<string, unknown>>({ first: 1, [secret]: 2, last: 3 });
    expect(Object.entries(out)).toEqual([
      ['first', 1],
      ['[REDACTED:github-token:1]', 2],
      ['last', 3],
    ]);
  });

  it('keeps a field named __proto__ when another name is redacted', () => {
    const token = ['ghp', 'x7Kq2mV9sLr4Tz8Wb3Nd6Yc1Hf5Jg0PaQeRt'].join('_');
    const record = JSON.parse(`{"__proto__":{"kept":1},"${token}":2}`);
    expect(JSON.stringify(new Redactor({ key: new Uint8Array(32) }).record(record))).toBe(
      '{"__proto__":{"kept":1},"[REDACTED:github-token:1]":2}',
    );
  });

  it('takes a bare string', () => {
    expect(redactor().record(`npm${'_'}${'x1Y2'.repeat(9)}`)).toBe('[REDACTED:npm-token:1]');
  });
});
