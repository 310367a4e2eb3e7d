import { fold, ODD_ASTRAL, ODD_BASIC } from './odd-characters.ts';

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

const ODD = new RegExp(`[\\\\${ODD_BASIC}]|${ODD_ASTRAL}`);

const PIECE = new RegExp(
  [
    // terminal codes: real ones, and those written in source code (which only separate what they stand between)
    '(?:\\x1b|\\\\+u001[bB])(?:\\[[0-9;?]*[ -/]*[@-~])?',
    '\\\\+(?:x1[bB]|033|e(?=\\[))(?:\\[[0-9;?]*[ -/]*[@-~])?',
    '\\\\+u[dD][89abAB][0-9a-fA-F]{2}\\\\+u[dD][c-fC-F][0-9a-fA-F]{2}',
    '\\\\+u[0-9a-fA-F]{4}',
    '\\\\+["\'`nrt/]',
    `[${ODD_BASIC}]`,
    ODD_ASTRAL,
  ].join('|'),
  'g',
);

/** Stand for quotes that are escaped: the level of escaping is kept, so that a value ends at its own kind of quote. */
const QUOTE_LEVELS = 16;
const QUOTE_BASE: Record<string, number> = { '"': 0xe000, "'": 0xe010, '`': 0xe020 };

/** Class of all quotes in a view, escaped ones included. */
export const QUOTE = '["\'`\\ue000-\\ue02f]';

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
  return fold(String.fromCharCode(...units));
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
