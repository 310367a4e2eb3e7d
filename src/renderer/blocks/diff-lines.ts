import { diffWordsWithSpace } from 'diff';

/** A stretch of a line; `changed` marks the words that differ from the line's partner. */
export interface Piece {
  text: string;
  changed: boolean;
}
export interface DiffLine {
  kind: 'same' | 'add' | 'remove' | 'hunk';
  before: number | null;
  after: number | null;
  pieces: Piece[];
}

/** Places may be missing: some agents tell only what was replaced. */
const HUNK = /^@@(?: -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*))?$/;
const FILE_HEADER = /^(diff |index |--- |\+\+\+ |\\)/;
const whole = (text: string): Piece[] => [{ text, changed: false }];

/**
 * The lines of a unified diff with their numbers. File headers are left out; text before the first hunk counts from 1,
 * so that a diff without hunk lines is shown too.
 */
export function parseUnified(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let [before, after] = [1, 1];
  // lines of the hunk that are still to come: as long as there are, `--- ` is a line that was removed and no file's name
  let [removals, additions] = [0, 0];
  for (const raw of diff.replace(/\n$/, '').split('\n')) {
    const hunk = HUNK.exec(raw);
    if (hunk) {
      const [, from, of, to, by, title] = hunk;
      if (from !== undefined) [before, after] = [Number(from), Number(to)];
      [removals, additions] = from === undefined ? [Infinity, Infinity] : [Number(of ?? 1), Number(by ?? 1)];
      if (lines.length > 0) lines.push({ kind: 'hunk', before: null, after: null, pieces: whole(title?.trim() ?? '') });
    } else if (raw.startsWith('+') && (additions > 0 || !FILE_HEADER.test(raw))) {
      lines.push({ kind: 'add', before: null, after: after++, pieces: whole(raw.slice(1)) });
      additions--;
    } else if (raw.startsWith('-') && (removals > 0 || !FILE_HEADER.test(raw))) {
      lines.push({ kind: 'remove', before: before++, after: null, pieces: whole(raw.slice(1)) });
      removals--;
    } else if (!FILE_HEADER.test(raw)) {
      // a line that is marked by nothing says that something was left out
      const text = raw.startsWith(' ') ? raw.slice(1) : raw;
      lines.push({ kind: 'same', before: before++, after: after++, pieces: whole(text) });
      removals--;
      additions--;
    }
  }
  markWords(lines);
  return lines;
}

/** Compares removed lines with the added ones that follow them, one to one, and marks the words that changed. */
function markWords(lines: DiffLine[]): void {
  for (let start = 0; start < lines.length; start += 1) {
    if (lines[start]?.kind !== 'remove') continue;
    let middle = start;
    while (lines[middle]?.kind === 'remove') middle += 1;
    let end = middle;
    while (lines[end]?.kind === 'add') end += 1;
    for (let i = 0; start + i < middle && middle + i < end; i += 1) pair(lines[start + i], lines[middle + i]);
    start = end - 1;
  }
}

function pair(removed: DiffLine | undefined, added: DiffLine | undefined): void {
  const from = removed?.pieces[0]?.text;
  const to = added?.pieces[0]?.text;
  if (!removed || !added || from === undefined || to === undefined || from.length + to.length > 2000) return;
  const parts = diffWordsWithSpace(from, to);
  const kept = parts
    .filter((part) => !part.added && !part.removed)
    .reduce((sum, part) => sum + part.value.trim().length, 0);
  // Lines with little in common are two lines, not one that changed.
  if (kept * 3 < Math.max(from.trim().length, to.trim().length)) return;
  removed.pieces = parts.filter((part) => !part.added).map((part) => ({ text: part.value, changed: part.removed }));
  added.pieces = parts.filter((part) => !part.removed).map((part) => ({ text: part.value, changed: part.added }));
}
