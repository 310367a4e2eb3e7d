import type { Statement } from 'better-sqlite3';
import { COPY_MARK, TELLING_MARKS } from '../../core/search/marks.ts';
import { scoreOf } from '../../core/search/rank.ts';
import type { Condition } from '../store/conditions.ts';
import type { Database } from '../store/database.ts';
import { SPAN } from '../store/log-writer.ts';

/** A log in which events match; the numbers are those of the log. */
export interface FoundLog {
  id: number;
  /** seconds since the epoch; null = unknown */
  at: number | null;
  /** what matches, the latest first */
  seqs: number[];
  /** of them the latest where somebody says what the session is about, else the latest */
  best: number;
}

export interface Found {
  /** the best first */
  logs: FoundLog[];
  hits: number;
  /** false: more match than were looked at */
  whole: boolean;
}

/** Part of a log that belongs to a session, its own or one that it goes on from. */
export interface LogPart {
  id: number;
  events: number;
}

/**
 * So many matches are weighed, of the sessions that were stored last. A word that is in more events tells nothing, and its
 * list would take longer to go through than anybody waits.
 */
const MOST = 20_000;

const TELLING = `(${TELLING_MARKS.map((mark) => `"${mark}"`).join(' OR ')})`;

interface Scope {
  sql: string;
  values: unknown[];
}

/** Finds and ranks by the index alone; no event is read. */
export class Finder {
  private readonly db: Database;
  private readonly sessionsOf;
  /** by scope; there are few */
  private readonly selects = new Map<string, Statement<unknown[], number>>();

  constructor(db: Database) {
    this.db = db;
    this.sessionsOf = db.prepare<[string], { id: number; at: number | null; orphan: 0 | 1 }>(
      `SELECT listing.id AS id, listing.at AS at, session.parent IS NULL AS orphan
       FROM listing JOIN session ON session.id = listing.id
       WHERE listing.id IN (SELECT value FROM json_each(?)) AND listing.id NOT IN (SELECT id FROM search_removed)`,
    );
  }

  /**
   * @param conditions over `listing`; all must hold
   * @param now seconds since the epoch
   */
  find(expression: string, conditions: readonly Condition[], now: number): Found {
    const scope = this.scopeOf(conditions);
    if (scope === null) return { logs: [], hits: 0, whole: true };
    const all = this.rows(expression, scope, MOST + 1);
    const rows = all.slice(0, MOST);
    // no list is gone through further than the matches go
    const among = { sql: `${scope.sql} AND rowid >= ?`, values: [...scope.values, rows.at(-1) ?? 0] };
    const telling = new Set(this.rows(`(${expression}) AND ${TELLING}`, among, MOST));
    const weighed = this.known(grouped(rows), this.copies(expression, among)).map((log) => {
      const said = log.seqs.filter((seq) => telling.has(log.id * SPAN + seq));
      const best = said[0] ?? (log.seqs[0] as number);
      return { ...log, best, score: scoreOf({ at: log.at, hits: log.seqs.length, telling: said.length }, now) };
    });
    const logs = weighed.sort((a, b) => b.score - a.score || b.id - a.id);
    return { logs, hits: logs.reduce((sum, { seqs }) => sum + seqs.length, 0), whole: all.length <= MOST };
  }

  /** What matches in these parts of logs, in order; for a search within one session. */
  within(expression: string, parts: readonly LogPart[]): number[][] {
    return parts.map(({ id, events }) => {
      const scope = { sql: 'AND rowid >= ? AND rowid < ?', values: [id * SPAN, id * SPAN + events] };
      const isKnown = this.sessionsOf.get(JSON.stringify([id])) !== undefined;
      const rows = isKnown ? this.rows(expression, scope, events) : [];
      return rows.map((row) => row - id * SPAN).reverse();
    });
  }

  private rows(expression: string, { sql, values }: Scope, most: number): number[] {
    let select = this.selects.get(sql);
    if (select === undefined) {
      select = this.db
        .prepare<unknown[], number>(`SELECT rowid FROM search WHERE search MATCH ? ${sql} ORDER BY rowid DESC LIMIT ?`)
        .pluck();
      this.selects.set(sql, select);
    }
    return select.all(expression, ...values, most);
  }

  /** Null when no session is left. */
  private scopeOf(conditions: readonly Condition[]): Scope | null {
    if (conditions.length === 0) return { sql: '', values: [] };
    const ids = this.db
      .prepare<unknown[], number>(
        `SELECT id FROM listing WHERE ${conditions.map(({ sql }) => sql).join(' AND ')} ORDER BY id`,
      )
      .pluck()
      .all(...conditions.flatMap(({ values }) => values));
    const [first, last] = [ids[0], ids.at(-1)];
    if (first === undefined || last === undefined) return null;
    return {
      sql: `AND rowid >= ? AND rowid < ? AND rowid / ${SPAN} IN (SELECT value FROM json_each(?))`,
      values: [first * SPAN, (last + 1) * SPAN, JSON.stringify(ids)],
    };
  }

  /** Events that a fork copied, where what matches holds any. */
  private copies(expression: string, scope: Scope): ReadonlySet<number> {
    if (this.rows(`"${COPY_MARK}"`, { sql: '', values: [] }, 1).length === 0) return new Set();
    return new Set(this.rows(`(${expression}) AND "${COPY_MARK}"`, scope, MOST));
  }

  /** Logs of listed sessions; what they copied from a session that is here is found there, and left out. */
  private known(found: Map<number, number[]>, copies: ReadonlySet<number>): Omit<FoundLog, 'best'>[] {
    const logs: Omit<FoundLog, 'best'>[] = [];
    for (const { id, at, orphan } of this.sessionsOf.all(JSON.stringify([...found.keys()]))) {
      const all = found.get(id) as number[];
      const seqs = orphan === 1 || copies.size === 0 ? all : all.filter((seq) => !copies.has(id * SPAN + seq));
      if (seqs.length > 0) logs.push({ id, at, seqs });
    }
    return logs;
  }
}

function grouped(rows: readonly number[]): Map<number, number[]> {
  const logs = new Map<number, number[]>();
  let id = -1;
  let seqs: number[] = [];
  for (const row of rows) {
    const of = Math.floor(row / SPAN);
    if (of !== id) {
      id = of;
      seqs = [];
      logs.set(id, seqs);
    }
    seqs.push(row - id * SPAN);
  }
  return logs;
}
