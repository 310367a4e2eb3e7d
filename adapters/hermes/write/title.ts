/** Hermes' own limit; a longer title would be refused by its commands. */
const MAX = 100;

const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;
/** Characters without width, marks of direction and the like, which Hermes takes out of titles. */
const UNSEEN = /[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffc\ufff9-\ufffb]/g;
/** Hermes reads ` #2` at the end as the second part of a session. */
const NUMBERED = /(?: #\d+)+$/;

/** A title as Hermes itself would keep it; null = nothing is left of it. */
export function cleanTitle(title: string): string | null {
  const clean = title
    .toWellFormed()
    .replace(CONTROLS, '')
    .replace(UNSEEN, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(NUMBERED, '');
  return clean === '' ? null : shortened(clean, MAX);
}

/** The title with a number where it is taken; titles are unique in a database. */
export function uniqueTitle(title: string, isTaken: (title: string) => boolean): string {
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? '' : ` (${n})`;
    const candidate = shortened(title, MAX - suffix.length) + suffix;
    if (!isTaken(candidate)) return candidate;
  }
}

/** Python counts characters, not UTF-16 units. */
function shortened(text: string, max: number): string {
  const characters = [...text];
  return characters.length <= max
    ? text
    : `${characters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`;
}
