import type { SearchHit } from '../../shared/search.ts';
import { charFloor, wellFormed } from '../text.ts';
import type { TextMatch } from './match.ts';

/** About so much of a text is shown around a match, in UTF-16 units. */
const LENGTH = 240;
/** Of it before the first match. */
const BEFORE = 60;
/** A cut is moved by so much to fall between two words. */
const TO_A_BORDER = 24;

export type Snippet = Pick<SearchHit, 'text' | 'matches' | 'more_before' | 'more_after'>;

/** The piece of an event that shows most of the terms; without any match the beginning of its first text. */
export function snippetOf(matches: readonly TextMatch[], texts: readonly string[]): Snippet {
  let best = { text: texts[0] ?? '', places: [] as TextMatch['places'], first: 0, terms: 0 };
  for (const { text, places } of matches) {
    for (let first = 0; first < places.length; first++) {
      const terms = termsFrom(places, first);
      if (terms > best.terms) best = { text, places, first, terms };
    }
  }
  return cut(best.text, best.places, best.places[best.first]?.from ?? 0);
}

/** How many different terms a piece shows that begins at a place. */
function termsFrom(places: TextMatch['places'], first: number): number {
  const end = (places[first] as { from: number }).from + LENGTH - BEFORE;
  const terms = new Set<number>();
  for (let i = first; i < places.length && (places[i] as { to: number }).to <= end; i++)
    terms.add((places[i] as { term: number }).term);
  return Math.max(1, terms.size);
}

function cut(text: string, places: TextMatch['places'], anchor: number): Snippet {
  const from = toBorder(text, Math.max(0, anchor - BEFORE), 1, anchor);
  const to = toBorder(text, Math.min(text.length, from + LENGTH), -1, Math.min(text.length, anchor + 1));
  const shown = places.filter((place) => place.to > from && place.from < to);
  return {
    text: wellFormed(text.slice(from, to)),
    matches: shown.map((place) => [Math.max(place.from, from) - from, Math.min(place.to, to) - from]),
    more_before: from > 0,
    more_after: to < text.length,
  };
}

/** Moves a cut to white space near it, not beyond `limit`; else to a whole character. */
function toBorder(text: string, at: number, step: 1 | -1, limit: number): number {
  if (at === 0 || at === text.length) return at;
  for (let i = 0, place = at; i < TO_A_BORDER && place !== limit; i++, place += step)
    if (/\s/.test(text[place] as string)) return step === 1 ? place + 1 : place;
  return charFloor(text, at);
}
