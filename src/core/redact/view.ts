/**
 * The text as a scanner must see it: compatibility forms folded, invisible characters and terminal codes dropped, escapes
 * of nested JSON decoded, each with its place in the original. A secret that is hidden by a zero-width space, written in
 * full-width letters or escaped three levels deep looks plain here, and is still replaced at its original place.
 */
export interface TextView {
  readonly text: string;
  /** Range of the original that the range [start, end) of `text` came from. Whole escapes, whole characters. */
  original(start: number, end: number): [start: number, end: number];
}

/** Invisible: controls except tab, LF and CR, format characters, default ignorables (Unicode 16, DI | Cf | Cc). */
const INVISIBLE =
  '\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\xad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2' +
  '\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f' +
  '\\ufeff\\uffa0\\ufff0-\\ufffb';

/** Ranges with characters whose NFKC form is printable ASCII, and the hyphens that models write for "-". */
const FOLDABLE =
  '\\xaa\\xb2\\xb3\\xb9\\xba\\u0132\\u0133\\u017f\\u01c7-\\u01cc\\u01f1-\\u01f3\\u02b0-\\u02b8\\u02e1-\\u02e3\\u037e' +
  '\\u1d2c-\\u1d6a\\u1d9c\\u1da0\\u1dbb\\u1fef\\u2010\\u2011\\u2024\\u2070-\\u209c\\u20a8\\u2100-\\u2149\\u2160-\\u217f' +
  '\\u2212\\u2460-\\u24ea\\u2c7c\\u2c7d\\u3250-\\u325f\\u32b1-\\u32bf\\u32cc-\\u32cf\\u3371-\\u33ff\\ua7f1-\\ua7f4' +
  '\\ufb00-\\ufb06\\ufb29\\ufe10-\\ufe16\\ufe33-\\ufe38\\ufe47-\\ufe50\\ufe52-\\ufe6b\\uff01-\\uff5e';

/** The same above U+FFFF: invisible ones, mathematical letters, enclosed and segmented forms. */
const ASTRAL =
  '\\ud804[\\udcbd\\udccd]|\\ud80d[\\udc30-\\udc3f]|\\ud82f[\\udca0-\\udca3]|\\ud834[\\udd73-\\udd7a]' +
  '|[\\udb40-\\udb43][\\udc00-\\udfff]|\\ud801\\udfa5|\\ud833[\\udcd6-\\udcf9]|\\ud835[\\udc00-\\udfff]' +
  '|\\ud83c[\\udd00-\\udd90]|\\ud83e[\\udff0-\\udff9]';

/** True for a character (no escape) that the view changes. */
const ODD_CHARACTER = new RegExp(`[${INVISIBLE}${FOLDABLE}]|${ASTRAL}`);

const ODD = new RegExp(`[\\\\${INVISIBLE}${FOLDABLE}]|${ASTRAL}`);

const PIECE = new RegExp(
  [
    // terminal codes: real ones, and those written in source code (which only separate what they stand between)
    '(?:\\x1b|\\\\+u001[bB])(?:\\[[0-9;?]*[ -/]*[@-~])?',
    '\\\\+(?:x1[bB]|033|e(?=\\[))(?:\\[[0-9;?]*[ -/]*[@-~])?',
    '\\\\+u[dD][89abAB][0-9a-fA-F]{2}\\\\+u[dD][c-fC-F][0-9a-fA-F]{2}',
    '\\\\+u[0-9a-fA-F]{4}',
    '\\\\+["\'`nrt/]',
    `[${INVISIBLE}${FOLDABLE}]`,
    ASTRAL,
  ].join('|'),
  'g',
);

/** Stand for quotes that are escaped: the level of escaping is kept, so that a value ends at its own kind of quote. */
const QUOTE_LEVELS = 16;
const QUOTE_BASE: Record<string, number> = { '"': 0xe000, "'": 0xe010, '`': 0xe020 };

/** Class of all quotes in a view, escaped ones included. */
export const QUOTE = '["\'`\\ue000-\\ue02f]';

/** Whether one character, as a string, is dropped or folded by the view. */
export function isOddCharacter(character: string): boolean {
  return ODD_CHARACTER.test(character);
}

const INVISIBLE_ONLY = /^[\p{DI}\p{Cf}\p{Cc}]$/u;
const ASCII_ONLY = /^[\x21-\x7e]+$/;

function fold(character: string): string {
  if (character === '\t' || character === '\n' || character === '\r') return character;
  if (INVISIBLE_ONLY.test(character)) return '';
  if (character === '\u2010' || character === '\u2011' || character === '\u2212') return '-';
  const plain = character.normalize('NFKC');
  return ASCII_ONLY.test(plain) ? plain : character;
}

/** What a piece that PIECE matched stands for. */
function decode(piece: string): string {
  if (piece.charCodeAt(0) === 0x1b) return '';
  if (piece.charCodeAt(0) !== 0x5c) return fold(piece);
  const slashes = piece.lastIndexOf('\\') + 1;
  const kind = piece.charAt(slashes);
  if (kind === '"' || kind === "'" || kind === '`')
    return String.fromCharCode((QUOTE_BASE[kind] as number) + Math.min(slashes, QUOTE_LEVELS - 1));
  if (kind === 'n') return '\n';
  if (kind === 'r') return '\r';
  if (kind === 't') return '\t';
  if (kind === '/') return '/';
  if (kind !== 'u') return '\0';
  const units = [...piece.matchAll(/u([0-9a-fA-F]{4})/g)].map((m) => Number.parseInt(m[1] as string, 16));
  if (units[0] === 0x1b) return '';
  const character = String.fromCharCode(...units);
  return character === '\\' ? character : fold(character);
}

const identity = (start: number, end: number): [number, number] => [start, end];

/** Makes the view. Text without anything odd is its own view. */
export function viewOf(original: string): TextView {
  if (!ODD.test(original)) return { text: original, original: identity };
  // For each changed piece: its range in the view and in the original.
  const viewStart: number[] = [];
  const viewEnd: number[] = [];
  const from: number[] = [];
  const to: number[] = [];
  const out: string[] = [];
  let length = 0;
  let done = 0;
  PIECE.lastIndex = 0;
  for (let m = PIECE.exec(original); m !== null; m = PIECE.exec(original)) {
    const plain = original.slice(done, m.index);
    const text = decode(m[0]);
    done = m.index + m[0].length;
    out.push(plain, text);
    length += plain.length;
    viewStart.push(length);
    length += text.length;
    viewEnd.push(length);
    from.push(m.index);
    to.push(done);
  }
  if (from.length === 0) return { text: original, original: identity };
  out.push(original.slice(done));

  /** Index of the last piece that starts at or before `at`, −1 when none does. */
  const pieceAt = (at: number): number => {
    let low = 0;
    let high = viewStart.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((viewStart[middle] as number) <= at) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };
  const place = (at: number, edge: 'start' | 'end'): number => {
    const piece = pieceAt(at);
    if (piece < 0) return edge === 'start' ? at : at + 1;
    if (at < (viewEnd[piece] as number)) return (edge === 'start' ? from[piece] : to[piece]) as number;
    const after = at - (viewEnd[piece] as number) + (to[piece] as number);
    return edge === 'start' ? after : after + 1;
  };
  return {
    text: out.join(''),
    original: (start, end) => [place(start, 'start'), end > start ? place(end - 1, 'end') : place(start, 'start')],
  };
}
