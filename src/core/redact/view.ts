import { fold, ODD_ASTRAL, ODD_BASIC, USUAL } from './odd-characters.ts';

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

/** Where a piece may begin: much faster to search than the pieces themselves. */
const ODD = new RegExp(`[^${USUAL}]`, 'g');

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
  'y',
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

/** The changed pieces of a view, in order. Four numbers each, so that a text with a million escapes stays small. */
class Pieces {
  private data = new Uint32Array(64);
  private count = 0;

  /** Notes that [from, to) of the original became [start, end) of the view. */
  add(start: number, end: number, from: number, to: number): void {
    if (4 * this.count === this.data.length) {
      const larger = new Uint32Array(2 * this.data.length);
      larger.set(this.data);
      this.data = larger;
    }
    this.data.set([start, end, from, to], 4 * this.count++);
  }

  /** Place in the original of the first or last character at `at` in the view; an end lies behind its character. */
  place(at: number, edge: 'start' | 'end'): number {
    // The last piece that starts at or before `at`.
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.data[4 * middle] as number) <= at) low = middle + 1;
      else high = middle;
    }
    const behind = edge === 'start' ? 0 : 1;
    if (low === 0) return at + behind;
    const [, end = 0, from = 0, to = 0] = this.data.subarray(4 * (low - 1), 4 * low);
    if (at < end) return edge === 'start' ? from : to;
    return at - end + to + behind;
  }
}

const BACKSLASH = 0x5c;

function afterBackslashes(text: string, at: number): number {
  let end = at;
  while (text.charCodeAt(end) === BACKSLASH) end++;
  return end;
}

/** Parts of a long text joined at a time. */
const JOINED = 4096;

/** Makes the view. Text without anything odd is its own view. */
export function viewOf(original: string): TextView {
  ODD.lastIndex = 0;
  let odd = ODD.exec(original);
  if (odd === null) return { text: original, original: identity };
  const pieces = new Pieces();
  let text = '';
  let parts: string[] = [];
  let length = 0;
  let done = 0;
  for (; odd !== null; odd = ODD.exec(original)) {
    PIECE.lastIndex = odd.index;
    const piece = PIECE.exec(original)?.[0];
    if (piece === undefined) {
      // Backslashes before something else: none of them begins a piece.
      if (original.charCodeAt(odd.index) === BACKSLASH) ODD.lastIndex = afterBackslashes(original, odd.index);
      continue;
    }
    const plain = original.slice(done, odd.index);
    const changed = decode(piece);
    done = odd.index + piece.length;
    ODD.lastIndex = done;
    length += plain.length;
    pieces.add(length, length + changed.length, odd.index, done);
    length += changed.length;
    if (parts.push(plain, changed) >= JOINED) {
      text += parts.join('');
      parts = [];
    }
  }
  if (done === 0) return { text: original, original: identity };
  parts.push(original.slice(done));
  return {
    text: text + parts.join(''),
    original: (start, end) => [
      pieces.place(start, 'start'),
      end > start ? pieces.place(end - 1, 'end') : pieces.place(start, 'start'),
    ],
  };
}
