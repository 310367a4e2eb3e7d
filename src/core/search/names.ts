import { fold } from './fold.ts';
import { isBordered, partsOf } from './words.ts';

/** A word taken apart: how it is looked up, and where its parts stand. */
export interface Name {
  /** folded, never empty */
  parts: string[];
  /** `[from, to]` of each part in its text, one behind the other, with the underscores at its borders */
  places: number[];
  /** the whole word folded, underscores and all */
  whole: string;
  /** begins or ends with an underscore */
  bordered: boolean;
}

/** Takes the word at a place apart; null when nothing of it is left, as of a lone accent. */
export function nameAt(text: string, from: number, to: number, compound: boolean): Name | null {
  const whole = fold(text.slice(from, to));
  if (whole === '') return null;
  if (!compound) return { parts: [whole], places: [from, to], whole, bordered: false };
  const bordered = isBordered(text, from, to);
  const parts: string[] = [];
  const places: number[] = [];
  const found = partsOf(text, from, to);
  for (let i = 0; i < found.length; i += 2) {
    const [begin, end] = [found[i] as number, found[i + 1] as number];
    const part = fold(text.slice(begin, end));
    if (part === '') continue;
    parts.push(part);
    places.push(begin, end);
  }
  if (bordered && parts.length > 0) {
    places[0] = from;
    places[places.length - 1] = to;
  }
  if (parts.length > 0) return { parts, places, whole, bordered };
  return { parts: [whole], places: [from, to], whole, bordered: false };
}

/** Characters of a stretch without spaces, in one width, with their places. */
export function charactersAt(text: string, from: number, to: number): Pick<Name, 'parts' | 'places'> {
  const raw = [...text.slice(from, to)];
  const parts = [...raw.join('').normalize('NFKC')];
  const places: number[] = [];
  // where characters merged (half-width Kana with their marks) each stands for the whole stretch
  if (parts.length !== raw.length) return { parts, places: parts.flatMap(() => [from, to]) };
  let at = from;
  for (const character of raw) {
    places.push(at, at + character.length);
    at += character.length;
  }
  return { parts, places };
}
