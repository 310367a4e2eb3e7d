import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ESTIMATE_MARGIN, estimateTokens } from './estimate.ts';
import { loadTokenizer, pieces } from './exact.ts';
import { tokenScale } from './scale.ts';

const PROSE = 'The quick brown fox jumps over the lazy dog, and 1,234 others follow at 10:45 sharp. ';
const CODE = 'export function add(left: number, right: number): number {\n  // sums both\n  return left + right;\n}\n';
const CHINESE = '这个函数把两个数相加，然后返回结果。请在修改之前运行测试，并且保留原来的行为。';

describe('loadTokenizer', () => {
  it('counts as o200k does', async () => {
    const { count } = await loadTokenizer();
    expect(count('')).toBe(0);
    expect(count('hello world')).toBe(2);
    expect(count('圧力🍏')).toBeGreaterThan(2);
  });

  it('takes special tokens as text', async () => {
    const { count } = await loadTokenizer();
    expect(count('<|endoftext|>')).toBeGreaterThan(1);
  });

  it('cuts long texts without changing the sum', async () => {
    const { count } = await loadTokenizer();
    const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
    for (const text of [PROSE.repeat(200), CODE.repeat(100)]) expect(count(text)).toBe(countTokens(text));
  });

  it('answers soon for texts without any space', async () => {
    const { count } = await loadTokenizer();
    expect(count('x'.repeat(100_000))).toBeGreaterThan(10_000);
    expect(count('圧'.repeat(20_000))).toBeGreaterThan(10_000);
  });

  it('never loses or splits a character', () => {
    const text = fc.string({ unit: 'binary', maxLength: 6000 }).filter((value) => value.isWellFormed());
    fc.assert(
      fc.property(text, (value) => {
        const parts = [...pieces(value)];
        expect(parts.join('')).toBe(value);
        for (const part of parts) expect(part.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('estimateTokens', () => {
  it('stays within its stated margin on prose, code and Chinese', async () => {
    const { count } = await loadTokenizer();
    for (const sample of [PROSE, CODE, CHINESE]) {
      const text = sample.repeat(60);
      expect(Math.abs(estimateTokens(text) / count(text) - 1)).toBeLessThan(2 * ESTIMATE_MARGIN);
    }
  });

  it('is 0 for nothing only, and never negative', () => {
    fc.assert(fc.property(fc.string({ minLength: 1 }), (text) => estimateTokens(text) >= 1));
    expect(estimateTokens('')).toBe(0);
  });
});

describe('tokenScale', () => {
  it('knows OpenAI models exactly and is careful about others', () => {
    expect(tokenScale('codex').factor).toBe(1);
    expect(tokenScale('claude').factor).toBeGreaterThan(1);
    expect(tokenScale('whatever').margin).toBeGreaterThan(tokenScale('claude').margin);
  });
});
