import { sha256Hex } from '../hash.ts';

/**
 * What redaction keeps between captures of one session: which secret has which number, by keyed hash, never by value.
 * JSON; opaque to everybody else.
 */
export interface RedactionState {
  rules: number;
  /** keyed hash of a secret → `type:n` of its placeholder */
  seen: Record<string, string>;
  /** replaced occurrences by type, over all captures */
  counts: Record<string, number>;
}

const BLOCK = 64;
const encoder = new TextEncoder();

function padded(key: Uint8Array, mask: number): Uint8Array {
  const block = new Uint8Array(BLOCK).fill(mask);
  for (let i = 0; i < key.length; i++) block[i] = (key[i] as number) ^ mask;
  return block;
}

function bytesOf(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}

/** Makes the keyed hash (HMAC-SHA-256, 32 hex digits kept) under which secrets are told apart. */
export function keyedHash(key: Uint8Array): (secret: string) => string {
  const short = key.length > BLOCK ? bytesOf(sha256Hex(key)) : key;
  const inner = padded(short, 0x36);
  const outer = padded(short, 0x5c);
  return (secret) => sha256Hex(joined(outer, bytesOf(sha256Hex(joined(inner, encoder.encode(secret)))))).slice(0, 32);
}
