import type { SessionRow } from '../../shared/session.ts';
import type { Database } from './database.ts';
import type { LogHead } from './log-head.ts';
import { packSummary, type SavedRow, type StoredRow } from './session-row.ts';

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
  private readonly logOf;
  private readonly savedOf;
  private readonly adopt;
  private readonly relocate;
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
    // an update, not a replacement: an index whose column stays as it is need not be written
    this.list = db.prepare(
      `INSERT INTO listing(id, agent, at, started, bytes, events, has, title, cwd, words)
       VALUES(@id, @agent, @at, @started, @bytes, @events, @has, @title, @cwd, @words)
       ON CONFLICT(id) DO UPDATE SET at = @at, started = @started, bytes = @bytes, events = @events, has = @has,
         title = @title, cwd = @cwd, words = @words`,
    );
    this.logOf = db.prepare<[string], StoredLog>(
      'SELECT id, events, head, row IS NOT NULL AS listed, parent_kind FROM session WHERE uid = ?',
    );
    this.savedOf = db.prepare<[string], { row: string | null; summary: Buffer }>(
      'SELECT row, summary FROM session WHERE uid = ?',
    );
    this.relocate = db.prepare('UPDATE session SET source = ? WHERE source = ?');
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

  log(uid: string): StoredLog | undefined {
    return this.logOf.get(uid);
  }

  /** Row and packed summary as they were saved last; null before the session's first commit. */
  saved(uid: string): { row: StoredRow; summary: Buffer } | null {
    const saved = this.savedOf.get(uid);
    return saved?.row ? { row: JSON.parse(saved.row) as StoredRow, summary: saved.summary } : null;
  }

  /** Returns the number of the new session. */
  create(session: NewSession): number {
    const { uid, agent, native_id, source, part } = session;
    return Number(this.insert.run(uid, agent, native_id, source, part).lastInsertRowid);
  }

  /** Saves how far the log goes and what the list shows; returns the packed summary. */
  save(log: LogHead, saved: SavedRow): Buffer {
    const summary = packSummary(saved.summary);
    this.update.run(log.events, log.head, saved.row, summary, log.id);
    this.list.run({ id: log.id, ...saved.listing, events: log.events });
    return summary;
  }

  /** Sessions of a source that lies elsewhere now. Their rows say so when they are saved next. */
  move(from: string, to: string): void {
    this.relocate.run(to, from);
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

/** A log as writers see it. `listed` is 0 until its first commit. */
export interface StoredLog extends LogHead {
  listed: 0 | 1;
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
