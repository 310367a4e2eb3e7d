import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from './fold.ts';
import { addTokens } from './tokens.ts';

function tokens(text: string): string[] {
  const found = new Set<string>();
  addTokens(text, found);
  return [...found].sort();
}

describe('the tokens of a text', () => {
  it('are its words, folded', () => {
    expect(tokens('Fix the LOGIN, please!')).toEqual(['fix', 'login', 'please', 'the']);
    expect(tokens('Größe naïve ΣΊΣΥΦΟΣ STRASSE Straße İstanbul')).toEqual([
      'grosse',
      'istanbul',
      'naive',
      'strasse',
      'σισυφοσ',
    ]);
    expect(tokens('ＡＢＣ ﬁle ①')).toEqual(['1', 'abc', 'file']);
  });

  it('keep marks that make another letter', () => {
    expect(fold('й')).toBe('й');
    expect(tokens('が')).not.toEqual(tokens('か'));
    expect(tokens('हिन्दी')).toEqual(['हिन्दी']);
  });

  it('take names apart, and hold their neighbours and the whole', () => {
    expect(tokens('parseConfigFile')).toEqual([
      'config',
      'config_file',
      'file',
      'parse',
      'parse_config',
      'parseconfigfile',
    ]);
    expect(tokens('user_id')).toEqual(['id', 'user', 'user_id']);
    expect(tokens('HTTPServer sha256Sum')).toEqual([
      'http',
      'http_server',
      'httpserver',
      'server',
      'sha256',
      'sha256_sum',
      'sha256sum',
      'sum',
    ]);
    expect(tokens('__init__')).toEqual(['__init__', 'init']);
  });

  it('leave error codes, hashes and base64 whole', () => {
    expect(tokens('E0308 TS2345 0x80070005')).toEqual(['0x80070005', 'e0308', 'ts2345']);
    expect(tokens('9f86d081884c7d65')).toEqual(['9f86d081884c7d65']);
    expect(tokens('A1B2C3D4')).toEqual(['a1b2c3d4']);
    expect(tokens('x'.repeat(100_000))).toEqual(['x'.repeat(64)]);
  });

  it('cut paths at their slashes and dots', () => {
    expect(tokens('/home/dev/src/app.test.ts')).toEqual(['app', 'dev', 'home', 'src', 'test', 'ts']);
    expect(tokens('C:\\Users\\dev')).toEqual(['c', 'dev', 'users']);
  });

  it('are pairs of characters where no spaces are written, with Latin words cut out', () => {
    expect(tokens('修复login错误')).toEqual(['login', '修复', '复', '误', '错误'].sort());
    expect(tokens('ログイン')).toEqual(['イン', 'グイ', 'ログ', 'ン'].sort());
    expect(tokens('한국어')).toEqual(['국어', '어', '한국'].sort());
    expect(tokens('ﾛｸﾞｲﾝ')).toEqual(tokens('ログイン'));
  });

  it('are emoji by themselves, without what only colours them', () => {
    expect(tokens('ship it 🚀🚀 ❤️ 👍🏽')).toEqual(['it', 'ship', '❤', '👍', '🚀'].sort());
  });

  it('of halves of surrogate pairs are none', () => {
    expect(tokens('a\ud83d b\ude00c')).toEqual(['a', 'b', 'c']);
    expect(tokens('\ud800\ud800')).toEqual([]);
  });

  it('hold nothing that the index would cut or obey, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        for (const token of tokens(text)) {
          expect(token).not.toBe('');
          expect(token.length).toBeLessThanOrEqual(64);
          expect(token.isWellFormed()).toBe(true);
          // what begins with the private character says what an event is
          expect(token).not.toMatch(/[\u0000-/:-@[-^`{-\u007f\ue000]/);
        }
      }),
    );
  });

  it('take time in proportion to the text', () => {
    const huge = 'parseConfig 修复登录错误 user_id '.repeat(40_000);
    expect(tokens(huge)).toHaveLength(tokens('parseConfig 修复登录错误 user_id ').length);
  });
});
