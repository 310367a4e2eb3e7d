/** Characters that can hide a secret: invisible ones, and those that only look different from ASCII. */

/** Controls except tab, LF and CR, format characters, default ignorables (Unicode 16: DI | Cf | Cc). */
const INVISIBLE =
  '0-8 b-c e-1f 7f-9f ad 34f 600-605 61c 6dd 70f 890-891 8e2 115f-1160 17b4-17b5 180b-180f 200b-200f 202a-202e ' +
  '2060-206f 3164 fe00-fe0f feff ffa0 fff0-fffb 110bd 110cd 13430-1343f 1bca0-1bca3 1d173-1d17a e0000-e0fff';

/** Ranges with the characters whose NFKC form is printable ASCII, and the hyphens that models write for "-". */
const FOLDABLE =
  'aa b2-b3 b9-ba 132-133 17f 1c7-1cc 1f1-1f3 2b0-2b8 2e1-2e3 37e 1d2c-1d6a 1d9c 1da0 1dbb 1fef 2010-2011 2024 ' +
  '2070-209c 20a8 2100-2149 2160-217f 2212 2460-24ea 2c7c-2c7d 3250-325f 32b1-32bf 32cc-32cf 3371-33ff a7f1-a7f4 ' +
  'fb00-fb06 fb29 fe10-fe16 fe33-fe38 fe47-fe50 fe52-fe6b ff01-ff5e 107a5 1ccd6-1ccf9 1d400-1d7ff 1f100-1f190 ' +
  '1fbf0-1fbf9';

type Range = readonly [first: number, last: number];

/** All characters that `fold` may change, ascending within each kind; some that it keeps are among them. */
export const ODD_RANGES: readonly Range[] = `${INVISIBLE} ${FOLDABLE}`.split(' ').map((range) => {
  const [first, last = first] = range.split('-').map((hex) => Number.parseInt(hex, 16)) as [number, number?];
  return [first, last];
});

const unit = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`;

/** Source of a class body with the odd characters up to U+FFFF. */
export const ODD_BASIC = ODD_RANGES.filter(([, last]) => last <= 0xffff)
  .map(([first, last]) => `${unit(first)}-${unit(last)}`)
  .join('');

/** Source of an alternation with those above, as pairs of UTF-16 units: a scan without the flag `u` is much faster. */
export const ODD_ASTRAL = ODD_RANGES.filter(([first]) => first > 0xffff)
  .flatMap(([first, last]) => pairs(String.fromCodePoint(first), String.fromCodePoint(last)))
  .join('|');

/**
 * Source of a class body with units that are never odd nor the first of an odd pair: ASCII without controls and backslash,
 * the common scripts, quotes, dashes, box drawing, most emoji. A search for anything else is some ten times faster than
 * one for what is odd.
 */
export const USUAL =
  '\\t\\n\\r\\x20-\\x5b\\x5d-\\x7e\\xc0-\\u0131\\u0400-\\u05ff\\u2018-\\u2023\\u2025-\\u2029\\u2500-\\u2bff\\u3001-\\u3130' +
  '\\u4e00-\\u9fff\\uac00-\\ud7ff\\ud83d\\udc00-\\udfff';

function pairs(first: string, last: string): string[] {
  const out: string[] = [];
  for (let high = first.charCodeAt(0); high <= last.charCodeAt(0); high++) {
    const from = high === first.charCodeAt(0) ? first.charCodeAt(1) : 0xdc00;
    const to = high === last.charCodeAt(0) ? last.charCodeAt(1) : 0xdfff;
    out.push(`${unit(high)}[${unit(from)}-${unit(to)}]`);
  }
  return out;
}

const INVISIBLE_ONLY = /^[\p{DI}\p{Cf}\p{Cc}]$/u;
/** One printable character, or several with a letter or digit: `…` is no row of dots that could end a token. */
const TELLING_ASCII = /^[\x21-\x7e]$|^(?=.*[A-Za-z0-9])[\x21-\x7e]+$/;

const folded = new Map<string, string>();

/** The plain form of one character: nothing for invisible ones, ASCII where it has such a form, else itself. */
export function fold(character: string): string {
  const known = folded.get(character);
  if (known !== undefined) return known;
  const plain = plainForm(character);
  folded.set(character, plain);
  return plain;
}

function plainForm(character: string): string {
  if (character === '\t' || character === '\n' || character === '\r') return character;
  if (INVISIBLE_ONLY.test(character)) return '';
  if (character === '\u2010' || character === '\u2011' || character === '\u2212') return '-';
  const plain = character.normalize('NFKC');
  return TELLING_ASCII.test(plain) ? plain : character;
}
