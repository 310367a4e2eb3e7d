import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchWords } from './match.ts';

const hits = (title: string, query: string) =>
  matchWords(title, query)?.flatMap((part) => (part.hit ? [part.text] : [])) ?? null;

describe('matchWords', () => {
  it('marks every word, wherever it stands', () => {
    expect(hits('Hand off to Codex…', 'co ha')).toEqual(['Ha', 'Co']);
    expect(hits('Hand off to Codex…', 'pi')).toBeNull();
    expect(hits('Anything', '')).toEqual([]);
  });

  it('gives back the whole title', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (title, query) => {
        const parts = matchWords(title, query);
        if (parts) expect(parts.map((part) => part.text).join('')).toBe(title);
      }),
    );
  });
});
