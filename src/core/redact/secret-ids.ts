import { sha256Hex } from '../hash.ts';

/**
 * What redaction keeps between captures of one session: which secret has which number, by keyed hash, never by value.
 * JSON; opaque to everybody else.
 */
export interface RedactionState {
  /** oldest version of the rules (rules.ts) under which any part of the session was redacted */
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

/**
 * Makes the keyed hash under which secrets are told apart: nested like HMAC-SHA-256, but over hex digits, 128 bits kept.
 * Without the key nobody can try out guesses.
 */
export function keyedHash(key: Uint8Array): (secret: string) => string {
  const short = key.length > BLOCK ? encoder.encode(sha256Hex(key)) : key;
  const inner = padded(short, 0x36);
  const outer = padded(short, 0x5c);
  let scratch = new Uint8Array(1024);
  const hashBehind = (block: Uint8Array, text: string): string => {
    if (scratch.length < BLOCK + 3 * text.length) scratch = new Uint8Array(BLOCK + 3 * text.length);
    scratch.set(block);
    const { written } = encoder.encodeInto(text, scratch.subarray(BLOCK));
    return sha256Hex(scratch.subarray(0, BLOCK + written));
  };
  return (secret) => hashBehind(outer, hashBehind(inner, secret)).slice(0, 32);
}
