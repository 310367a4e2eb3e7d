import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clip, safeJson, safeLine, safeOutput, safeText, width } from './safe-text.ts';

describe('text of sessions on a terminal', () => {
  it('cannot drive the terminal: control characters and direction marks are shown', () => {
    expect(safeText('\x1b]0;title\x07 \x1b[2J a\tb\r\nc \x9b1m \u202eevil')).toBe(
      '␛]0;title␇ ␛[2J a\tb\nc <U+009B>1m <U+202E>evil',
    );
    expect(safeLine('a\nb\r\n\tc\x7f')).toBe('a b c␡');
    expect(safeLine(`a${'\u0301'.repeat(1000)}b`)).toBe(`a${'\u0301'.repeat(8)}…b`);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(safeText(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      }),
    );
  });

  it('keeps our own colours and no other sequence', () => {
    const text = '\x1b[1mbold\x1b[22m \x1b[31mred\x1b[39m \x1b[2J\x1b]52;c;eA==\x07 \x1b[8m';
    expect(safeOutput(text, true)).toBe('\x1b[1mbold\x1b[22m \x1b[31mred\x1b[39m ␛[2J␛]52;c;eA==␇ ␛[8m');
    expect(safeOutput(text, false)).not.toContain('\x1b');
    expect(safeOutput('plain\n\ttext', true)).toBe('plain\n\ttext');
  });

  it('is safe in JSON too and parses to the same value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = safeJson({ text });
        expect(json).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u202a-\u202e]/);
        expect(JSON.parse(json)).toEqual({ text });
      }),
    );
  });
});

describe('width', () => {
  it('counts columns, not characters', () => {
    expect([width('abc'), width('中文'), width('e\u0301'), width('👩‍👩‍👧'), width('')]).toEqual([3, 4, 1, 2, 0]);
  });

  it('knows what terminals show wide: characters of East Asia, old and new, pictures, flags and key caps', () => {
    const wide = ['日', 'ㄅ', '한', '\u{20000}', '\u{1b000}', '！', '🙂', '✅', '⚡', '🇩🇪', '❤️', '1️⃣', '👩🏽‍💻'];
    expect(wide.map((text) => [text, width(text)])).toEqual(wide.map((text) => [text, 2]));
    const narrow = ['©', '™', '↔', '☀', '✔', 'ﾊ', 'é', 'ñ', '\ud800', '→', '│', '…'];
    expect(narrow.map((text) => [text, width(text)])).toEqual(narrow.map((text) => [text, 1]));
    expect(width('\u200b\u2060\u0301')).toBe(0);
  });

  it('never lets a clipped text be wider than asked', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, columns) => {
        expect(width(clip(safeLine(text), columns))).toBeLessThanOrEqual(Math.max(1, columns));
      }),
    );
  });
});
