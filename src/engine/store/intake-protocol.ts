import type { SummaryState } from '../../core/view/summary-state.ts';
import type { SourceState } from './contract.ts';
import type { SavedRow } from './session-row.ts';
import type { NewSession, ParentLink } from './session-writer.ts';

/** What a capture worker and the store's thread say to each other besides calls (rpc.ts). */

/** Handled in order. Its memory comes back as a `Credit` once the events in it are packed. */
export interface IntakeMessage {
  intake: readonly IntakeItem[];
  /** an EventBuffer's memory; the `events` items take their runs from it, one behind the other */
  memory?: ArrayBuffer;
}

export interface Credit {
  credit: ArrayBuffer;
}

/** `capture` and `session` are numbers that the worker gives; they mean something on its port only. */
export type IntakeItem =
  /** A capture of a source begins, on the version of the source's state that it read. */
  | { kind: 'open'; capture: number; path: string; version: number }
  /** A session of that source, with so many events when the capture began. */
  | { kind: 'session'; capture: number; session: number; begin: NewSession; events: number }
  | { kind: 'events'; capture: number; session: number; n: number }
  /** @property hash 64 hex digits */
  | { kind: 'artifact'; capture: number; hash: string; media_type: string; bytes: ArrayBuffer }
  /** The capture is whole: from here on it is committed, with all that came with it or not at all. */
  | { kind: 'close'; capture: number; source: Omit<SourceState, 'version' | 'sessions'>; sessions: SessionCommit[] }
  /** The capture failed or was cancelled: nothing of it counts. */
  | { kind: 'drop'; capture: number };

export interface SessionCommit {
  session: number;
  saved: SavedRow;
  parent?: ParentLink | undefined;
}

/** What became of the captures closed since the last flush. */
export type CaptureResult =
  | {
      capture: number;
      state: 'done';
      changed: { id: string; change: 'added' | 'appended' | 'changed'; events: number }[];
    }
  /** Someone else captured the same source meanwhile: take it again from its new state. */
  | { capture: number; state: 'stale' };

/** What a capture goes on from. */
export interface CaptureStart {
  source: SourceState | null;
  sessions: { uid: string; events: number; summary: SummaryState | null }[];
}
