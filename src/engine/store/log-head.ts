/** A log's state: its number, how many events it has, and the chain value after them. */
export interface LogHead {
  id: number;
  events: number;
  head: Buffer;
  /** what the session goes on from, where it is a fork of ours */
  base?: Base | null;
}

/**
 * A fork of ours holds no copy of what it goes on from: its log begins anew at 0 with `session.fork`, and whoever reads the
 * session gets the events of the other one in front. Read so, its own events are numbered on from those, and the first hangs
 * on the end of the conversation that it inherits; the others are marked as copies, as those that agents make. Only `seq`, `parent_seq`
 * and that mark differ between log and reading.
 */
export interface Base {
  /** the other session's log, up to where this one leaves it */
  log: InheritedLog;
  /** how many events come from there */
  n: number;
  /** the one of them that the first own event hangs on */
  tip: number | null;
}

/** A log with its session's id by its agent: the mark that its events are copies where they are inherited. */
export interface InheritedLog extends LogHead {
  native_id: string;
}
