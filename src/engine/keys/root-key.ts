import { createHmac, createPrivateKey, hkdfSync, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { sha256Hex } from '../../core/hash.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';

/**
 * The one secret of a home: 32 random bytes. All other keys are derived from it, so the recovery key, which spells it,
 * brings back everything: the store, the signing key and the numbering of redacted secrets.
 */
export type RootKey = Buffer;

export const newRootKey = (): RootKey => randomBytes(32);

function derive(root: RootKey, purpose: string, bytes = 32): Buffer {
  return Buffer.from(hkdfSync('sha256', root, 'sessionctl', `sessionctl/v1/${purpose}`, bytes));
}

/** Key of the encrypted store file. */
export const storeKeyOf = (root: RootKey): Buffer => derive(root, 'store');

/** Key under which the same secret gets the same placeholder without being kept. */
export const redactionKeyOf = (root: RootKey): Buffer => derive(root, 'redaction');

/** PKCS #8 header of an Ed25519 private key (RFC 8410); the 32-byte seed follows. */
const ED25519_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The store's Ed25519 signing key. */
export function signingKeyOf(root: RootKey): KeyObject {
  return createPrivateKey({
    key: Buffer.concat([ED25519_PKCS8, derive(root, 'signing')]),
    format: 'der',
    type: 'pkcs8',
  });
}

/** Tells whether a key is the one of a home without helping to guess it. */
export const checkValueOf = (root: RootKey): string =>
  createHmac('sha256', root).update('check').digest('hex').slice(0, 32);

export function isKeyOf(root: RootKey, check: string): boolean {
  const mine = Buffer.from(checkValueOf(root));
  const theirs = Buffer.from(check);
  return mine.length === theirs.length && timingSafeEqual(mine, theirs);
}

// ---- recovery key: Crockford base32 of key + 3 check bytes, in groups of seven

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const GROUP = 7;

/** The root key as a person writes it down: eight groups of seven letters and digits. */
export function recoveryKeyOf(root: RootKey): string {
  const text = base32(Buffer.concat([root, checkBytes(root)]));
  return (text.match(new RegExp(`.{1,${GROUP}}`, 'g')) ?? []).join('-');
}

/** Reads a recovery key; forgives case, spaces, dashes and O, I, L. Errors: key_wrong when a letter is mistyped. */
export function readRecoveryKey(text: string): Result<RootKey> {
  const clean = text.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
  const bytes = unbase32(clean);
  const root = bytes?.subarray(0, 32);
  if (!bytes || !root || !checkBytes(root).equals(bytes.subarray(32))) {
    return fail(
      'key_wrong',
      'This is not a recovery key: check for a mistyped or missing group (eight groups of seven).',
    );
  }
  return ok(Buffer.from(root));
}

const checkBytes = (root: Uint8Array): Buffer => Buffer.from(sha256Hex(root).slice(0, 6), 'hex');

function base32(bytes: Uint8Array): string {
  let out = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) out += ALPHABET[(value >>> (bits - 5)) & 31];
    value &= (1 << bits) - 1;
  }
  return bits === 0 ? out : out + ALPHABET[(value << (5 - bits)) & 31];
}

/** The 35 bytes of 56 letters; null when a letter is not of the alphabet or the length is another. */
function unbase32(text: string): Buffer | null {
  if (text.length !== 56) return null;
  const out = Buffer.alloc(35);
  let bits = 0;
  let value = 0;
  let at = 0;
  for (const letter of text) {
    const digit = ALPHABET.indexOf(letter);
    if (digit < 0) return null;
    value = ((value << 5) | digit) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    out[at++] = (value >>> bits) & 255;
  }
  return out;
}
