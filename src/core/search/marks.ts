import { SEARCH_KINDS } from '../../shared/choices.ts';
import type { SearchKind, SearchPlace } from '../../shared/search.ts';
import type { EventText } from './event-text.ts';

/**
 * Tokens that say what an event is. They stand in the index beside its words and begin with a private character, which is
 * in no word, so no text can pretend to be one.
 */
const PRIVATE = '\ue000';

/** Stored: never give a letter another meaning. */
const LETTER: Record<SearchPlace, string> = {
  prompt: 'p',
  reply: 'r',
  thinking: 'h',
  tool: 't',
  summary: 's',
  system: 'y',
  title: 'n',
  note: 'o',
  error: 'e',
};

export const markOf = (place: SearchPlace): string => `${PRIVATE}${LETTER[place]}`;

/** Copied from another session at a fork. */
export const COPY_MARK = `${PRIVATE}c`;

/** Where a person or an agent said in few words what a session is about: it weighs more than where it is worked on. */
const TELLING: readonly SearchKind[] = ['prompt', 'summary', 'title', 'note'];
export const TELLING_MARKS = SEARCH_KINDS.filter((kind) => TELLING.includes(kind)).map(markOf);

export function marksOf({ kind, error, copy }: EventText): string[] {
  return [markOf(kind), ...(error ? [markOf('error')] : []), ...(copy ? [COPY_MARK] : [])];
}
