import { SEARCH_PLACES, SESSION_HAS } from '../../shared/choices.ts';
import type { SearchPlace } from '../../shared/search.ts';
import { momentOf } from '../moment.ts';
import { charactersAt, nameAt } from './names.ts';
import { visitWords } from './words.ts';

/** What a search asks for, read from what a person typed. Any text is a query: what is no filter is words. */

/** A word that is looked for. */
export interface QueryWord {
  /** folded: the parts of a name; the characters of a stretch without spaces; else the word alone */
  parts: string[];
  /** the word as a whole; null of a stretch without spaces, any piece of which counts */
  whole: string | null;
  /** only the whole counts, as of `__init__` */
  literal: boolean;
  /** words that begin with it count */
  prefix: boolean;
}

/** Words that must stand one behind the other. */
export type Term = QueryWord[];

/** Lists: any of them will do; `has`: all of them. Times in seconds since the epoch. */
export interface SearchFilters {
  agents: string[];
  notAgents: string[];
  folders: string[];
  /** names of folders */
  projects: string[];
  has: (typeof SESSION_HAS)[number][];
  places: SearchPlace[];
  notPlaces: SearchPlace[];
  after: number | null;
  before: number | null;
}

export interface ParsedQuery {
  /** all must be in an event */
  all: Term[];
  /** none may be */
  none: Term[];
  filters: SearchFilters;
  /** what was not taken as it may have been meant, in sentences */
  notes: string[];
}

/** `-`, `key:`, then a quotation or anything up to the next space. `--flag` is looked for, not left out. */
const ITEM = /(-(?!-))?(?:([a-z]+):)?(?:"([^"]*)(?:"|$)|(\S+))/giu;
const QUOTES = /[\u201c-\u201f\u00ab\u00bb\uff02]/g;

/** A shorter beginning would be one of nearly every event. */
const MIN_PREFIX = 3;

/** @param now seconds since the epoch, for times like `7d` */
export function parseQuery(text: string, now: number): ParsedQuery {
  const filters = noFilters();
  const parsed: ParsedQuery = { all: [], none: [], filters, notes: [] };
  for (const [item, minus, key, quoted, bare] of text.replace(QUOTES, '"').matchAll(ITEM)) {
    const value = quoted ?? bare ?? '';
    const not = minus !== undefined;
    if (key !== undefined && addFilter(parsed, key.toLowerCase(), value, not, now)) continue;
    const term = termOf(key === undefined ? value : item, quoted === undefined, parsed.notes);
    if (term.length > 0) (not ? parsed.none : parsed.all).push(term);
  }
  return parsed;
}

export const noFilters = (): SearchFilters => ({
  agents: [],
  notAgents: [],
  folders: [],
  projects: [],
  has: [],
  places: [],
  notPlaces: [],
  after: null,
  before: null,
});

/** False when it is no filter, but words. */
function addFilter(parsed: ParsedQuery, key: string, value: string, not: boolean, now: number): boolean {
  const { filters, notes } = parsed;
  switch (key) {
    case 'agent':
      (not ? filters.notAgents : filters.agents).push(value.toLowerCase());
      return true;
    case 'in': {
      const place = SEARCH_PLACES.find((known) => known === value.toLowerCase());
      if (place !== undefined) (not ? filters.notPlaces : filters.places).push(place);
      else notes.push(`in: knows ${SEARCH_PLACES.join(', ')}; "in:${value}" was searched as words.`);
      return place !== undefined;
    }
    case 'has': {
      const what = SESSION_HAS.find((known) => known === value.toLowerCase());
      if (what !== undefined && !not) filters.has.push(what);
      else notes.push(`has: knows ${SESSION_HAS.join(', ')}, without a minus; "has:${value}" was searched as words.`);
      return what !== undefined && !not;
    }
    case 'cwd':
    case 'project':
      if (not || value === '') return false;
      (key === 'cwd' ? filters.folders : filters.projects).push(value);
      return true;
    case 'after':
    case 'before': {
      const at = momentOf(value, now);
      if (at === null || not) {
        notes.push(`${key}: takes a date such as 2026-11-29, or 7d; "${key}:${value}" was searched as words.`);
        return false;
      }
      if (key === 'after') filters.after = Math.max(at, filters.after ?? at);
      else filters.before = Math.min(at, filters.before ?? at);
      return true;
    }
    default:
      return false;
  }
}

function termOf(text: string, mayBePrefix: boolean, notes: string[]): Term {
  const words: Term = [];
  let end = 0;
  visitWords(text, {
    word: (from, to, compound) => {
      const name = nameAt(text, from, to, compound);
      end = to;
      if (name === null) return;
      words.push({ parts: name.parts, whole: name.whole, literal: name.bordered, prefix: false });
    },
    dense: (from, to) => {
      end = to;
      words.push({ parts: charactersAt(text, from, to).parts, whole: null, literal: false, prefix: false });
    },
    symbol: (from, to) => {
      end = to;
      const symbol = text.slice(from, to);
      words.push({ parts: [symbol], whole: symbol, literal: false, prefix: false });
    },
  });
  const last = words.at(-1);
  if (!mayBePrefix || last?.whole == null || !/^\*+$/.test(text.slice(end))) return words;
  if (last.whole.length < MIN_PREFIX)
    notes.push(`"${text}" was searched as a whole word: a beginning needs 3 letters.`);
  else last.prefix = true;
  return words;
}
