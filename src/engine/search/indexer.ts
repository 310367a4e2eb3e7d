import { eventText } from '../../core/search/event-text.ts';
import { marksOf } from '../../core/search/marks.ts';
import { addTokens } from '../../core/search/tokens.ts';
import type { SessionEvent } from '../../shared/events.ts';
import type { SearchIndexState } from '../../shared/search.ts';
import type { Database } from '../store/database.ts';
import { pickedOf } from '../store/event-chunk.ts';
import type { LogHead } from '../store/log-head.ts';
import type { LogReader } from '../store/log-reader.ts';
import type { Writes } from '../store/writes.ts';
import { type Behind, type IndexedEvent, IndexTables } from './index-tables.ts';

/** What one step takes: so long others may have to wait for the store. An event larger than that is a step by itself. */
const STEP_EVENTS = 400;
const STEP_CHARS = 200_000;
/** Sessions of one step; many are small. */
const STEP_SESSIONS = 200;
/** Removed events of one step, and pages that are written anew. */
const STEP_REMOVED = 500;
const STEP_PAGES = 200;

interface Piece {
  log: LogHead;
  from: number;
  to: number;
  events: IndexedEvent[];
}

/**
 * Brings the index up to the logs, in small steps. A step reads and prepares outside of any transaction, then writes
 * tokens and mark together; so it is there as a whole or not at all, and a step that another process did meanwhile is
 * dropped.
 */
export class Indexer {
  private readonly db: Database;
  private readonly tables: IndexTables;
  private readonly logs: LogReader;
  private readonly writes: Writes;
  /** what is behind, the next last; null = to be looked up */
  private queue: Behind[] | null = null;
  private seen = -1;
  /** logs that cannot be read; the rest goes on without them */
  private readonly unreadable = new Set<number>();
  private known: { state: SearchIndexState; seen: number } | null = null;

  constructor(db: Database, logs: LogReader, writes: Writes) {
    this.db = db;
    this.tables = new IndexTables(db);
    this.logs = logs;
    this.writes = writes;
  }

  state(): SearchIndexState {
    const seen = this.version();
    if (this.known?.seen !== seen) this.known = { state: this.tables.state(), seen };
    return this.known.state;
  }

  /** Nothing is left to do, as far as logs can be read. */
  isDone(): boolean {
    return this.state().complete && this.tables.isScrubbed() && this.tables.isCurrent();
  }

  /** Does one step; true when nothing is left to do. Throws AppFailure: store_busy, store_full, store_read_only. */
  async step(): Promise<boolean> {
    if (!this.tables.isCurrent()) await this.write(() => this.tables.renew());
    const [removed] = this.tables.removed();
    if (removed !== undefined) {
      await this.write(() => this.tables.forget(removed, STEP_REMOVED));
      this.queue = null;
      return false;
    }
    const pieces = this.prepare();
    if (pieces.length === 0) return this.write(() => this.tables.scrub(STEP_PAGES));
    // the index takes ascending numbers without a break
    pieces.sort((a, b) => a.log.id - b.log.id);
    const whole = await this.write(() =>
      pieces.every(({ log, from, to, events }) => this.tables.add(log, from, to, events)),
    );
    if (!whole) this.queue = null;
    return false;
  }

  private async write<T>(work: () => T): Promise<T> {
    const value = await this.writes.run('capture', work);
    this.known = null;
    return value;
  }

  /** Changes with every commit of another connection. */
  private version(): number {
    return this.db.pragma('data_version', { simple: true }) as number;
  }

  private prepare(): Piece[] {
    const seen = this.version();
    if (this.queue === null || this.seen !== seen || this.queue.length === 0) {
      this.queue = this.tables
        .behind()
        .filter(({ id }) => !this.unreadable.has(id))
        .reverse();
      this.seen = seen;
    }
    const pieces: Piece[] = [];
    const room = { events: STEP_EVENTS, chars: STEP_CHARS };
    while (room.events > 0 && room.chars > 0 && pieces.length < STEP_SESSIONS) {
      const next = this.queue.at(-1);
      if (next === undefined) break;
      const piece = this.pieceOf(next, room);
      if (piece !== null) pieces.push(piece);
      if (piece === null || piece.to >= next.events) this.queue.pop();
      else next.indexed = piece.to;
    }
    return pieces;
  }

  /** The next events of a log, as many as there is room for; null when it cannot be read. */
  private pieceOf({ id, events, indexed }: Behind, room: { events: number; chars: number }): Piece | null {
    try {
      const log = this.tables.log(id);
      return log === undefined || log.events < events ? null : this.readPiece(log, indexed, events, room);
    } catch {
      this.unreadable.add(id);
      return null;
    }
  }

  private readPiece(log: LogHead, from: number, end: number, room: { events: number; chars: number }): Piece {
    const piece: Piece = { log, from, to: from, events: [] };
    const most = Math.min(end, from + room.events);
    while (piece.to < most && room.chars > 0) {
      const picked = this.logs.pick(log, range(piece.to, most));
      if (picked === null || picked.lens.length === 0) throw new Error('events are missing');
      for (const event of pickedOf(picked)) {
        const words = wordsOf(event);
        if (words !== null) piece.events.push({ seq: event.seq, words });
        piece.to = event.seq + 1;
        room.events--;
        room.chars -= words?.length ?? 0;
        if (room.chars <= 0) break;
      }
    }
    return piece;
  }
}

const range = (from: number, to: number): Uint32Array => Uint32Array.from({ length: to - from }, (_, i) => from + i);

/** The tokens of an event and the marks of what it is; null when there is nothing to search. */
function wordsOf(event: SessionEvent): string | null {
  const said = eventText(event);
  if (said === null) return null;
  const tokens = new Set(marksOf(said));
  for (const text of said.texts) addTokens(text, tokens);
  return [...tokens].join(' ');
}
