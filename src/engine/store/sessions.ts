import type { Parsed } from '../../shared/api.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { Database } from './database.ts';
import type { LogHead } from './log-writer.ts';
import { folded, HAS, type SavedRow, type StoredRow } from './session-row.ts';

interface RowColumns {
  uid: string;
  parent: string | null;
  parent_kind: SessionRow['parent_kind'];
  row: string;
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

  constructor(db: Database) {
    this.db = db;
    this.childrenOf = db.prepare<[string], { parent: string; uid: string }>(
      `SELECT parent, uid FROM session WHERE parent IN (SELECT value FROM json_each(?)) AND row IS NOT NULL ORDER BY id`,
    );
    this.logOf = db.prepare<[string], LogHead>('SELECT id, events, head FROM session WHERE uid = ?');
  }

  /** The log of a session; undefined when there is none. */
  log(uid: string): LogHead | undefined {
    return this.logOf.get(uid);
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
    return this.finish(
      this.db
        .prepare<unknown[], RowColumns>(
          `SELECT ${ROW} FROM session WHERE row IS NOT NULL AND ${where} ORDER BY session.id`,
        )
        .all(...values),
    );
  }

  private finish(columns: RowColumns[]): SessionRow[] {
    const children = new Map<string, string[]>();
    for (const { parent, uid } of this.childrenOf.all(JSON.stringify(columns.map((row) => row.uid)))) {
      const known = children.get(parent);
      if (known === undefined) children.set(parent, [uid]);
      else known.push(uid);
    }
    return columns.map(({ uid, parent, parent_kind, row }) => ({
      ...(JSON.parse(row) as StoredRow),
      id: uid,
      parent,
      parent_kind,
      children: children.get(uid) ?? [],
    }));
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
  for (const word of folded(query.text ?? '').split(/\s+/)) if (word !== '') add('instr(listing.words, ?) > 0', word);
  if (query.agent !== undefined) add('listing.agent = ?', query.agent);
  if (query.cwd !== undefined) {
    const folder = query.cwd.replace(/[\\/]+$/, '');
    add(
      '(listing.cwd = ? OR substr(listing.cwd, 1, ?) IN (?, ?))',
      folder,
      folder.length + 1,
      `${folder}/`,
      `${folder}\\`,
    );
  }
  for (const has of query.has ?? []) {
    if (has === 'subagent') {
      add(`EXISTS (SELECT 1 FROM session AS me JOIN session AS child ON child.parent = me.uid
        WHERE me.id = listing.id AND child.parent_kind = 'subagent')`);
    } else add('listing.has & ? != 0', HAS[has]);
  }
  if (query.after !== undefined) add('listing.at >= ?', query.after);
  if (query.before !== undefined) add('listing.at < ?', query.before);
  if (query.subagents !== true) add('listing.has & ? = 0', HAS.subagent);
  if (query.empty !== true) add('listing.has & ? != 0', HAS.conversation);
  return { where: where.join(' AND '), values };
}

/** What makes a session, before its first event. */
export interface NewSession {
  uid: string;
  agent: string;
  native_id: string;
  source: string | null;
  /** which session of its source, where that holds several; null = the main one */
  part: string | null;
}

/** How a session hangs on another: by canonical id where known, else by the agent's own id of it. */
export interface ParentLink {
  kind: NonNullable<SessionRow['parent_kind']>;
  uid?: string | null;
  native_id?: string | null;
}

/** Writes session rows. All methods run inside the caller's transaction. */
export class SessionWriter {
  private readonly insert;
  private readonly update;
  private readonly link;
  private readonly list;
  private readonly state;
  private readonly adopt;
  private readonly orphans;
  private readonly candidates;

  constructor(db: Database) {
    this.insert = db.prepare(
      'INSERT INTO session(uid, agent, native_id, source, part, events, head) VALUES(?, ?, ?, ?, ?, 0, zeroblob(32))',
    );
    this.update = db.prepare('UPDATE session SET events = ?, head = ?, row = ?, summary = ? WHERE id = ?');
    this.link = db.prepare(
      `UPDATE session SET parent_kind = @kind, parent = coalesce(@uid, parent), parent_native = coalesce(@native, parent_native)
       WHERE id = @id AND (parent IS NULL OR parent_kind = @kind)`,
    );
    this.list = db.prepare(
      `INSERT OR REPLACE INTO listing(id, agent, at, started, bytes, events, has, title, cwd, words)
       VALUES(@id, @agent, @at, @started, @bytes, @events, @has, @title, @cwd, @words)`,
    );
    this.state = db.prepare<[string], StoredState>(
      'SELECT id, events, head, row, summary, parent_kind FROM session WHERE uid = ?',
    );
    this.adopt = db.prepare('UPDATE session SET parent = ? WHERE id = ?');
    const orphan = `SELECT id, uid, agent, source, parent_native FROM session
      WHERE parent IS NULL AND parent_native IS NOT NULL`;
    this.orphans = db.prepare<[string, string], Orphan>(
      `${orphan} AND uid = ? UNION ${orphan} AND parent_native = (SELECT native_id FROM session WHERE uid = ?)`,
    );
    this.candidates = db.prepare<[string, string, string], Candidate>(
      'SELECT uid, source FROM session WHERE native_id = ? AND agent = ? AND uid != ? AND part IS NULL AND row IS NOT NULL',
    );
  }

  read(uid: string): StoredState | undefined {
    return this.state.get(uid);
  }

  /** Returns the number of the new session. */
  create(session: NewSession): number {
    const { uid, agent, native_id, source, part } = session;
    return Number(this.insert.run(uid, agent, native_id, source, part).lastInsertRowid);
  }

  /** Saves how far the log goes and what the list shows. */
  save(log: LogHead, saved: SavedRow): void {
    this.update.run(log.events, log.head, saved.row, saved.summary, log.id);
    this.list.run({ id: log.id, ...saved.listing });
  }

  setParent(id: number, parent: ParentLink): void {
    this.link.run({ id, kind: parent.kind, uid: parent.uid ?? null, native: parent.native_id ?? null });
  }

  /**
   * Links sessions that name their parent by native id, in both directions: the given one to its parent, and orphans to
   * the given one. Native ids can repeat; then the candidate nearest in the tree of files is meant, and none on a tie.
   */
  resolveParents(uid: string): void {
    for (const orphan of this.orphans.all(uid, uid)) {
      const parent = nearest(orphan, this.candidates.all(orphan.parent_native, orphan.agent, orphan.uid));
      if (parent !== null) this.adopt.run(parent.uid, orphan.id);
    }
  }
}

/** What a writer must know of a stored session. `row` is null until its first commit. */
export interface StoredState extends LogHead {
  row: string | null;
  summary: string | null;
  parent_kind: SessionRow['parent_kind'];
}

interface Candidate {
  uid: string;
  source: string | null;
}
interface Orphan extends Candidate {
  id: number;
  agent: string;
  parent_native: string;
}

function nearest(child: Candidate, candidates: readonly Candidate[]): Candidate | null {
  let best: Candidate | null = null;
  let shared = -1;
  for (const candidate of candidates) {
    const length = commonPrefix(child.source ?? '', candidate.source ?? '');
    if (length === shared) best = null;
    if (length > shared) [best, shared] = [candidate, length];
  }
  return best;
}

function commonPrefix(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return i;
}
