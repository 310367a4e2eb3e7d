import { statSync } from 'node:fs';
import type { Database } from './database.ts';
import type { LogWriter } from './log-writer.ts';
import type { Writes } from './writes.ts';

/** The write-ahead log is folded in when nothing was written for so long, or when it has grown so large. */
const IDLE_MS = 1000;
const WAL_BYTES = 32 << 20;

/** Work that must not lengthen an append: sealing full tails and folding the write-ahead log into the file. */
export class Maintenance {
  private readonly db: Database;
  private readonly writes: Writes;
  private readonly log: LogWriter;
  private readonly touched = new Set<number>();
  private readonly idle: NodeJS.Timeout;
  private planned = false;
  private stopped = false;

  constructor(db: Database, writes: Writes, log: LogWriter) {
    this.db = db;
    this.writes = writes;
    this.log = log;
    this.idle = setTimeout(() => this.checkpoint(), IDLE_MS).unref();
    writes.onCommit = () => this.committed();
  }

  /** Call inside the transaction that appended to this log. */
  appended(id: number): void {
    this.touched.add(id);
  }

  /** Ends the timers and folds everything in. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.idle);
    this.checkpoint();
  }

  private committed(): void {
    if (this.stopped) return;
    this.idle.refresh();
    if (this.planned) return;
    this.planned = true;
    // whoever waits for the commit gets his answer first
    setImmediate(() => void this.work());
  }

  private async work(): Promise<void> {
    this.planned = false;
    if (this.stopped) return;
    if (this.walBytes() > WAL_BYTES) this.checkpoint();
    const full = [...this.touched].filter((id) => this.log.isTailFull(id));
    this.touched.clear();
    try {
      if (full.length > 0) await this.writes.run('capture', () => full.forEach((id) => void this.log.seal(id)));
    } catch {
      // a longer tail is no harm; the next append tries again
    }
  }

  /** Folds the log in and empties it, so that its size says how much has gathered since. */
  private checkpoint(): void {
    try {
      if (this.db.open) this.db.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // another process is at work in the file; there will be another time
    }
  }

  private walBytes(): number {
    return statSync(`${this.db.name}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }
}
