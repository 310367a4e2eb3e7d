import { charactersAt, nameAt } from './names.ts';
import type { ParsedQuery, QueryWord, Term } from './query.ts';
import { visitWords } from './words.ts';

/** Looks into an event itself: whether a query is in it, and where. */

/** Where terms stand in one text: [from, to) in UTF-16 units, ascending, apart; `term` is the number of the term. */
export type Places = { from: number; to: number; term: number }[];

/** Places of one term that are looked for in one text; a snippet shows few. */
const MAX_PLACES = 64;

/** Looks for one query in many events. */
export class Matcher {
  private readonly all: Wanted[];
  private readonly none: Wanted[];

  constructor({ all, none }: Pick<ParsedQuery, 'all' | 'none'>) {
    this.all = all.map(wantedOf);
    this.none = none.map(wantedOf);
  }

  /** The places in each text of an event; null when the query is not in it: a term is nowhere, or one is there that must not be. */
  match(texts: readonly string[]): Places[] | null {
    const found = new Set<number>();
    const matches: Places[] = [];
    for (const text of texts) {
      const isAscii = ASCII.test(text);
      let atoms: Atoms | null = null;
      const isPossible = ({ rough }: Wanted): boolean => {
        if (isAscii && !rough.test(text)) return false;
        atoms ??= atomsOf(text);
        return true;
      };
      for (const wanted of this.none) if (isPossible(wanted) && isIn(atoms as Atoms | null, wanted.term)) return null;
      const places = this.all.flatMap((wanted, number) => {
        const ranges = isPossible(wanted) ? rangesOf(atoms as Atoms | null, wanted.term) : [];
        if (ranges.length > 0) found.add(number);
        return ranges.map((range) => ({ ...range, term: number }));
      });
      matches.push(apart(places));
    }
    return found.size === this.all.length ? matches : null;
  }
}

/** A term, and a rough look that costs little: an ASCII text in which it fails does not hold the term. */
interface Wanted {
  term: Term;
  rough: RegExp;
}

const ASCII = /^[\x00-\x7f]*$/;
const NEVER = /(?!)/;

/** In ASCII the parts of a term stand one behind the other, with nothing but separators between them. */
function wantedOf(term: Term): Wanted {
  const parts = term.flatMap((word) => (word.literal ? [word.whole as string] : word.parts));
  if (!parts.every((part) => ASCII.test(part))) return { term, rough: NEVER };
  // folded words hold letters, digits and underscores alone
  return { term, rough: new RegExp(parts.join('[^a-z0-9]*'), 'i') };
}

/** A text as the smallest pieces that can be looked for, in order. */
interface Atoms {
  texts: string[];
  from: number[];
  to: number[];
  /** number of the word each belongs to */
  word: number[];
  /** the whole word, at its first piece; undefined of other pieces and of stretches without spaces */
  whole: (string | undefined)[];
}

function atomsOf(text: string): Atoms {
  const atoms: Atoms = { texts: [], from: [], to: [], word: [], whole: [] };
  let word = 0;
  const add = (parts: readonly string[], places: readonly number[], whole?: string) => {
    for (let i = 0; i < parts.length; i++) {
      atoms.texts.push(parts[i] as string);
      atoms.from.push(places[2 * i] as number);
      atoms.to.push(places[2 * i + 1] as number);
      atoms.word.push(word);
      atoms.whole.push(i === 0 ? whole : undefined);
    }
    word++;
  };
  visitWords(text, {
    word: (from, to, compound) => {
      const name = nameAt(text, from, to, compound);
      if (name !== null) add(name.parts, name.places, name.whole);
    },
    dense: (from, to) => {
      const { parts, places } = charactersAt(text, from, to);
      add(parts, places);
    },
    symbol: (from, to) => {
      const symbol = text.slice(from, to);
      add([symbol], [from, to], symbol);
    },
  });
  return atoms;
}

function isIn(atoms: Atoms | null, term: Term): boolean {
  if (atoms === null) return false;
  for (let at = 0; at < atoms.texts.length; at++) if (endOfTerm(atoms, at, term) >= 0) return true;
  return false;
}

function rangesOf(atoms: Atoms | null, term: Term): { from: number; to: number }[] {
  if (atoms === null) return [];
  const ranges: { from: number; to: number }[] = [];
  for (let at = 0; at < atoms.texts.length && ranges.length < MAX_PLACES; at++) {
    const end = endOfTerm(atoms, at, term);
    if (end > at) ranges.push({ from: atoms.from[at] as number, to: atoms.to[end - 1] as number });
  }
  return ranges;
}

/** The piece behind the term, or -1 when it does not stand here. */
function endOfTerm(atoms: Atoms, start: number, term: Term): number {
  let at = start;
  for (const word of term) {
    at = endOfWord(atoms, at, word);
    if (at < 0) return -1;
  }
  return at;
}

function endOfWord(atoms: Atoms, at: number, word: QueryWord): number {
  const whole = atoms.whole[at];
  if (whole !== undefined && word.whole !== null && is(whole, word.whole, word.prefix)) {
    let end = at + 1;
    while (atoms.word[end] === atoms.word[at]) end++;
    return end;
  }
  if (word.literal) return -1;
  const { parts } = word;
  const last = parts.length - 1;
  if (atoms.word[at + last] !== atoms.word[at]) return -1;
  for (let i = 0; i <= last; i++)
    if (!is(atoms.texts[at + i] as string, parts[i] as string, word.prefix && i === last)) return -1;
  return at + parts.length;
}

const is = (text: string, wanted: string, prefix: boolean): boolean =>
  prefix ? text.startsWith(wanted) : text === wanted;

/** Ascending; of places that overlap the first is kept, made as long as both. */
function apart(places: Places): Places {
  const sorted = places.sort((a, b) => a.from - b.from || b.to - a.to);
  const kept: Places = [];
  for (const place of sorted) {
    const last = kept.at(-1);
    if (last !== undefined && place.from < last.to) last.to = Math.max(last.to, place.to);
    else kept.push(place);
  }
  return kept;
}
