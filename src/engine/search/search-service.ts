import { indexQuery } from '../../core/search/expression.ts';
import { Matcher } from '../../core/search/match.ts';
import { noFilters, type ParsedQuery, parseQuery, type SearchFilters } from '../../core/search/query.ts';
import { AGENTS } from '../../shared/agents.ts';
import type { SearchIndexState, SearchResult } from '../../shared/search.ts';
import type { SessionRow } from '../../shared/session.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { inherited } from '../store/inheritance.ts';
import type { LogHead } from '../store/log-head.ts';
import { LogReader } from '../store/log-reader.ts';
import { LogWriter } from '../store/log-writer.ts';
import { Maintenance } from '../store/maintenance.ts';
import { SessionReader } from '../store/sessions.ts';
import { WholeLogs } from '../store/whole-logs.ts';
import { Writes } from '../store/writes.ts';
import type { Search } from './contract.ts';
import { Finder, type FoundLog, type LogPart } from './finder.ts';
import { Budget, HitReader } from './hit-reader.ts';
import { Indexer } from './indexer.ts';
import { NO_SUBAGENT, sessionConditions } from './session-filter.ts';

export interface SearchServiceOptions {
  home: string;
  key: Uint8Array;
  /** how long a step of indexing waits for another writer */
  busyMs: number;
}

/** So many doubtful matches are all looked at, and then counted exactly. */
const COUNTED = 60;

/** Unpacked segments that are kept: those of a page of hits, so that the next page, or the next word typed, finds them. */
const SEGMENTS = 48;

type Page = Omit<SearchResult, 'notes' | 'index'>;
type Group = SearchResult['sessions'][number];

const NOTHING: Page = { sessions: [], total: { sessions: 0, hits: 0, exact: true }, next: null };
const NO_WORDS = 'There is no word to search for. What sessions there are is told by `sessionctl list`.';

/** A session on its way to the page: its matches as it is read, the best first. */
interface Candidate {
  row: SessionRow;
  log: LogHead;
  at: number | null;
  seqs: number[];
}

/** Search in its own thread, with its own connection: whoever reads or writes the store does not wait for a search. */
export class SearchService {
  private readonly db: Database;
  private readonly rows: SessionReader;
  private readonly writes: Writes;
  private readonly maintenance: Maintenance;
  private readonly indexer: Indexer;
  private readonly finder: Finder;
  private readonly hits: HitReader;
  private readonly uidOf;

  constructor({ home, key, busyMs }: SearchServiceOptions) {
    const db = openDatabase(home, key);
    const logs = new LogReader(db, SEGMENTS);
    this.db = db;
    this.rows = new SessionReader(db);
    this.writes = new Writes(db, busyMs);
    this.maintenance = new Maintenance(db, this.writes, new LogWriter(db));
    this.indexer = new Indexer(db, logs, this.writes);
    this.finder = new Finder(db);
    this.hits = new HitReader(new WholeLogs(logs));
    this.uidOf = db.prepare<[number], string>('SELECT uid FROM session WHERE id = ?').pluck();
  }

  methods() {
    return {
      look: (): { done: boolean; state: SearchIndexState } => ({
        done: this.indexer.isDone(),
        state: this.indexer.state(),
      }),
      step: async () => ({ done: await this.indexer.step(), state: this.indexer.state() }),
      search: (query: Search) => this.search(query),
      close: () => this.close(),
    };
  }

  private search(query: Search): SearchResult {
    const now = Date.now() / 1000;
    const typed = parseQuery(query.query, now);
    const notes = [...typed.notes, ...this.unknownAgents(typed)];
    const index = this.indexer.state();
    const parsed = narrowed(typed, filtersOf(query));
    if (parsed === null) return { ...NOTHING, notes, index };
    const { expression, exact } = indexQuery(parsed);
    if (expression === null) return { ...NOTHING, notes: [...notes, NO_WORDS], index };
    const timed = parsed.filters.after !== null || parsed.filters.before !== null;
    const asked = { query, parsed, matcher: new Matcher(parsed), exact: exact && !timed };
    const found = query.session === undefined ? this.everywhere(expression, asked, now) : this.inOne(expression, asked);
    return { ...found, notes, index };
  }

  private everywhere(expression: string, asked: Asked, now: number): Page {
    const { query, parsed, exact } = asked;
    const conditions = [...sessionConditions(parsed.filters), ...sessionConditions(filtersOf(query))];
    if (!query.subagents) conditions.push(NO_SUBAGENT);
    const { logs, hits, whole } = this.finder.find(expression, conditions, now);
    const counts = !exact && hits <= COUNTED;
    const total = { sessions: logs.length, hits, exact: exact && whole };
    const budget = new Budget(exact);
    const sessions: Group[] = [];
    const start = placeOf(query.offset);
    let { at, looked } = start;
    let certain = query.offset === 0;
    for (; at < logs.length && sessions.length < query.limit; at++, looked = 0) {
      if (at > start.at && budget.isUsedUp) break;
      const found = logs[at] as FoundLog;
      const { group, stopped } = this.group(this.candidate(found), { ...asked, counts }, budget, looked);
      certain &&= group?.exact ?? true;
      total.hits -= found.seqs.length - (group?.total ?? 0);
      if (group !== null && (group.hits.length > 0 || (exact && group.total > 0))) sessions.push(group);
      else if (stopped === null) total.sessions--;
      if (stopped !== null)
        return { sessions, total: { ...total, exact: false }, next: offsetOf({ at, looked: stopped }) };
    }
    // every doubtful match was looked at
    if (certain && at >= logs.length) total.exact = whole;
    return { sessions, total, next: at < logs.length ? offsetOf({ at, looked: 0 }) : null };
  }

  /** Within one session in the order of its log, what it goes on from first. */
  private inOne(expression: string, asked: Asked): Page {
    const uid = asked.query.session as string;
    const log = this.rows.log(uid);
    const row = this.rows.get(uid);
    const start = placeOf(asked.query.offset);
    if (log === undefined || row === null || start.at > 0) return NOTHING;
    const parts = partsOf(log);
    const seqs = this.finder
      .within(expression, parts)
      .flatMap((seqs, i) => seqs.map((seq) => seq + (parts[i] as Part).shift));
    const at = row.last_activity ?? row.started_at;
    const counts = !asked.exact && seqs.length <= COUNTED;
    const { group, stopped } = this.group(
      { row, log, at, seqs },
      { ...asked, counts },
      new Budget(asked.exact),
      start.looked,
    );
    const next = stopped === null ? null : offsetOf({ at: 0, looked: stopped });
    if (group === null || group.total === 0) return { ...NOTHING, next };
    return { sessions: [group], total: { sessions: 1, hits: group.total, exact: group.exact }, next };
  }

  private candidate({ id, at, seqs, best }: FoundLog): Candidate | null {
    const uid = this.uidOf.get(id);
    const log = uid === undefined ? undefined : this.rows.log(uid);
    const row = uid === undefined ? null : this.rows.get(uid);
    if (log === undefined || row === null) return null;
    return { row, log, at, seqs: around(best, seqs).map((seq) => seq + inherited(log)) };
  }

  private group(
    candidate: Candidate | null,
    { query, parsed, matcher, exact, counts }: Asked & { counts: boolean },
    budget: Budget,
    skip: number,
  ) {
    if (candidate === null) return { group: null, stopped: null };
    const { row, ...where } = candidate;
    const { hits_offset: offset, hits: limit } = query;
    const read = this.hits.read(
      { id: row.id, ...where, matcher, times: parsed.filters, exact, offset, limit, skip, counts },
      budget,
    );
    const { stopped, ...found } = read;
    return { group: { session: row, parent: this.parentOf(row), ...found }, stopped };
  }

  private parentOf({ parent, parent_kind: kind }: SessionRow): Group['parent'] {
    const row = parent === null ? null : this.rows.get(parent);
    if (row === null || kind === null) return null;
    return { id: row.id, agent: row.agent, title: row.title ?? row.first_prompt, kind };
  }

  /** An agent of whom nothing is stored is a slip of the pen, or has no sessions yet. */
  private unknownAgents({ filters: { agents, notAgents } }: ParsedQuery): string[] {
    const stored = this.db.prepare<[string], number>('SELECT 1 FROM listing WHERE agent = ? LIMIT 1').pluck();
    return [...agents, ...notAgents]
      .filter((agent) => stored.get(agent) === undefined)
      .map((agent) => `There is no session of "${agent}". Agents that can be read: ${AGENTS.join(', ')}.`);
  }

  private async close(): Promise<void> {
    await this.writes.idle();
    this.maintenance.stop();
    this.db.close();
  }
}

/** The best, then what stands nearest to it: the same passage tells more than one far away, and is read at once. */
const around = (best: number, seqs: readonly number[]): number[] =>
  seqs.toSorted((a, b) => Math.abs(a - best) - Math.abs(b - best) || b - a);

/** Where a page begins: how many sessions were done with, and how many doubtful matches of the next one. */
interface Place {
  at: number;
  looked: number;
}

/** More than there can be sessions with matches. An ordinary page begins at a number of sessions. */
const PLACES = 100_000;

const placeOf = (offset: number): Place => ({ at: offset % PLACES, looked: Math.floor(offset / PLACES) });
const offsetOf = ({ at, looked }: Place): number => at + looked * PLACES;

interface Asked {
  query: Search;
  parsed: ParsedQuery;
  matcher: Matcher;
  exact: boolean;
}

interface Part extends LogPart {
  shift: number;
}

/** The logs that a session is read from, the oldest first. */
function partsOf(log: LogHead): Part[] {
  const own = { id: log.id, events: log.events, shift: inherited(log) };
  return log.base ? [...partsOf(log.base.log), own] : [own];
}

/** The filters that were given beside the text. */
function filtersOf({ agent, cwd, has, after, before, in: places }: Search): SearchFilters {
  return {
    ...noFilters(),
    agents: agent === undefined ? [] : [agent],
    folders: cwd === undefined ? [] : [cwd],
    has: has ?? [],
    places: places ?? [],
    after: after ?? null,
    before: before ?? null,
  };
}

/** The query with what of the other filters concerns each event; null when both leave nothing. */
function narrowed(parsed: ParsedQuery, { places, after, before }: SearchFilters): ParsedQuery | null {
  const { filters } = parsed;
  const both = filters.places.filter((place) => places.includes(place));
  const any = filters.places.length === 0 ? places : places.length === 0 ? filters.places : both;
  if (any.length === 0 && places.length > 0) return null;
  return {
    ...parsed,
    filters: {
      ...filters,
      places: any,
      after: after === null ? filters.after : Math.max(after, filters.after ?? after),
      before: before === null ? filters.before : Math.min(before, filters.before ?? before),
    },
  };
}
