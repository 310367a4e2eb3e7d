import type { NativeRecord } from './record.ts';

/** A record that was read, and where. */
export interface Waiting {
  record: NativeRecord;
  /** counts from 0 */
  line: number;
  redactions: number;
}

/** Records that are read ahead before a session begins, or before a missing parent is given up. */
export const AHEAD = 64;

/**
 * Clients write some lines late, so that a record can stand before its parent. Such a record waits, and all behind it,
 * until the parent was read; if it does not come soon, the record goes on without it.
 */
export class Reorder {
  private readonly held: Waiting[] = [];
  private readonly isPlaced: (record: NativeRecord) => boolean;
  private readonly apply: (waiting: Waiting) => void;

  constructor(isPlaced: (record: NativeRecord) => boolean, apply: (waiting: Waiting) => void) {
    this.isPlaced = isPlaced;
    this.apply = apply;
  }

  take(waiting: Waiting): void {
    if (this.held.length === 0 && this.isPlaced(waiting.record)) {
      this.apply(waiting);
      return;
    }
    this.held.push(waiting);
    if (this.held.length >= AHEAD) this.release(true);
    else if (waiting.record.uuid === this.held[0]?.record.parentUuid) this.release(false);
  }

  /**
   * Lets go in file order, except that a parent comes before its children. Without `all` it stops at a record whose
   * parent has not been read; with `all` that record goes on all the same.
   */
  release(all: boolean): void {
    const { held } = this;
    while (held.length > 0) {
      const { record } = held[0] as Waiting;
      const placed = this.isPlaced(record);
      const comes = !placed && held.some((one) => one.record.uuid === record.parentUuid);
      if (!placed && !comes && !all) return;
      const next = comes ? held.findIndex((one, i) => i > 0 && this.isPlaced(one.record)) : 0;
      this.apply(held.splice(Math.max(next, 0), 1)[0] as Waiting);
    }
  }
}
