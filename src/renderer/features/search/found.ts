import type { SearchHit, SearchResult } from '../../../shared/search.ts';
import type { SessionRow } from '../../../shared/session.ts';

/** A row of the found: a session, one of its hits below it, or how many more there are. */
export type FoundRow =
  | { kind: 'session'; id: string; session: SessionRow; total: number; exact: boolean }
  | { kind: 'hit'; id: string; session: SessionRow; hit: SearchHit }
  | { kind: 'more'; id: string; session: SessionRow; count: number };

type FoundSession = SearchResult['sessions'][number];

/** Hits of a session that were asked for beyond those that came with it. */
export type MoreHits = ReadonlyMap<string, readonly SearchHit[]>;

/** The pages of a search as one list of rows. A session that moved between pages is listed where it came first. */
export function foundRows(pages: readonly SearchResult[], beyond: MoreHits = new Map()): FoundRow[] {
  const seen = new Set<string>();
  return pages.flatMap(({ sessions }) =>
    sessions.flatMap((found) => {
      if (seen.has(found.session.id)) return [];
      seen.add(found.session.id);
      return rowsOf({ ...found, hits: withMore(found.hits, beyond.get(found.session.id)) });
    }),
  );
}

/** Those that came first stay where they are; of the others each is there once. */
function withMore(first: readonly SearchHit[], more: readonly SearchHit[] = []): SearchHit[] {
  const shown = new Set(first.map(({ seq }) => seq));
  return [...first, ...more.filter(({ seq }) => !shown.has(seq))];
}

function rowsOf({ session, total, exact, hits }: FoundSession): FoundRow[] {
  const more = total - hits.length;
  return [
    { kind: 'session', id: session.id, session, total, exact },
    ...hits.map((hit): FoundRow => ({ kind: 'hit', id: `${session.id} ${hit.seq}`, session, hit })),
    ...(more > 0 ? [{ kind: 'more', id: `${session.id} more`, session, count: more } as const] : []),
  ];
}

/** Characters before the first match: more would push it out of the two lines that are shown. */
const BEFORE = 36;

/**
 * A text cut where it matched: pieces in order, those that matched marked. White space is drawn as single spaces, and what
 * is long before the first match is left out for an ellipsis.
 */
export function piecesOf({ text, matches }: Pick<SearchHit, 'text' | 'matches'>): { text: string; matched: boolean }[] {
  const pieces: { text: string; matched: boolean }[] = [];
  const add = (from: number, to: number, matched: boolean) => {
    const spaced = text.slice(from, to).replace(/\s+/g, ' ');
    const piece = pieces.length === 0 && !matched && matches.length > 0 ? endOf(spaced) : spaced;
    if (piece !== '') pieces.push({ text: piece, matched });
  };
  let at = 0;
  for (const [from, to] of matches) {
    add(at, from, false);
    add(from, to, true);
    at = to;
  }
  add(at, text.length, false);
  return pieces;
}

/** The end of a long text, from a word on where there is one. */
function endOf(text: string): string {
  if (text.length <= BEFORE) return text;
  const end = text.slice(-BEFORE).toWellFormed();
  const word = end.indexOf(' ');
  return `…${word >= 0 && word < end.length - 1 ? end.slice(word + 1) : end}`;
}
