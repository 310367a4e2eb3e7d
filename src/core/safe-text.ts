/**
 * Text of sessions on a terminal. It can hold escape sequences that move the cursor, set the title or write to the
 * clipboard, and direction marks that make a line read otherwise than it is: they are shown, not obeyed.
 */

/** C0 without tab and newline, DEL, C1, and the marks that change the direction of text. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
const UNSAFE_ANYWHERE = new RegExp(UNSAFE, '');

/** Several lines: tabs and newlines stay, CRLF becomes a newline. */
export function safeText(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(UNSAFE, show);
}

/** Marks stacked on one character; no language needs as many, and they cover the lines above and below. */
const STACKED = /(\p{M}{8})\p{M}+/gu;

/** One line: newlines and tabs become spaces, towers of marks are cut. */
export function safeLine(text: string): string {
  return text
    .replace(/[\r\n\t]+/g, ' ')
    .replace(UNSAFE, show)
    .replace(STACKED, '$1…');
}

/** Colours that the CLI itself puts into its text, see output.ts. */
const OWN_STYLE = /(\x1b\[(?:1|2|22|31|32|33|39)m)/;

/** The last guard before a terminal: text with our own colours in it (`styled`), and nothing else that is obeyed. */
export function safeOutput(text: string, styled: boolean): string {
  if (!UNSAFE_ANYWHERE.test(text)) return text;
  if (!styled) return safeText(text);
  return text
    .split(OWN_STYLE)
    .map((part, at) => (at % 2 === 1 ? part : safeText(part)))
    .join('');
}

/** C0 have pictures of their own (␛), the rest shows its number. */
function show(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '␡';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** JSON that is also safe to look at on a terminal: JSON itself lets DEL, C1 and direction marks through. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Unicode's East Asian wide and full-width characters, and those that are pictures by themselves. */
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18d08}\u{1aff0}-\u{1b2fb}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Regional_Indicator}/u;
/** A sign that is a picture only behind its sign (© and ©️), and a digit in a key cap. */
const PICTURE = /\p{Emoji}\ufe0f/u;
const ZERO = /^(?:\p{M}|\p{Cf}|\ufe0f)+$/u;
let segmenter: Intl.Segmenter | undefined;

/** Characters as people see them. What finds them is made when it is first needed: it takes longer than a start may. */
function graphemes(text: string): Iterable<{ segment: string }> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** Columns that a text takes on a terminal. */
export function width(text: string): number {
  // plain ASCII is by far the most common
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemes(text))
    columns += ZERO.test(segment) ? 0 : WIDE.test(segment) || PICTURE.test(segment) ? 2 : 1;
  return columns;
}

/** At most `columns` wide, with `…` where something was cut. */
export function clip(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let out = '';
  let used = 0;
  for (const { segment } of graphemes(text)) {
    const next = used + width(segment);
    if (next > columns - 1) break;
    out += segment;
    used = next;
  }
  return `${out}…`;
}
