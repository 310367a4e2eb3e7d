import { UuidMap } from './uuid-map.ts';

/** What a capture remembers of each event of a session's log. */
export const EVENT = {
  /** of the types that make the conversation tree */
  CORE: 1,
  /** continues the native record of the event it hangs on */
  SAME_RECORD: 2,
  /** comes from a user line */
  USER: 4,
  /** comes from an assistant line */
  ASSISTANT: 8,
  /** comes from a compaction mark or a queued prompt */
  OTHER: 16,
  /** not part of the main chain: a sidechain that no call explains */
  SIDE: 32,
  /** a message of the harness, which a compaction can keep like conversation */
  NOTE: 64,
} as const;

/**
 * The tree of one session's log, by event number: parents, kinds and the native uuids. About nine bytes an event and
 * twenty a uuid, so that sessions of gigabytes fit.
 */
export class EventGraph {
  /** last event of each native record, by its uuid */
  readonly byUuid = new UuidMap();
  /** last event of the main chain that may be a parent of later ones */
  tip = -1;
  /** last event of a main-chain user or assistant line: what the agent takes for the leaf */
  last = -1;
  /** last event of the log that the view takes for the leaf */
  lastCore = -1;
  /** events that an event of later record was put behind, though it names another parent */
  private readonly redirects = new Map<number, number>();
  private parents = new Int32Array(256);
  private kinds = new Uint8Array(256);

  add(seq: number, parent: number, kind: number): void {
    if (seq >= this.kinds.length) this.grow(seq);
    this.parents[seq] = parent;
    this.kinds[seq] = kind;
    if (kind & EVENT.CORE) this.lastCore = seq;
  }

  kind(seq: number): number {
    return this.kinds[seq] ?? 0;
  }

  /** -1 for a root. */
  parent(seq: number): number {
    return this.parents[seq] ?? -1;
  }

  /** Whether the path from `seq` to the root meets `ancestor` (or is it). */
  descends(seq: number, ancestor: number): boolean {
    let at = seq;
    while (at > ancestor) at = this.parent(at);
    return at === ancestor;
  }

  /** Nearest conversation event on the path from `seq`, itself included; -1 when there is none. */
  core(seq: number): number {
    let at = seq;
    while (at >= 0 && !(this.kind(at) & EVENT.CORE)) at = this.parent(at);
    return at;
  }

  /** All events of the native record whose last event is `seq`, in order. */
  record(seq: number): number[] {
    const events = [seq];
    for (let at = seq; this.kind(at) & EVENT.SAME_RECORD; ) {
      at = this.parent(at);
      events.unshift(at);
    }
    return events;
  }

  /** Later children of `from` are to hang on `to`, which was put behind it. */
  redirect(from: number, to: number): void {
    this.redirects.set(from, to);
  }

  /** Where a child of `seq` is to hang. */
  behind(seq: number): number {
    if (this.redirects.size === 0) return seq;
    let at = seq;
    for (let next = this.redirects.get(at); next !== undefined; next = this.redirects.get(at)) at = next;
    return at;
  }

  private grow(seq: number): void {
    const size = Math.max(this.kinds.length * 2, seq + 1);
    const parents = new Int32Array(size).fill(-1);
    parents.set(this.parents);
    this.parents = parents;
    const kinds = new Uint8Array(size);
    kinds.set(this.kinds);
    this.kinds = kinds;
  }
}
