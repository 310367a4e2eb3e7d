import { CHINESE_TELLING } from './names.ts';
import { fold, ODD_RANGES } from './odd-characters.ts';
import type { AnchorContext } from './rule.ts';
import { RULES } from './rules.ts';

/** What the prefilter looks for in raw bytes: the anchors of all rules, and everything that could hide one. */

/** Not a rule: the line holds something that a view changes, so every rule must look at it. */
export const ODD = -1;
/** Not a rule: an escape that may be half a surrogate pair. */
export const SURROGATE = -2;

export interface Anchor {
  /** lower case where case does not matter */
  bytes: readonly number[];
  anyCase: boolean;
  /** index into RULES */
  rule: number;
  context: AnchorContext;
  run: number;
}

export const ANCHORS: readonly Anchor[] = RULES.flatMap((rule, index) =>
  (rule.searched ?? rule.anchors).map((literal) => ({
    bytes: [...literal].map((c) => c.charCodeAt(0)),
    anyCase: rule.anyCase === true,
    rule: index,
    context: rule.context,
    run: rule.run ?? 0,
  })),
);

/** What the scanner searches: 4 bytes that begin with ASCII, or the first 3 bytes of another character (−1: any byte). */
export type Window = readonly number[];
export const WIDTH = 4;

const isLetter = (byte: number): boolean => (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
const bytesFrom = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);
/** What can stand behind an anchor of 3 bytes; white space occurs in decoded text. */
const BEHIND = [0x09, 0x0a, 0x0d, ...bytesFrom(0x20, 0xff)];
/** What can stand before one: the same, or the last byte of another character. */
const BEFORE = [0x09, 0x0a, 0x0d, ...bytesFrom(0x20, 0xbf)];

/** Places in an anchor, relative to its start, at which its window can begin. */
export function windowOffsets({ bytes }: Pick<Anchor, 'bytes'>): number[] {
  return bytes.length < WIDTH ? [-1, 0] : bytesFrom(0, bytes.length - WIDTH);
}

/** The bytes that can stand at each place of the window that begins at `offset`. */
export function windowForms({ bytes, anyCase }: Pick<Anchor, 'bytes' | 'anyCase'>, offset: number): number[][] {
  return Array.from({ length: WIDTH }, (_, place) => {
    const byte = bytes[offset + place];
    if (byte === undefined) return offset + place < 0 ? BEFORE : BEHIND;
    return anyCase && isLetter(byte) ? [byte | 0x20, byte & 0xdf] : [byte];
  });
}

/** All windows by which an anchor is found. */
export function anchorWindows(anchor: Pick<Anchor, 'bytes' | 'anyCase'>, offset: number): Window[] {
  return windowForms(anchor, offset).reduce<number[][]>(
    (all, forms) => all.flatMap((start) => forms.map((form) => [...start, form])),
    [[]],
  );
}

/** ASCII characters that can be part of an anchor, or stand between a name and its value. */
const TELLING = /[A-Za-z0-9_\-./+=:@%~>]/;
const WORD = /[A-Za-z0-9]/;

export interface OddWindow {
  window: Window;
  /** odd only where an ASCII byte stands before it: an emoji's variation selector hides nothing */
  afterAscii: boolean;
}

const utf8 = new TextEncoder();

function windowOf(bytes: Uint8Array): Window {
  return bytes.length === 2 ? [...bytes, -1] : [...bytes.subarray(0, 3)];
}

/** Windows of the raw characters that a view drops or folds (not DEL, one byte), and of names that are not ASCII. */
export function oddWindows(): OddWindow[] {
  const windows = new Map<string, OddWindow>();
  const add = (character: string, afterAscii: boolean): void => {
    const window = windowOf(utf8.encode(character));
    const id = window.join();
    const known = windows.get(id);
    if (known === undefined) windows.set(id, { window, afterAscii });
    else if (!afterAscii) known.afterAscii = false;
  };
  for (const [first, last] of ODD_RANGES) {
    // Above U+FFFF the first three of four bytes tell 64 characters at once.
    const step = first > 0xffff ? 64 : 1;
    for (let code = Math.max(first, 0x80); code <= last; code += step) {
      const character = String.fromCodePoint(code);
      const plain = fold(character);
      if (plain === '' || plain === character) {
        if (plain === '' || step > 1) add(character, plain === '');
      } else if (TELLING.test(plain)) add(character, !WORD.test(plain));
    }
    if (step > 1) add(String.fromCodePoint(last), fold(String.fromCodePoint(last)) === '');
  }
  for (const character of CHINESE_TELLING) add(character, false);
  return [...windows.values()];
}

const HEX = [...'0123456789abcdefABCDEF'].map((c) => c.charCodeAt(0));

/** Windows of the escapes `\uXX…` whose first two digits may begin one of these characters or a surrogate. */
export function escapeWindows(): Window[] {
  const leading = new Set<number>([0x00]);
  for (let high = 0xd8; high <= 0xdf; high++) leading.add(high);
  for (const [first, last] of ODD_RANGES)
    for (let code = first; code <= Math.min(last, 0xffff); code++) leading.add(code >> 8);
  for (const character of CHINESE_TELLING) leading.add(character.charCodeAt(0) >> 8);
  return HEX.flatMap((a) =>
    HEX.filter((b) => leading.has(Number.parseInt(String.fromCharCode(a, b), 16))).map((b) => [0x5c, 0x75, a, b]),
  );
}
