import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkValueOf,
  isKeyOf,
  newRootKey,
  readRecoveryKey,
  recoveryKeyOf,
  signingKeyOf,
  storeKeyOf,
} from './root-key.ts';

describe('the recovery key', () => {
  it('spells the root key and is read back, whatever case, spaces and look-alikes a person types', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const root = Buffer.from(bytes);
        const text = recoveryKeyOf(root);
        expect(text).toMatch(/^([0-9A-HJKMNP-TV-Z]{7}-){7}[0-9A-HJKMNP-TV-Z]{7}$/);
        const typed = ` ${text.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')}\n`;
        expect(readRecoveryKey(typed)).toEqual({ ok: true, value: root });
      }),
    );
  });

  it('is refused when a letter is wrong, missing or not of the alphabet', () => {
    const text = recoveryKeyOf(newRootKey());
    const other = text[3] === 'A' ? 'B' : 'A';
    for (const bad of [
      text.slice(0, 3) + other + text.slice(4),
      text.slice(1),
      `${text}0`,
      text.replace(/.$/, 'U'),
      '',
    ]) {
      expect(readRecoveryKey(bad)).toMatchObject({ ok: false, error: { code: 'key_wrong' } });
    }
  });
});

describe('derived keys', () => {
  it('are the same for the same root and differ by purpose and root', () => {
    const root = newRootKey();
    const seen = [
      storeKeyOf(root),
      storeKeyOf(newRootKey()),
      signingKeyOf(root).export({ format: 'der', type: 'pkcs8' }).subarray(-32),
    ];
    expect(storeKeyOf(root)).toEqual(seen[0]);
    expect(new Set(seen.map((key) => key.toString('hex'))).size).toBe(3);
  });

  it('are recognised by the check value of the home', () => {
    const root = newRootKey();
    expect(isKeyOf(root, checkValueOf(root))).toBe(true);
    expect(isKeyOf(newRootKey(), checkValueOf(root))).toBe(false);
    expect(isKeyOf(root, '')).toBe(false);
  });
});
