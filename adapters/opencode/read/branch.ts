import type { SessionLog } from './log.ts';
import type { Entry, SessionCursor } from './state.ts';
import type { Unit } from './units.ts';

/**
 * The branch of a session as it is built again from what the agent holds now. What is the same as before is passed over;
 * from the first difference on (rows changed in place, removed, undone) everything hangs on what is still the same, and
 * what was there before stays beside it.
 */
export class Branch {
  readonly #state: SessionCursor;
  readonly #log: SessionLog;
  readonly #starts = new Map<string, number>();
  #at = 0;
  #same = true;

  constructor(state: SessionCursor, log: SessionLog) {
    this.#state = state;
    this.#log = log;
    log.parent = state.branch.at(-1)?.[3] ?? -1;
  }

  /** Number of units so far. */
  get length(): number {
    return this.#at;
  }

  /**
   * A message begins here, with these units. Where one that was written is another one now, the whole message is taken
   * off the branch: events of one response are seen together or not at all.
   */
  begin(messageId: string, units: readonly Unit[]): void {
    this.#starts.set(messageId, this.#at);
    if (!this.#same) return;
    for (let n = 0; ; n++) {
      const known = this.#state.branch[this.#at + n];
      if (known === undefined || known[4] !== messageId) return;
      if (units[n] !== undefined && this.#isSame(known, units[n]!)) continue;
      this.#cut();
      return;
    }
  }

  /** A message that is as it was when the branch was written: its units, passed over. Null = they are not there. */
  pass(messageId: string): readonly Entry[] | null {
    const { branch } = this.#state;
    if (!this.#same) return null;
    let end = this.#at;
    // something before it is gone: it stands further on
    if (branch[end]?.[4] !== messageId && branch.findIndex((entry) => entry[4] === messageId) > end) return null;
    while (branch[end]?.[4] === messageId) end++;
    this.#starts.set(messageId, this.#at);
    const passed = branch.slice(this.#at, end);
    this.#at = end;
    return passed;
  }

  /** Whether the unit has to be written; the log then stands where it belongs. */
  needs(unit: Unit): boolean {
    const known = this.#same ? this.#state.branch[this.#at] : undefined;
    if (known !== undefined && this.#isSame(known, unit)) {
      this.#at++;
      return false;
    }
    this.#cut();
    return true;
  }

  #isSame([key, digest]: Entry, unit: Unit): boolean {
    const answered = this.#state.results[key];
    return key === unit.key && digest === unit.digest && (answered === undefined || answered === unit.result?.digest);
  }

  /** Adds a unit that was just written. */
  add({ key, digest }: Unit, first: number, messageId: string): void {
    this.#state.branch.push([key, digest, first, this.#log.parent, messageId]);
    this.#at++;
  }

  /** Adds the result of a call: it belongs to the last unit. */
  answer({ key, result }: Unit, write: (call: number) => void): void {
    const { branch, results } = this.#state;
    if (result === undefined || results[key] !== undefined) return;
    write(branch.findLast(([known]) => known === key)?.[2] ?? -1);
    results[key] = result.digest;
    const last = branch.at(-1);
    if (last !== undefined) last[3] = this.#log.parent;
  }

  /** What was behind this place is no longer on the branch. */
  #cut(): void {
    if (!this.#same) return;
    this.#same = false;
    const { branch, aside, results, versions } = this.#state;
    if (this.#at === branch.length) return;
    const gone = branch.splice(this.#at);
    for (const [key, digest] of gone) {
      aside[key] = digest;
      delete results[key];
    }
    for (const message of new Set(gone.map((entry) => entry[4]))) versions[message] = (versions[message] ?? 1) + 1;
    this.#log.parent = branch.at(-1)?.[3] ?? -1;
  }

  /** True when the end of the branch went back and nothing came in its place. */
  end(): boolean {
    const shorter = this.#same && this.#at < this.#state.branch.length;
    this.#cut();
    return shorter;
  }

  /** End of the branch behind its first `length` units, -1 = it has none. */
  tip(length = this.#at): number {
    return this.#state.branch[length - 1]?.[3] ?? -1;
  }

  /** Numbers of all events from one message on up to another. */
  between(from: string, to: string): number[] {
    const first = this.#starts.get(from);
    const last = this.#starts.get(to);
    if (first === undefined || last === undefined) return [];
    return this.#state.branch
      .slice(first, last)
      .flatMap(([, , begin, tip]) => Array.from({ length: tip - begin + 1 }, (_, i) => begin + i));
  }
}
