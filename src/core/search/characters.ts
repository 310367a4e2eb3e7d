/** What a character is to a search. ASCII is answered from a table, the rest is looked up once. */
export const KIND = {
  /** between words */
  none: 0,
  lower: 1,
  upper: 2,
  digit: 3,
  underscore: 4,
  /** of a script that is written without spaces between words */
  dense: 5,
  /** a word by itself: emoji */
  symbol: 6,
} as const;

const PAIR = 7;
const UNKNOWN = 255;

const DENSE =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;
const WORD = /[\p{L}\p{M}\p{N}]/u;
const UPPER = /[\p{Lu}\p{Lt}]/u;
const DIGIT = /\p{Nd}/u;
const SYMBOL = /[\p{Extended_Pictographic}\p{Regional_Indicator}]/u;
/** They choose how the character before them is drawn. */
const SELECTOR = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;

function kindOfCharacter(character: string): number {
  if (SELECTOR.test(character)) return KIND.none;
  if (WORD.test(character)) {
    if (DENSE.test(character)) return KIND.dense;
    if (UPPER.test(character)) return KIND.upper;
    return DIGIT.test(character) ? KIND.digit : KIND.lower;
  }
  return SYMBOL.test(character) ? KIND.symbol : KIND.none;
}

/** By UTF-16 unit. */
const units = new Uint8Array(0x10000).fill(UNKNOWN);
for (let code = 0; code < 128; code++) units[code] = KIND.none;
for (let code = 48; code <= 57; code++) units[code] = KIND.digit;
for (let code = 65; code <= 90; code++) units[code] = KIND.upper;
for (let code = 97; code <= 122; code++) units[code] = KIND.lower;
units[95] = KIND.underscore;
units.fill(PAIR, 0xd800, 0xe000);

const pairs = new Map<number, number>();
/** Bound of what is remembered; there are more characters than any history uses. */
const MAX_PAIRS = 10_000;

/** Kind of the character at a place of a text. A half of a surrogate pair is nothing. */
export function kindAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const known = units[unit] as number;
  if (known < PAIR) return known;
  if (known === UNKNOWN) {
    const kind = kindOfCharacter(String.fromCharCode(unit));
    units[unit] = kind;
    return kind;
  }
  return kindOfPair(text.codePointAt(at) as number);
}

function kindOfPair(code: number): number {
  if (code < 0x10000) return KIND.none;
  const known = pairs.get(code);
  if (known !== undefined) return known;
  const kind = kindOfCharacter(String.fromCodePoint(code));
  if (pairs.size < MAX_PAIRS) pairs.set(code, kind);
  return kind;
}

/** UTF-16 units of the character at a place. */
export function lengthAt(text: string, at: number): 1 | 2 {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00 ? 2 : 1;
}
