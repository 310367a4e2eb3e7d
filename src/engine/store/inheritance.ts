import { asCopyOf } from '../../core/view/copies.ts';
import { AppFailure } from '../../shared/errors.ts';
import type { EventDraft, SessionEvent } from '../../shared/events.ts';
import type { Database } from './database.ts';
import type { Base, InheritedLog, LogHead } from './log-head.ts';

/** How many events a session has from before its own log. */
export const inherited = ({ base }: LogHead): number => base?.n ?? 0;

/** The log up to the first `n` events of the session as it is read. */
function upTo(log: InheritedLog, n: number): InheritedLog {
  const { base } = log;
  if (base && n <= base.n) return upTo(base.log, n);
  return { ...log, events: n - inherited(log) };
}

/** How events of a log are read; empty for most. */
export interface Reading {
  /** they are numbered on from what the session inherits */
  shift?: Shift;
  /** they are another session's, by its agent's id of it */
  copyOf?: string;
}

export interface Shift {
  by: number;
  tip: number | null;
}

export const shiftOf = ({ base }: LogHead): Reading => (base ? { shift: { by: base.n, tip: base.tip } } : {});

/** An event of a log as it is read: numbered, and marked where it is another session's. May change it in place. */
export function asRead(event: SessionEvent, { shift, copyOf }: Reading): SessionEvent {
  if (shift !== undefined) {
    const { seq, parent_seq } = event;
    event.seq = seq + shift.by;
    event.parent_seq = parentAsRead(seq, parent_seq, shift);
  }
  return copyOf === undefined ? event : asCopyOf(event, copyOf);
}

/** @param seq number in the log */
export function parentAsRead(seq: number, parent: number | null, { by, tip }: Shift): number | null {
  if (seq === 0) return tip;
  return parent === null ? null : parent + by;
}

/**
 * The parent of a new event, given as it is read: in the log, and as it will be read. What would hang on the last inherited
 * event of the conversation hangs on the fork itself. @throws AppFailure `invalid_request`
 */
export function placeOf(log: LogHead, parent: number | null): { stored: number | null; read: number | null } {
  const seq = log.events;
  const { base } = log;
  if (!base) return { stored: parent, read: parent };
  if (seq === 0) return { stored: null, read: base.tip };
  if (parent === null) return { stored: null, read: null };
  if (parent >= base.n) return { stored: parent - base.n, read: parent };
  if (parent === base.tip) return { stored: 0, read: base.n };
  throw new AppFailure({
    code: 'invalid_request',
    message: `Event ${parent} is not this session's own, so nothing can hang on it here. Fork at ${parent} instead.`,
    details: { parent_seq: parent, first: base.n },
  });
}

/** The draft as the log keeps it, and as it is read. @throws AppFailure `invalid_request` */
export function placed(log: LogHead, draft: EventDraft): { stored: EventDraft; read: EventDraft } {
  const { stored, read } = placeOf(log, draft.parent_seq);
  const as = (parent: number | null): EventDraft =>
    parent === draft.parent_seq ? draft : { ...draft, parent_seq: parent };
  return { stored: as(stored), read: as(read) };
}

interface Row {
  base: number;
  native_id: string;
  events: number;
  tip: number | null;
  log_events: number;
  head: Buffer;
}

/** Which sessions go on from another one. */
export class Inheritance {
  private readonly get;
  private readonly insert;

  constructor(db: Database) {
    this.get = db.prepare<[number], Row>(
      `SELECT base, native_id, inheritance.events, tip, session.events AS log_events, head
       FROM inheritance JOIN session ON session.id = base WHERE inheritance.id = ?`,
    );
    this.insert = db.prepare('INSERT INTO inheritance(id, base, events, tip) VALUES(?, ?, ?, ?)');
  }

  /** Call once, when the session is made. `n` counts events of the other session as it is read. */
  add(id: number, base: { id: number; n: number; tip: number | null }): void {
    this.insert.run(id, base.id, base.n, base.tip);
  }

  /** Bases are older than what goes on from them, so this ends. */
  of(id: number): Base | null {
    const row = this.get.get(id);
    if (row === undefined) return null;
    const { base, native_id, events: n, log_events: events, head, tip } = row;
    return { log: upTo({ id: base, native_id, events, head, base: this.of(base) }, n), n, tip };
  }
}
