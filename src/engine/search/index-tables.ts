import { TOKENS_VERSION } from '../../core/search/tokens.ts';
import type { SearchIndexState } from '../../shared/search.ts';
import type { Database } from '../store/database.ts';
import type { LogHead } from '../store/log-head.ts';
import { SPAN } from '../store/log-writer.ts';

/** A log of which something is not in the index yet. */
export interface Behind {
  /** number of the session in the store */
  id: number;
  /** events it has, and how many of them were indexed or had nothing to index */
  events: number;
  indexed: number;
}

/** The tokens of one event. */
export interface IndexedEvent {
  seq: number;
  words: string;
}

/** The tables of the index. What writes runs inside the caller's transaction. */
export class IndexTables {
  private readonly db: Database;
  private readonly insert;
  private readonly indexedOf;
  private readonly advance;
  private readonly logOf;
  private readonly drop;
  private readonly noted;

  constructor(db: Database) {
    this.db = db;
    this.insert = db.prepare('INSERT INTO search(rowid, words) VALUES(?, ?)');
    this.indexedOf = db.prepare<[number], number>('SELECT events FROM search_session WHERE id = ?').pluck();
    this.advance = db.prepare('INSERT OR REPLACE INTO search_session(id, events) VALUES(?, ?)');
    this.logOf = db.prepare<[number], LogHead>('SELECT id, events, head FROM session WHERE id = ?');
    this.drop = db.prepare(
      'DELETE FROM search WHERE rowid IN (SELECT rowid FROM search WHERE rowid >= ? AND rowid < ? LIMIT ?)',
    );
    this.noted = db.prepare<[], number>('SELECT id FROM search_removed').pluck();
  }

  /** Logs that are behind, the last active first; removed ones wait until their old tokens are out. */
  behind(): Behind[] {
    return this.db
      .prepare<[], Behind>(
        `SELECT listing.id AS id, listing.events AS events, coalesce(search_session.events, 0) AS indexed
         FROM listing LEFT JOIN search_session ON search_session.id = listing.id
         WHERE listing.events > coalesce(search_session.events, 0)
           AND listing.id NOT IN (SELECT id FROM search_removed)
         ORDER BY listing.at DESC NULLS LAST, listing.id DESC`,
      )
      .all();
  }

  state(): SearchIndexState {
    const counted = this.db
      .prepare<[], Omit<SearchIndexState, 'complete'>>(
        `SELECT count(*) AS sessions_total, coalesce(sum(listing.events), 0) AS events_total,
           coalesce(sum(min(listing.events, indexed)), 0) AS events, coalesce(sum(indexed >= listing.events), 0) AS sessions
         FROM (SELECT listing.id, listing.events, coalesce(search_session.events, 0) AS indexed
           FROM listing LEFT JOIN search_session ON search_session.id = listing.id) AS listing`,
      )
      .get() as Omit<SearchIndexState, 'complete'>;
    const isWhole = counted.sessions === counted.sessions_total && this.removed().length === 0;
    return { complete: isWhole && (counted.events === 0 || this.isCurrent()), ...counted };
  }

  log(id: number): LogHead | undefined {
    return this.logOf.get(id);
  }

  /** Adds events of a log from `from` on and moves its mark to `to`; false when log or mark are no longer as they were. */
  add({ id, events: length, head }: LogHead, from: number, to: number, events: readonly IndexedEvent[]): boolean {
    const now = this.logOf.get(id);
    if (now === undefined || now.events < length || (now.events === length && !now.head.equals(head))) return false;
    if ((this.indexedOf.get(id) ?? 0) !== from || this.removed().includes(id)) return false;
    for (const { seq, words } of events) this.insert.run(id * SPAN + seq, words);
    this.advance.run(id, to);
    return true;
  }

  /** Sessions that were removed or replaced, and whose tokens are still there. */
  removed(): number[] {
    return this.noted.all();
  }

  /** Takes out at most so many events of a removed session; true when none is left. */
  forget(id: number, most: number): boolean {
    if (this.drop.run(id * SPAN, (id + 1) * SPAN, most).changes === most) return false;
    this.db.prepare('DELETE FROM search_removed WHERE id = ?').run(id);
    this.setNumber('unmerged', 1);
    return true;
  }

  /**
   * Removed tokens are marked as removed and stay in the file until the pieces that hold them are written anew. Does some of
   * that work; true when all of it is done.
   */
  scrub(pages: number): boolean {
    const stage = this.number('unmerged');
    if (stage === 0) return true;
    const changes = this.db.prepare<[], number>('SELECT total_changes()').pluck();
    const before = changes.get() as number;
    // a negative number begins to merge all pieces into one, a positive one goes on
    this.db.prepare(`INSERT INTO search(search, rank) VALUES('merge', ?)`).run(stage === 1 ? -pages : pages);
    const isDone = (changes.get() as number) - before < 2;
    this.setNumber('unmerged', isDone ? 0 : 2);
    return isDone;
  }

  isScrubbed(): boolean {
    return this.number('unmerged') === 0;
  }

  /** Empties the index when it was made of other tokens than this version makes. */
  renew(): void {
    if (this.isCurrent()) return;
    this.db.exec(
      `INSERT INTO search(search) VALUES('delete-all'); DELETE FROM search_session; DELETE FROM search_removed`,
    );
    this.setNumber('tokens', TOKENS_VERSION);
  }

  /** An index of a newer version is used as it is. */
  isCurrent(): boolean {
    return this.number('tokens') >= TOKENS_VERSION;
  }

  private number(name: string): number {
    const select = this.db.prepare<[string], number>('SELECT value FROM search_state WHERE name = ?').pluck();
    return select.get(name) ?? 0;
  }

  private setNumber(name: string, value: number): void {
    this.db.prepare('INSERT OR REPLACE INTO search_state(name, value) VALUES(?, ?)').run(name, value);
  }
}
