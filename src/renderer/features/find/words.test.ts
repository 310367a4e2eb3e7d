import { describe, expect, it } from 'vitest';
import { placesOf, wordsOf } from './words.ts';

describe('the words that are marked', () => {
  it('are words and phrases, without filters, without what must not be there', () => {
    expect(wordsOf('retry "two tabs" in:tool tok* -never -"not this" agent:"claude"')).toEqual([
      'retry',
      'two tabs',
      'tok',
    ]);
    expect(wordsOf('  ')).toEqual([]);
    expect(wordsOf('"open end')).toEqual(['open end']);
  });

  it('are found in any case, and none beside its place where a letter changes its length', () => {
    expect(placesOf('Token, token and TOKENS', ['token'])).toEqual([
      [0, 5],
      [7, 12],
      [17, 22],
    ]);
    expect(placesOf('İ token', ['token'])).toEqual([]);
    expect(placesOf('修复时区', ['时区'])).toEqual([[2, 4]]);
  });
});
