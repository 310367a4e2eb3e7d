import { charFloor } from '../core/text.ts';

/**
 * Sizes of answers. Agents cut what is longer than they like: Pi 1.6 takes the middle out of more than 20 KiB, Codex 0.171
 * of more than about 10,000 tokens, Claude Code warns above 10,000 tokens and cuts at 25,000. A cut page does not say what is
 * missing, so long texts go in parts, and rows in pages.
 */

/** UTF-8 bytes of one part of a text; what stands around it is at most a tenth of that. */
export const PART_BYTES = 16_384;

/** UTF-16 units that the rows of one page take as JSON. */
export const PAGE_CHARS = 12_000;

/** A line that is longer is cut, so that a part can end in it. */
const PIECE = 2_000;

/** A text in parts that are no larger than `limit` bytes, cut at ends of lines where there are any. Joined, they are the text. */
export function partsOf(text: string, limit = PART_BYTES): string[] {
  const parts: string[] = [];
  let part: string[] = [];
  let size = 0;
  for (const piece of piecesOf(text)) {
    const bytes = Buffer.byteLength(piece);
    if (part.length > 0 && size + bytes > limit) {
      parts.push(part.join(''));
      part = [];
      size = 0;
    }
    part.push(piece);
    size += bytes;
  }
  return part.length > 0 || parts.length === 0 ? [...parts, part.join('')] : parts;
}

function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const line = end < 0 ? text.length : end + 1;
    const to = line - from > PIECE ? charFloor(text, from + PIECE) : line;
    yield text.slice(from, to);
    from = to;
  }
}

/** As many of the first rows as a page takes, at least one. */
export function fitting<T>(rows: readonly T[], limit = PAGE_CHARS): T[] {
  let used = 0;
  const end = rows.findIndex((row, at) => {
    used += JSON.stringify(row).length + 1;
    return at > 0 && used > limit;
  });
  return end < 0 ? [...rows] : rows.slice(0, end);
}

const ENTRIES = 20;
const STRING = 500;
const DEPTH = 6;

/** JSON of any size cut to one that fits an answer: of lists the first entries, with the number of the others. */
export function trimmed(value: unknown, depth = DEPTH): unknown {
  if (typeof value === 'string') return value.length > STRING ? `${value.slice(0, charFloor(value, STRING))}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '…';
  if (Array.isArray(value)) {
    const kept = value.slice(0, ENTRIES).map((entry) => trimmed(entry, depth - 1));
    return value.length > ENTRIES ? [...kept, `… ${value.length - ENTRIES} more`] : kept;
  }
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, ENTRIES)
      .map(([name, entry]) => [name, trimmed(entry, depth - 1)]),
  );
}
