import type { Statement } from 'better-sqlite3';
import type { Parsed } from '../../shared/api.ts';
import type { SessionRow } from '../../shared/session.ts';
import { type Condition, holds, inFolder } from './conditions.ts';
import type { Database } from './database.ts';
import { Inheritance } from './inheritance.ts';
import type { LogHead } from './log-head.ts';
import { folded, HAS, type StoredRow } from './session-row.ts';

interface RowColumns {
  uid: string;
  parent: string | null;
  parent_kind: SessionRow['parent_kind'];
  row: string;
}

interface Child {
  parent: string;
  uid: string;
  kind: SessionRow['parent_kind'];
}

const ROW = 'session.uid, session.parent, session.parent_kind, session.row';

const ORDER = {
  recent: 'listing.at DESC NULLS LAST, listing.id DESC',
  oldest: 'listing.started ASC NULLS LAST, listing.id',
  title: 'listing.title, listing.id',
  size: 'listing.bytes DESC, listing.id',
} as const;

/** Reads session rows. */
export class SessionReader {
  private readonly db: Database;
  private readonly childrenOf;
  private readonly logOf;
  private readonly inheritance: Inheritance;
  /** by condition; there are few */
  private readonly selects = new Map<string, Statement<unknown[], RowColumns>>();

  constructor(db: Database) {
    this.db = db;
    this.inheritance = new Inheritance(db);
    this.childrenOf = db.prepare<[string], Child>(
      `SELECT parent, uid, parent_kind AS kind FROM session WHERE parent IN (SELECT value FROM json_each(?)) AND row IS NOT NULL ORDER BY id`,
    );
    this.logOf = db.prepare<[string], LogHead>('SELECT id, events, head FROM session WHERE uid = ?');
  }

  /** The log of a session; undefined when there is none. */
  log(uid: string): LogHead | undefined {
    const log = this.logOf.get(uid);
    return log && { ...log, base: this.inheritance.of(log.id) };
  }

  /** Ids of all sessions of a native source. */
  bySource(path: string): string[] {
    return this.db.prepare<[string], string>('SELECT uid FROM session WHERE source = ?').pluck().all(path);
  }

  get(uid: string): SessionRow | null {
    return this.rows('session.uid = ?', [uid])[0] ?? null;
  }

  list(query: Parsed<'sessions.list'>): { total: number; rows: SessionRow[] } {
    const { where, values } = conditions(query);
    const total = this.db
      .prepare<unknown[], number>(`SELECT count(*) FROM listing WHERE ${where}`)
      .pluck()
      .get(...values) as number;
    const page = this.db
      .prepare<unknown[], RowColumns>(
        `SELECT ${ROW} FROM (
           SELECT id AS page_id, row_number() OVER (ORDER BY ${ORDER[query.sort ?? 'recent']}) AS place
           FROM listing WHERE ${where} ORDER BY place LIMIT ? OFFSET ?
         ) JOIN session ON session.id = page_id ORDER BY place`,
      )
      .all(...values, query.limit, query.offset);
    return { total, rows: this.finish(page) };
  }

  find(handle: string): SessionRow[] {
    const exact = this.rows('(session.uid = ? OR session.native_id = ? OR session.source = ?)', [
      handle,
      handle,
      handle,
    ]);
    if (exact.length > 0 || handle.length < 4) return exact;
    const prefix = { from: handle, to: `${handle}\u{10ffff}` };
    return this.rows(
      `((session.uid >= @from AND session.uid < @to) OR (session.native_id >= @from AND session.native_id < @to))`,
      [prefix],
    );
  }

  /** Up to the roots, then down to all leaves. UNION drops what was seen, so a cycle ends. */
  lineage(uid: string): SessionRow[] {
    const family = `WITH RECURSIVE
      up(uid, parent) AS (
        SELECT uid, parent FROM session WHERE uid = ?
        UNION SELECT session.uid, session.parent FROM up JOIN session ON session.uid = up.parent),
      down(uid) AS (SELECT uid FROM up UNION SELECT session.uid FROM down JOIN session ON session.parent = down.uid)`;
    const rows = this.db
      .prepare<unknown[], RowColumns>(
        `${family} SELECT ${ROW} FROM session WHERE row IS NOT NULL AND uid IN (SELECT uid FROM down) ORDER BY session.id`,
      )
      .all(uid);
    return this.finish(rows);
  }

  stats(): { sessions: number; events: number } {
    return this.db
      .prepare<[], { sessions: number; events: number }>(
        'SELECT count(*) AS sessions, coalesce(sum(events), 0) AS events FROM listing',
      )
      .get() as { sessions: number; events: number };
  }

  private rows(where: string, values: unknown[]): SessionRow[] {
    let select = this.selects.get(where);
    if (select === undefined) {
      select = this.db.prepare(`SELECT ${ROW} FROM session WHERE row IS NOT NULL AND ${where} ORDER BY session.id`);
      this.selects.set(where, select);
    }
    return this.finish(select.all(...values));
  }

  private finish(columns: RowColumns[]): SessionRow[] {
    const children = new Map<string, Child[]>();
    for (const child of this.childrenOf.all(JSON.stringify(columns.map((row) => row.uid)))) {
      const known = children.get(child.parent);
      if (known === undefined) children.set(child.parent, [child]);
      else known.push(child);
    }
    return columns.map(({ uid, parent, parent_kind, row }) => {
      const own = children.get(uid) ?? [];
      const kin: SessionRow['kin'] = {};
      for (const { kind } of own) if (kind !== null) kin[kind] = (kin[kind] ?? 0) + 1;
      const stored = JSON.parse(row) as Omit<StoredRow, 'copied'> & { copied?: number };
      // rows of older versions do not tell what was copied
      return {
        ...stored,
        copied: stored.copied ?? 0,
        id: uid,
        parent,
        parent_kind,
        children: own.map((child) => child.uid),
        kin,
      };
    });
  }
}

/** The list's filters as SQL over `listing`. */
function conditions(query: Parsed<'sessions.list'>): { where: string; values: unknown[] } {
  const where: string[] = ['1'];
  const values: unknown[] = [];
  const add = (sql: string, ...parameters: unknown[]) => {
    where.push(sql);
    values.push(...parameters);
  };
  const take = (condition: Condition) => add(condition.sql, ...condition.values);
  for (const word of folded(query.text ?? '').split(/\s+/)) if (word !== '') add('instr(listing.words, ?) > 0', word);
  if (query.agent !== undefined) add('listing.agent = ?', query.agent);
  if (query.cwd !== undefined) take(inFolder(query.cwd));
  for (const has of query.has ?? []) take(holds(has));
  if (query.after !== undefined) add('listing.at >= ?', query.after);
  if (query.before !== undefined) add('listing.at < ?', query.before);
  if (query.subagents !== true) add('listing.has & ? = 0', HAS.subagent);
  if (query.empty !== true) add('listing.has & ? != 0', HAS.conversation);
  return { where: where.join(' AND '), values };
}
