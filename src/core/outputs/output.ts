import type { SessionEvent } from '../../shared/events.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { TranscriptRow } from '../../shared/transcript.ts';

/**
 * A session written out for people and other programs. A format turns rows or events, which come a page at a time, into
 * pieces of text; it knows no store and no file. The same session gives the same bytes, wherever it is written.
 */
export type WriteOutput = (source: OutputSource) => AsyncIterable<string>;

export interface OutputSource {
  /** the session itself comes first, then its sub-agents, a parent before its children */
  sessions: readonly OutputSession[];
  /** undone turns and dead branches are written too, marked */
  all: boolean;
  /** of sessionctl */
  version: string;
}

/** One session as it may leave the store: redacted, nothing cut. Either way of reading it may be used once. */
export interface OutputSession {
  row: SessionRow;
  /** display rows that are not written, since they are not part of the conversation any more */
  inactive: number;
  pages(): AsyncIterable<OutputPage>;
  events(): AsyncIterable<OutputEvents>;
}

/** Rows in order, and the `data:` URLs of those of their images that are small enough, by artifact. */
export interface OutputPage {
  rows: readonly TranscriptRow[];
  images: Images;
}

/** Events in the order of the log; `active` says of each whether it is part of the conversation. */
export interface OutputEvents {
  events: readonly (SessionEvent & { active: boolean })[];
  images: Images;
}

export type Images = ReadonlyMap<string, string>;
