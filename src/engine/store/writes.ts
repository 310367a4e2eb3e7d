import { setTimeout as sleep } from 'node:timers/promises';
import { AppFailure } from '../../shared/errors.ts';
import type { Database } from './database.ts';
import { isBusy, storeError } from './store-errors.ts';

const RETRY_MS = 15;

/**
 * All write transactions of this process, one after the other. Waiting for another process leaves the thread free for
 * readers; the wait is bounded.
 */
export class Writes {
  private readonly db: Database;
  private readonly busyMs: number;
  private last: Promise<unknown> = Promise.resolve();
  /** called after each commit */
  onCommit: () => void = () => {};

  constructor(db: Database, busyMs: number) {
    this.db = db;
    this.busyMs = busyMs;
  }

  /**
   * Runs `work` in one transaction: all of it or nothing. `decision` waits for the disk (synchronous=FULL); a `capture`
   * that a power cut takes away is read again from its source. Throws AppFailure: store_busy, store_full, store_read_only.
   */
  run<T>(kind: 'capture' | 'decision', work: () => T, patienceMs = this.busyMs): Promise<T> {
    const turn = this.last.then(() => this.attempt(kind, work, patienceMs));
    this.last = turn.catch(() => {});
    return turn;
  }

  /** Resolves when all that was asked for so far is done. */
  async idle(): Promise<void> {
    await this.last;
  }

  private async attempt<T>(kind: 'capture' | 'decision', work: () => T, patienceMs: number): Promise<T> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      try {
        const value = this.once(kind, work);
        this.onCommit();
        return value;
      } catch (thrown) {
        if (!isBusy(thrown) || performance.now() > deadline) throw new AppFailure(storeError(thrown));
        await sleep(RETRY_MS);
      }
    }
  }

  private once<T>(kind: 'capture' | 'decision', work: () => T): T {
    if (kind === 'decision') this.db.pragma('synchronous=FULL');
    try {
      return this.db.transaction(work).immediate();
    } finally {
      if (kind === 'decision') this.db.pragma('synchronous=NORMAL');
    }
  }
}
