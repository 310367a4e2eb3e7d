import { type Found, matches, type Rule } from './rule.ts';
import { QUOTE } from './view.ts';

/**
 * Private key blocks (PEM, OpenSSH, PGP, PuTTY) in the shapes that sessions hold them: with real line breaks, on one line,
 * with line numbers, indented, quoted line by line in source code, cut before the end, or only the second half of a block.
 * Escaped line breaks are already decoded by the view. Public keys and certificates are left alone.
 */

const HEADER = /-{4,5}BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-{4,5}/g;
const FOOTER = /-{4,5}END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-{4,5}/g;
/** Longest block looked at: an RSA key of 16384 bits has about 13,000 characters. */
const LONGEST = 24_000;

/** In front of a body line: indentation, line number, diff or quote sign, opening quote, comment, `file:12:`. */
const LINE_PREFIX = `(?:[\\w./-]{1,120}:\\d{1,6}[:-])?[^\\S\\n\\r]*(?:\\d{1,6}[\\t→:|]|\\d{1,6}[^\\S\\n\\r]+)?[^\\S\\n\\r]*(?:[+>|*#]|-(?!-)|//)?[^\\S\\n\\r]*${QUOTE}?`;
/** Behind a body line: closing quote, concatenation, comma. */
const LINE_SUFFIX = `${QUOTE}?[^\\S\\n\\r]*[+,;.\\\\]?[^\\S\\n\\r]*`;
const BODY_LINE = new RegExp(`^${LINE_PREFIX}(?<body>[A-Za-z0-9+/]{2,}={0,2}|=[A-Za-z0-9+/]{4})${LINE_SUFFIX}$`);
const HEADER_LINE = new RegExp(
  `^${LINE_PREFIX}(?:(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash|MessageID)\\s*:.*)?${LINE_SUFFIX}$`,
);
/** A line of key material long enough to be recognised without the lines around it. */
const LONG_BODY = /^[A-Za-z0-9+/]{40,}={0,2}$/;

interface Line {
  start: number;
  end: number;
}

function lineAt(text: string, start: number): Line {
  const lf = text.indexOf('\n', start);
  const end = lf < 0 ? text.length : lf;
  return { start, end: end > start && text.charCodeAt(end - 1) === 13 ? end - 1 : end };
}

/** Range of the key material of one line, null when the line is none. */
function bodyOf(text: string, { start, end }: Line): [number, number] | null {
  if (end - start > 400) return null;
  const m = BODY_LINE.exec(text.slice(start, end));
  const body = m?.groups?.body;
  if (m === null || body === undefined) return null;
  const at = start + m[0].lastIndexOf(body);
  return [at, at + body.length];
}

/** Key material from `at` on, where no footer says how far it goes: body lines as long as they look like one. */
function openBody(text: string, at: number): { ranges: [number, number][]; end: number } {
  const ranges: [number, number][] = [];
  const first = /^[^\S\n\r]*([A-Za-z0-9+/]{8,}={0,2})/.exec(text.slice(at, at + LONGEST));
  let position = at;
  if (first?.[1] !== undefined) {
    const start = at + first[0].length - first[1].length;
    ranges.push([start, start + first[1].length]);
    position = start + first[1].length;
  }
  const rest = lineAt(text, position);
  if (!new RegExp(`^${LINE_SUFFIX}$`).test(text.slice(rest.start, rest.end))) return { ranges, end: position };
  let end = rest.end;
  for (let lf = text.indexOf('\n', rest.end); lf >= 0 && lf - at < LONGEST; lf = text.indexOf('\n', end)) {
    const line = lineAt(text, lf + 1);
    const body = bodyOf(text, line);
    if (body !== null) ranges.push(body);
    else if (!HEADER_LINE.test(text.slice(line.start, line.end))) break;
    end = line.end;
  }
  return { ranges, end };
}

/** Key material in front of a footer whose header is elsewhere. */
function orphanBody(text: string, from: number, footer: number): [number, number][] {
  const ranges: [number, number][] = [];
  const floor = Math.max(from, footer - LONGEST);
  const same = /([A-Za-z0-9+/]{8,}={0,2})\s*$/.exec(text.slice(floor, footer));
  let lineStart = text.lastIndexOf('\n', footer - 1) + 1;
  if (same?.[1] !== undefined && floor + same.index >= lineStart) {
    ranges.push([floor + same.index, floor + same.index + same[1].length]);
    lineStart = Math.min(lineStart, floor + same.index);
  }
  for (let end = lineStart - 1; end >= floor; ) {
    const start = Math.max(floor, text.lastIndexOf('\n', end - 1) + 1);
    const line = { start, end: end > start && text.charCodeAt(end - 1) === 13 ? end - 1 : end };
    const body = bodyOf(text, line);
    if (body === null) {
      // The first half of a line may stand behind other words: take what is key material at its end.
      const tail = /[A-Za-z0-9+/]{40,}={0,2}$/.exec(text.slice(line.start, line.end));
      if (tail !== null) ranges.push([line.start + tail.index, line.end]);
      break;
    }
    ranges.push(body);
    end = start - 1;
  }
  return ranges;
}

const keyMaterial = (text: string, ranges: readonly [number, number][]): string =>
  ranges.map(([start, end]) => text.slice(start, end)).join('');

function* pieces(text: string, ranges: readonly [number, number][]): Generator<Found> {
  const secret = keyMaterial(text, ranges);
  for (const [start, end] of ranges) yield { start, end, secret };
}

/** Runs of key material in a closed block. */
function runs(text: string, from: number, to: number): [number, number][] {
  return [...text.slice(from, to).matchAll(/[A-Za-z0-9+/]{16,}={0,2}/g)].map((m) => [
    from + m.index,
    from + m.index + m[0].length,
  ]);
}

function* closedBlock(text: string, header: number, from: number, footer: number, end: number): Generator<Found> {
  const body = text.slice(from, footer);
  const material = runs(text, from, footer);
  if (material.length === 0) return;
  // Quotes or brackets between the lines belong to source code or JSON: leave that structure standing.
  if (!new RegExp(`${QUOTE}|[{}\\[\\],]`).test(body.replace(/(?:Proc-Type|DEK-Info):.*/g, ''))) {
    yield { start: header, end, secret: keyMaterial(text, material) };
    return;
  }
  const small = [...body.matchAll(/[A-Za-z0-9+/]{4,}={0,2}/g)].map((m): [number, number] => [
    from + m.index,
    from + m.index + m[0].length,
  ]);
  yield* pieces(text, small);
}

function* findPem(text: string): Generator<Found> {
  HEADER.lastIndex = 0;
  FOOTER.lastIndex = 0;
  const headers = [...text.matchAll(HEADER)];
  const footers = [...text.matchAll(FOOTER)];
  let used = 0;
  let f = 0;
  for (let h = 0; h <= headers.length; h++) {
    const header = headers[h];
    const limit = header?.index ?? text.length;
    for (; f < footers.length && (footers[f] as RegExpExecArray).index < limit; f++) {
      const footer = footers[f] as RegExpExecArray;
      yield* pieces(text, orphanBody(text, used, footer.index));
      used = footer.index + footer[0].length;
    }
    if (header === undefined) return;
    const from = header.index + header[0].length;
    const footer = footers[f];
    const next = headers[h + 1]?.index ?? text.length;
    if (footer !== undefined && footer.index < next && footer.index - from <= LONGEST) {
      used = footer.index + footer[0].length;
      f++;
      yield* closedBlock(text, header.index, from, footer.index, used);
    } else {
      const open = openBody(text.slice(0, next), from);
      used = open.end;
      yield* pieces(text, open.ranges);
    }
  }
}

const PUTTY = /Private-Lines: \d{1,4}\s+(?<secret>(?:[A-Za-z0-9+/=]{16,}\s*)+)/g;

export const PRIVATE_KEY_RULE: Rule = {
  type: 'private-key',
  tier: 'definite',
  anchors: ['PRIVATE KEY', 'Private-Lines: '],
  context: 'any',
  *find(text) {
    yield* findPem(text);
    yield* matches(PUTTY, text, () => true);
  },
};

/** Strings between two parts of a key (`{"type":"text","text":…}`) that do not end it. */
const GAP = 4;

/**
 * Follows a key whose lines lie in neighbouring strings: the lines of a diff, the blocks of an answer. Shown every string
 * of a record in order, it says which ranges are key material that no rule sees in that string alone.
 */
export class KeyCarry {
  /** strings left in which an open key may go on; 0 = no key is open */
  private left = 0;

  /** Ranges of `text` that continue a key; `next` is the string behind it in the same array. */
  continuation(text: string, next: string | undefined): [number, number][] {
    if (this.left === 0) return [];
    this.left--;
    const { ranges, end } = openBody(text, 0);
    const [first] = ranges;
    if (first === undefined) return [];
    const long = LONG_BODY.test(text.slice(first[0], first[1]));
    if (!long && (next === undefined || next.search(FOOTER) < 0)) return [];
    this.left = end >= text.trimEnd().length ? GAP : 0;
    return ranges;
  }

  /** Looks whether a key begins in `text` and is still open at its end. */
  note(text: string): void {
    if (!text.includes('PRIVATE KEY')) return;
    const header = [...text.matchAll(HEADER)].at(-1);
    if (header === undefined) {
      if (text.search(FOOTER) >= 0) this.left = 0;
      return;
    }
    const from = header.index + header[0].length;
    this.left = openBody(text, from).end >= text.trimEnd().length ? GAP : 0;
  }
}
