import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCandidates } from './candidates.ts';
import { randomText } from './testing/secret-samples.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE64URL = [...LETTERS, ...'0123456789', '-', '_'];
const HEX = [...'0123456789abcdef'];

const types = (text: string): string[] => findCandidates(text).map(({ type }) => type);
/** a made-up value, built here so that no file holds one */
const value = ['xK9', 'mQ2', 'vR7', 'tY4', 'wZ8', 'nB3', 'cD6', 'fG1', 'hJ5', 'pL0'].join('');

describe('candidates', () => {
  it('are texts that look random, wherever they stand', () => {
    expect(findCandidates(`run it with ${value} please`)).toEqual([
      { start: 12, end: 12 + value.length, type: 'random-text' },
    ]);
    expect(types(`curl -H x:${value}`)).toEqual(['random-text']);
  });

  it('are passwords that are told in words, in several languages', () => {
    const word = ['winter', '2026', '!'].join('');
    for (const told of ['the password is ', '密码是 ', '口令：', 'Das Passwort ist ', 'パスワードは '])
      expect(types(told + word), told).toEqual(['password-in-words']);
    for (const none of ['the password is required.', 'password: string', 'the password is [REDACTED:password:1]'])
      expect(types(none), none).toEqual([]);
  });

  it('are neither hashes, ids, paths nor what is already replaced', () => {
    const usual = fc.oneof(
      randomText(HEX, 40).map((hash) => `commit ${hash}`),
      randomText(HEX, 64).map((hash) => `sha256:${hash}`),
      fc.uuid(),
      randomText([...LETTERS, ...'0123456789'], 24).map((id) => `toolu_01${id} call_${id} chatcmpl-${id}`),
      randomText([...LETTERS, ...'0123456789', '+', '/'], 86).map((hash) => `"integrity": "sha512-${hash}=="`),
      randomText([...LETTERS, ...'0123456789', '+', '/'], 300, 600),
      fc.constantFrom(
        'src/engine/procedures/HandoffProcedures2/very-long-file-name-for-a-test.component.spec.ts',
        'getElementsByClassNameAndAttributeValueOrDefault',
        'https://example.test/2026/11/30/an-article-with-a-long-title-about-nothing',
        '[REDACTED:github-token:1] and [REDACTED:password:22]',
      ),
    );
    fc.assert(
      fc.property(usual, (text) => {
        expect(types(text)).toEqual([]);
      }),
    );
  });

  it('never overlap and always lie within the text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(randomText(BASE64URL, 10, 60), fc.string(), fc.constant('password is '))),
        (parts) => {
          const text = parts.join(' ');
          let last = 0;
          for (const { start, end } of findCandidates(text)) {
            expect(start).toBeGreaterThanOrEqual(last);
            expect(end).toBeGreaterThan(start);
            last = end;
          }
          expect(last).toBeLessThanOrEqual(text.length);
        },
      ),
    );
  });
});
