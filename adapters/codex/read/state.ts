import type { Accounts } from '../../io/accounts.ts';
import type { StoreArtifact } from '../../io/cut-text.ts';
import type { Voice } from './injected.ts';
import type { ItemPart } from './item.ts';
import type { LogState, Place, ThreadLog } from './log.ts';

export type Role = 'user' | 'assistant' | 'reasoning';
/** Legacy events and items are two streams; a message may stand in either, in both or in none beside its response item. */
export type Stream = 'events' | 'items';

/** A message known from an event alone so far. */
export interface PendingMirror {
  stream: Stream;
  role: Role;
  text: string;
  place: Place;
  phase: string | null;
}

/** A message that the next record decides about. */
export type Held =
  | { kind: 'user'; place: Place; id: string | null; role: string; parts: ItemPart[]; text: string; voice: Voice }
  | {
      kind: 'assistant';
      place: Place;
      id: string | null;
      parts: ItemPart[];
      text: string;
      phase: string | null;
      response: string;
    };

/** A call that has no output yet, or had it a short time ago. */
export interface CallState {
  seq: number;
  name: string;
  command: string | null;
  /** from the item of the call, when it came before the output */
  exitCode?: number;
  durationMs?: number;
  failed?: boolean;
  ran?: boolean;
}

/** The copy of its parent that a thread begins with. */
export interface Copied {
  /** thread that it comes from */
  from: string;
  /** number of the first line that is the fork's own; null = not known, since the parent's file is not there */
  until: number | null;
  /** time of the line before, '' = none */
  last: string;
}

/** All that reading must remember between two captures of a growing thread. JSON, small. */
export interface ReadState {
  log: LogState;
  /** the file was written by a handoff of ours: every prompt has its item, every message its response item */
  own: boolean;
  paginated: boolean;
  header: 'awaited' | 'missing' | 'read';
  /** a legacy fork, and a sub-agent that knows its parent's talk, begin with a copy of it; set while that is read */
  copied: Copied | null;
  turn: string | null;
  turnPrompts: number;
  calls: Record<string, CallState>;
  answered: Record<string, CallState>;
  held: Held | null;
  mirrors: PendingMirror[];
  expected: Record<string, string>;
  promoted: { role: string; stream: string; text: string } | null;
  usage: { records: boolean; total: number; context: number | null };
  model: string | null;
  cwd: string | null;
  /** conversation events so far */
  conversation: number;
}

export function newState(log: LogState): ReadState {
  return {
    log,
    own: false,
    paginated: false,
    header: 'awaited',
    copied: null,
    turn: null,
    turnPrompts: 0,
    calls: {},
    answered: {},
    held: null,
    mirrors: [],
    expected: {},
    promoted: null,
    usage: { records: false, total: 0, context: null },
    model: null,
    cwd: null,
    conversation: 0,
  };
}

/** What every part of the reader works on. */
export interface Reading {
  log: ThreadLog;
  state: ReadState;
  accounts: Accounts;
  store: StoreArtifact;
}
