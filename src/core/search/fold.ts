/** One spelling for words that a person takes for the same: case, width, ligatures, accents of Latin and Greek letters. */

/** Letters that Unicode does not take apart. */
const LETTERS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  þ: 'th',
  ς: 'σ',
};
const SPECIAL = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');

/** Accents are dropped where they only mark a letter. In other scripts (Kana, Hebrew, Devanagari) marks make another word. */
const ACCENTS = /([\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+/gu;

/** What compatibility forms bring with them: the slash in ½, the spaces in ﷺ. */
const NO_WORD = /[^\p{L}\p{M}\p{N}_]+/gu;

/** A word as it is looked up. May be empty: of an accent alone nothing is left. */
export function fold(word: string): string {
  if (isAscii(word)) return word.toLowerCase();
  return word
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replace(ACCENTS, '$1')
    .replace(SPECIAL, (letter) => LETTERS[letter] as string)
    .normalize('NFC')
    .replace(NO_WORD, '');
}

/** Words are short: this is faster than a regular expression. */
function isAscii(word: string): boolean {
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) > 127) return false;
  return true;
}
