import type { SessionQuery } from '../../../shared/api.ts';
import { MAX_QUERY, type SearchQuery } from '../../../shared/search.ts';

/**
 * The one search box: words, "exact words", and `key:value` filters. The text is the state (it is in the URL); chips are
 * drawn from it and edit it. What is not understood is searched as words, so nothing typed is silently ignored.
 */

type Has = NonNullable<SessionQuery['has']>[number];
type Sort = NonNullable<SessionQuery['sort']>;
const HAS: readonly Has[] = ['error', 'secret', 'image', 'subagent', 'warning'];
const SORTS: readonly Sort[] = ['recent', 'oldest', 'title', 'size'];

export type FilterKey = 'agent' | 'project' | 'has' | 'before' | 'after' | 'sort' | 'with';
/** One understood `key:value` of the text. */
export interface Filter {
  key: FilterKey;
  value: string;
}
export interface ParsedQuery {
  words: string[];
  filters: Filter[];
}

const TOKEN = /([a-z]+):"([^"]*)"|"([^"]*)"|(\S+)/gi;

/** Splits the text of the search box. Order and repeats are kept. */
export function parseQuery(text: string): ParsedQuery {
  const parsed: ParsedQuery = { words: [], filters: [] };
  for (const [whole, key, quotedValue, quoted, bare] of text.matchAll(TOKEN)) {
    const colon = bare?.indexOf(':') ?? -1;
    const name = key ?? (colon > 0 ? bare?.slice(0, colon) : undefined);
    const value = quotedValue ?? (colon > 0 ? bare?.slice(colon + 1) : undefined);
    const filter = name && value ? understood(name.toLowerCase(), value) : null;
    if (filter) parsed.filters.push(filter);
    else if (quoted !== undefined) parsed.words.push(quoted);
    else parsed.words.push(whole);
  }
  parsed.words = parsed.words.filter((word) => word.trim() !== '');
  return parsed;
}

function understood(key: string, value: string): Filter | null {
  switch (key) {
    case 'agent':
    case 'project':
      return { key, value };
    case 'has':
      return HAS.some((known) => known === value) ? { key, value } : null;
    case 'sort':
      return SORTS.some((known) => known === value) ? { key, value } : null;
    case 'with':
      return value === 'subagents' || value === 'empty' ? { key, value } : null;
    case 'before':
    case 'after':
      return dayOf(value) === null ? null : { key, value };
    default:
      return null;
  }
}

/** Local midnight of YYYY-MM-DD, in seconds; null when it is no such day. */
function dayOf(text: string): number | null {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (!year || !month || !day) return null;
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  return date.getMonth() === Number(month) - 1 ? date.getTime() / 1000 : null;
}

const quote = (value: string): string => (/[\s"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value);
const show = (filter: Filter): string => `${filter.key}:${quote(filter.value)}`;

/** The text of the search box for what was parsed. */
export const writeQuery = ({ words, filters }: ParsedQuery): string =>
  [...filters.map(show), ...words.map(quote)].join(' ');

const repeatable = (key: FilterKey): boolean => key === 'has' || key === 'with';

/** The text with one filter added; a key that holds one value only takes the new one. */
export function addFilter(text: string, filter: Filter): string {
  const parsed = parseQuery(text);
  const kept = parsed.filters.filter((other) =>
    repeatable(filter.key) ? show(other) !== show(filter) : other.key !== filter.key,
  );
  return writeQuery({ words: parsed.words, filters: [...kept, filter] });
}

export function removeFilter(text: string, filter: Filter): string {
  const parsed = parseQuery(text);
  return writeQuery({ words: parsed.words, filters: parsed.filters.filter((other) => show(other) !== show(filter)) });
}

/** Filters that narrow the list; the order of the list is not one. */
export const narrowing = (parsed: ParsedQuery): Filter[] =>
  parsed.filters.filter((filter) => filter.key !== 'sort' && filter.key !== 'with');

const isFolder = (value: string): boolean => /^(\/|~|[A-Za-z]:[\\/])/.test(value);

/** What the engine is asked for. A later filter of a key that holds one value wins. */
export function toSessionQuery({ words, filters }: ParsedQuery): SessionQuery {
  const query: SessionQuery = {};
  // A project named without its folder is looked for as a word: the engine searches paths as well.
  const named = filters.flatMap(({ key, value }) => (key === 'project' && !isFolder(value) ? [value] : []));
  const text = [...words, ...named].join(' ').slice(0, 500);
  if (text !== '') query.text = text;
  const has: Has[] = [];
  for (const { key, value } of filters) {
    if (key === 'agent') query.agent = value;
    else if (key === 'project') {
      if (isFolder(value)) query.cwd = value;
    } else if (key === 'has') has.push(value as Has);
    else if (key === 'sort') query.sort = value as Sort;
    else if (key === 'with') query[value as 'subagents' | 'empty'] = true;
    else query[key] = dayOf(value) ?? undefined;
  }
  if (has.length > 0) query.has = [...new Set(has)];
  return query;
}

/** The same question put to all that was said; null without a word to look for. Order and empty sessions mean nothing there. */
export function toSearchQuery(parsed: ParsedQuery): SearchQuery | null {
  if (parsed.words.length === 0) return null;
  const { agent, cwd, has, before, after } = toSessionQuery(parsed);
  const named = parsed.filters.filter(({ key, value }) => key === 'project' && !isFolder(value)).map(show);
  const query = [...named, ...parsed.words.map(quote)].join(' ').slice(0, MAX_QUERY);
  return {
    query,
    ...(agent === undefined ? {} : { agent }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(has === undefined ? {} : { has }),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}
