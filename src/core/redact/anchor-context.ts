import { KEY_OWNER } from './names.ts';
import type { AnchorContext } from './rule.ts';

/**
 * Tests on the bytes around an anchor, of raw JSON or of decoded text, that make the prefilter pass over most harmless words. Each must accept
 * whatever the rules of that context can match, in any depth of JSON escaping: when in doubt, yes.
 */
type Test = (bytes: Uint8Array, at: number, end: number, run: number) => boolean;

const LF = 0x0a;
const BACKSLASH = 0x5c;
/** Bits of `KIND`. */
const IDENTIFIER = 1;
const QUOTE_OR_SPACE = 2;
const TOKEN = 4;
const ENDS_VALUE = 8;

const KIND = new Uint8Array(256);
function mark(characters: string, bit: number): void {
  for (const character of characters) KIND[character.charCodeAt(0)] = (KIND[character.charCodeAt(0)] as number) | bit;
}
const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
mark(`${ALPHANUMERIC}_-`, IDENTIFIER);
mark(` \t\r"'\`\\]`, QUOTE_OR_SPACE);
mark(`${ALPHANUMERIC}_-./+=%~:@,\\`, TOKEN);
mark(' \t\r\n,;(){}<>[]|', ENDS_VALUE);
for (let byte = 0x80; byte < 0x100; byte++) KIND[byte] = QUOTE_OR_SPACE | TOKEN;

const is = (byte: number | undefined, bit: number): boolean => ((KIND[byte ?? LF] as number) & bit) !== 0;

/** Index behind the identifier that goes on at `at`. */
function afterName(bytes: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end && is(bytes[i], IDENTIFIER)) i++;
  return i;
}

/** Index behind quotes, spaces, non-ASCII and escapes such as `\"` and `\t`. */
function afterQuotes(bytes: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end && is(bytes[i], QUOTE_OR_SPACE)) {
    const escapedLetter = bytes[i] === BACKSLASH && (bytes[i + 1] === 0x74 || bytes[i + 1] === 0x72);
    i += escapedLetter ? 2 : 1;
  }
  return i;
}

/** Something that can be the first byte of a value, or lie in front of it. */
function valueFollows(bytes: Uint8Array, at: number, end: number): boolean {
  let quoted = false;
  let i = at;
  while (i < end && (is(bytes[i], QUOTE_OR_SPACE) || bytes[i] === 0x3d || bytes[i] === 0x3e || bytes[i] === 0x3a)) {
    const byte = bytes[i] as number;
    if (byte >= 0x80) return true;
    if (is(byte, QUOTE_OR_SPACE) && byte > 0x20) quoted = true;
    i++;
  }
  // In quotes anything may follow.
  return i < end && (quoted ? bytes[i] !== LF : !is(bytes[i], ENDS_VALUE));
}

/** Plural names (`tokens`) hold no value of a secret. */
function isPlural(bytes: Uint8Array, at: number): boolean {
  return ((bytes[at] as number) | 0x20) === 0x73 && !is(bytes[at + 1], IDENTIFIER);
}

const letters = (word: string): number[] => [...word].map((c) => c.charCodeAt(0));
const PARAMETER = letters('parameter');
const VALUE = letters('value');

const hasWord = (bytes: Uint8Array, at: number, end: number, word: readonly number[]): boolean =>
  at + word.length <= end && word.every((letter, i) => ((bytes[at + i] as number) | 0x20) === letter);

/** The end of a whole string in JSON: it may be the name of a pair, whose value stands in any other field. */
function endsString(bytes: Uint8Array, at: number, end: number): boolean {
  if (bytes[at] !== 0x22) return false;
  let i = at + 1;
  while (i < end && bytes[i] === 0x20) i++;
  return bytes[i] === 0x2c || bytes[i] === 0x7d;
}

/** `, "value":` or `\n  value:` behind a name: white space, quotes and their escapes around the separator. */
function pairFollows(bytes: Uint8Array, at: number, end: number): boolean {
  let i = at;
  for (; i < end; i++) {
    const byte = bytes[i] as number;
    const escaped = bytes[i - 1] === BACKSLASH;
    // an escape of any character
    if (escaped && byte === 0x75) return true;
    const newline = byte === LF || (escaped && (byte === 0x6e || byte === 0x72 || byte === 0x74));
    if (!newline && byte !== 0x2c && byte !== 0x3b && !is(byte, QUOTE_OR_SPACE)) break;
  }
  return hasWord(bytes, i, end, VALUE) || hasWord(bytes, i, end, PARAMETER);
}

const assignment: Test = (bytes, at, end) => {
  if (isPlural(bytes, at)) return false;
  const behind = afterName(bytes, at, end);
  if (endsString(bytes, behind, end)) return true;
  const i = afterQuotes(bytes, behind, end);
  if (i >= end) return false;
  const byte = bytes[i] as number;
  if (byte === 0x3d || byte === 0x3a || byte === 0x3e) return valueFollows(bytes, i + 1, end);
  // `password is …`
  if ((byte | 0x20) === 0x69 && ((bytes[i + 1] as number) | 0x20) === 0x73) return true;
  return pairFollows(bytes, i, end);
};

const OWNERS = KEY_OWNER.split('|').map((owner) => letters(owner).toReversed());

/** `key` with one of the owners before it, at most one separator between them. */
const key: Test = (bytes, at, end, run) => {
  const before = bytes[at - 4] as number;
  const from = before === 0x5f || before === 0x2d || before === 0x20 ? at - 5 : at - 4;
  const owned = OWNERS.some((owner) => owner.every((letter, i) => ((bytes[from - i] as number) | 0x20) === letter));
  return owned && assignment(bytes, at, end, run);
};

const environment: Test = (bytes, at, end) => {
  const i = afterName(bytes, at, end);
  return i < end && bytes[i] === 0x3d && valueFollows(bytes, i + 1, end);
};

const value: Test = (bytes, at, end) => {
  const i = afterName(bytes, at, end);
  return i < end && (is(bytes[i], QUOTE_OR_SPACE) || bytes[i] === LF || bytes[i] === 0x3a || bytes[i] === 0x3d);
};

/** An escape or a character beyond ASCII in the run may stand for anything. */
const token: Test = (bytes, at, end, run) => {
  for (let i = at; i < at + run; i++) {
    if (i >= end || !is(bytes[i], TOKEN)) return false;
    if (bytes[i] === BACKSLASH || (bytes[i] as number) >= 0x80) return true;
  }
  return true;
};

/** An `@` that could end `user:password`, before the authority of the URL is over. */
const url: Test = (bytes, at, end) => {
  const last = Math.min(end, at + 700);
  let i = at;
  while (i < last && (bytes[i] === 0x2f || bytes[i] === BACKSLASH)) i++;
  for (; i < last; i++) {
    const byte = bytes[i] as number;
    if (byte === 0x40) return true;
    if (byte <= 0x20 || byte === 0x2f || byte === 0x22 || byte === 0x27 || byte === 0x60) return false;
  }
  return i === at + 700;
};

/** By the context of a rule; `at` is the byte behind the anchor, `run` the rule's least number of token bytes there. */
export const CONTEXT_TESTS: Readonly<Record<AnchorContext, Test>> = {
  token,
  assignment,
  key,
  environment,
  value,
  url,
  any: () => true,
};
