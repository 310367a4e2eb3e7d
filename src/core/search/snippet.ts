import type { SearchHit } from '../../shared/search.ts';
import { charFloor, wellFormed } from '../text.ts';
import type { Places } from './match.ts';

/** About so much of an event is shown around a match, in UTF-16 units. */
const LENGTH = 240;
/** Of it before the first match. */
const BEFORE = 60;
/** A cut is moved by so much to fall between two words. */
const TO_A_BORDER = 24;

export type Snippet = Pick<SearchHit, 'text' | 'matches' | 'more_before' | 'more_after'>;

/**
 * The piece of an event that shows most of the terms; without any match its beginning. Where a text is short, what follows
 * it is shown too: with the name of a tool what it was called with.
 * @param places of each text, as `Matcher` gives them
 */
export function snippetOf(texts: readonly string[], places: readonly Places[]): Snippet {
  let best = { text: 0, first: 0, terms: 0 };
  for (let text = 0; text < texts.length; text++) {
    const found = places[text] ?? [];
    for (let first = 0; first < found.length; first++) {
      const terms = termsFrom(found, first);
      if (terms > best.terms) best = { text, first, terms };
    }
  }
  const shown = joined(texts, places, best.text);
  const snippet = cut(shown.text, shown.places, shown.places[best.first]?.from ?? 0);
  return {
    ...snippet,
    more_before: snippet.more_before || best.text > 0,
    more_after: snippet.more_after || best.text + shown.texts < texts.length,
  };
}

/** How many different terms a piece shows that begins at a place. */
function termsFrom(places: Places, first: number): number {
  const end = (places[first] as { from: number }).from + LENGTH - BEFORE;
  const terms = new Set<number>();
  for (let i = first; i < places.length && (places[i] as { to: number }).to <= end; i++)
    terms.add((places[i] as { term: number }).term);
  return Math.max(1, terms.size);
}

/** A text with those that follow it, as far as there is room. */
function joined(texts: readonly string[], places: readonly Places[], start: number) {
  let text = texts[start] ?? '';
  const all: Places = [...(places[start] ?? [])];
  let next = start + 1;
  for (; next < texts.length && text.length < LENGTH; next++) {
    const by = text.length + 1;
    text = `${text}\n${texts[next]}`;
    for (const { from, to, term } of places[next] ?? []) all.push({ from: from + by, to: to + by, term });
  }
  return { text, places: all, texts: next - start };
}

function cut(text: string, places: Places, anchor: number): Snippet {
  const start = text.length <= LENGTH ? 0 : Math.max(0, anchor - BEFORE);
  const from = toBorder(text, start, 1, anchor);
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
