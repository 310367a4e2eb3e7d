/** A quiet highlighter for any language: comments, strings, numbers and common key words, in four inks. */

export type Ink = 'c' | 's' | 'n' | 'k';
export interface Span {
  text: string;
  ink?: Ink;
}

/** Above this many characters text stays plain: colour is not worth a stall. */
export const MAX_HIGHLIGHT = 50_000;

const WORDS =
  'abstract and as async await break case catch class const continue def default defer del do elif else end enum except export extends extern false final finally fn for from func function global go if impl implements import in instanceof interface is lambda let loop match mod module mut nil none not null or package pass private protected pub public raise return self static struct super switch then this throw throws trait true try type typeof undefined use using var void where while with yield None True False SELECT FROM WHERE INSERT INTO UPDATE DELETE CREATE TABLE ALTER ADD COLUMN DROP JOIN ON AND OR NOT NULL PRIMARY KEY';
const KEYWORDS = new Set(WORDS.split(' '));

// Order matters: a comment sign in a string is part of the string.
const TOKENS =
  /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|(\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<=^|\s)#(?!\w*[[(])[^\n]*|(?<=^|\s)--\s[^\n]*)|(\b\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?\b|\b0x[\da-f]+\b)|([A-Za-z_][\w]*)/gim;

/** Splits code into inked spans; joined again they are the code. */
export function highlight(code: string): Span[] {
  if (code.length > MAX_HIGHLIGHT) return [{ text: code }];
  const spans: Span[] = [];
  let last = 0;
  for (const match of code.matchAll(TOKENS)) {
    const ink = inkOf(match);
    if (!ink) continue;
    if (match.index > last) spans.push({ text: code.slice(last, match.index) });
    spans.push({ text: match[0], ink });
    last = match.index + match[0].length;
  }
  if (last < code.length) spans.push({ text: code.slice(last) });
  return spans;
}

function inkOf([, string, comment, number, word]: RegExpMatchArray): Ink | undefined {
  if (string) return 's';
  if (comment) return 'c';
  if (number) return 'n';
  return word && KEYWORDS.has(word) ? 'k' : undefined;
}
