import { markOf } from './marks.ts';
import type { ParsedQuery, QueryWord, Term } from './query.ts';
import { pairOf, tokenOf } from './tokens.ts';

/** A query as the index understands it. The index knows which tokens are in an event, not where. */
export interface IndexQuery {
  /** in FTS5's language, of quoted tokens alone; null when there is nothing to look for */
  expression: string | null;
  /** false: the index gives too much, so each event has to be looked at */
  exact: boolean;
}

/** More would slow a search down and tell no more; what is left out is seen when the event is looked at. */
const MAX_TOKENS = 48;

interface Clause {
  sql: string;
  tokens: number;
  exact: boolean;
  /** how much it narrows the search, roughly */
  length: number;
}

export function indexQuery({ all, none, filters }: ParsedQuery): IndexQuery {
  const terms = all.flatMap(clausesOf).sort((a, b) => b.length - a.length);
  const taken: string[] = [];
  let room = MAX_TOKENS;
  let exact = terms.every((clause) => clause.exact) && all.every((term) => term.length === 1);
  for (const { sql, tokens } of terms) {
    if (tokens <= room) taken.push(sql);
    else exact = false;
    room -= Math.min(room, tokens);
  }
  const places = filters.places.map((place) => quoted(markOf(place)));
  if (places.length > 0) taken.push(anyOf(places));
  if (taken.length === 0) return { expression: null, exact: true };
  const not = filters.notPlaces.map((place) => quoted(markOf(place)));
  for (const term of none) {
    const [clause] = clausesOf(term);
    if (term.length === 1 && clause?.exact && clause.tokens <= room) not.push(clause.sql);
    else exact = false;
  }
  const positive = [...new Set(taken)].join(' AND ');
  return { expression: not.length === 0 ? positive : `(${positive}) NOT ${anyOf(not)}`, exact };
}

const clausesOf = (term: Term): Clause[] => term.map(clauseOf);

function clauseOf({ parts, whole, literal, prefix }: QueryWord): Clause {
  const length = parts.join('').length;
  if (whole === null) return dense(parts, length);
  const token = tokenOf(whole);
  const entire = prefix ? `${quoted(token)} *` : quoted(token);
  if (literal || parts.length === 1) return { sql: entire, tokens: 1, exact: token === whole, length };
  const pairs = parts.slice(1).map((part, i) => ({ left: parts[i] as string, right: part }));
  const sql = pairs.map(({ left, right }, i) => {
    const pair = quoted(pairOf(left, right));
    return prefix && i === pairs.length - 1 ? `${pair} *` : pair;
  });
  const cut = pairs.some(({ left, right }) => pairOf(left, right) !== `${left}_${right}`);
  const exact = pairs.length === 1 && token === whole && !cut;
  return { sql: `((${sql.join(' AND ')}) OR ${entire})`, tokens: sql.length + 1, exact, length };
}

/** Pairs of characters say which events can hold the stretch; one character is the beginning of a pair, or the last. */
function dense(characters: readonly string[], length: number): Clause {
  if (characters.length === 1) return { sql: `${quoted(characters[0] as string)} *`, tokens: 1, exact: true, length };
  const pairs = characters.slice(1).map((character, i) => quoted(`${characters[i]}${character}`));
  const sql = [...new Set(pairs)];
  return { sql: sql.join(' AND '), tokens: sql.length, exact: pairs.length === 1, length: length * 2 };
}

const quoted = (token: string): string => `"${token.replaceAll('"', '""')}"`;
const anyOf = (list: readonly string[]): string => (list.length === 1 ? (list[0] as string) : `(${list.join(' OR ')})`);
