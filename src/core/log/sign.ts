import { createPublicKey, type KeyObject, sign as nodeSign, verify as nodeVerify } from 'node:crypto';
import { sha256Hex } from '../hash.ts';
import { canonicalJson } from './canonical-json.ts';

/** Signs on behalf of this store. The private key stays behind it. */
export interface Signer {
  /** `ed25519:` and the first 16 hex digits of the SHA-256 of the raw public key */
  keyId: string;
  /** raw 32-byte public key, base64 */
  publicKey: string;
  sign(bytes: Uint8Array): Uint8Array;
}

/** Wraps an Ed25519 private key. */
export function signerOf(privateKey: KeyObject): Signer {
  const raw = createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).subarray(-32);
  return { keyId: keyIdOf(raw), publicKey: raw.toString('base64'), sign: (bytes) => nodeSign(null, bytes, privateKey) };
}

export function keyIdOf(rawPublicKey: Uint8Array): string {
  return `ed25519:${sha256Hex(rawPublicKey).slice(0, 16)}`;
}

/** Base64 Ed25519 signature over the canonical JSON of a value. */
export function signJson(value: unknown, signer: Signer): string {
  return Buffer.from(signer.sign(Buffer.from(canonicalJson(value)))).toString('base64');
}

/** Checks a signature made by `signJson`. Any malformed input is simply not valid. */
export function verifyJson(value: unknown, signature: string, publicKeyBase64: string): boolean {
  try {
    const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(publicKeyBase64, 'base64')]);
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    const bytes = Buffer.from(signature, 'base64');
    // base64 readers overlook stray characters; a signature has one spelling only
    if (bytes.toString('base64') !== signature) return false;
    return nodeVerify(null, Buffer.from(canonicalJson(value)), key, bytes);
  } catch {
    return false;
  }
}
