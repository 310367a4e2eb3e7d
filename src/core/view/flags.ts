/**
 * One byte an event in the store's index, so that lists, jumps and branches are computed without reading events.
 * Set once when an event is appended (summary.ts); the numbers are stored: append only, never reuse.
 */
export const FLAG = {
  /** a tool result that failed, or an API error notice */
  ERROR: 1,
  /** `message.user`: counts as a prompt of a person */
  PROMPT: 2,
  /** `message.assistant`: first event of a response that has non-empty text, the one that counts as the reply */
  REPLY: 4,
  /** derived from a tool call, never written back */
  DERIVED: 8,
  /** something was redacted in it */
  REDACTED: 16,
  /** holds at least one image */
  IMAGE: 32,
  /** not shown in the transcript (state records, usage, snapshots) */
  HIDDEN: 64,
  /** continues the response of the last event that had one (same `response`) */
  SAME_RESPONSE: 128,
} as const;

/**
 * The two middle bits mean something else on types that are neither prompt nor reply. Always read them with the type.
 */
export const MARK = {
  /** `meta {key: "leaf"}` */
  LEAF: 2,
  /** `meta {key: "unknown"}` */
  UNKNOWN: 4,
  /** `meta {key: "warning"}` */
  WARNING: 6,
  /** part of an answer that its agent never sends again: `message.assistant` by the client itself, or one that broke off */
  SYNTHETIC: 2,
  /** `message.thinking` with text that can be read */
  READABLE: 4,
  /** `message.system` that the agent sends to its model again on resume */
  TO_MODEL: 4,
  /** `context.compacted` that is an edit of the context and no compaction */
  EDIT: 2,
  /** `tool.result` made up for a call that never got one (`closed: "missing"`) */
  MISSING: 2,
} as const;
/** Both middle bits. */
export const MARK_MASK = 6;

/** Columns of a session's index: one entry an event, by seq. About 14 bytes an event. Arrays may be longer than `n`. */
export interface SessionIndex {
  n: number;
  /** seconds; NaN = unknown */
  ts: Float64Array;
  /** code of the type: its place in EVENT_TYPES; 255 = another type */
  type: Uint8Array;
  flags: Uint8Array;
  /** parent_seq; -1 = root */
  parent: Int32Array;
}

/** What branches and counts are computed from. */
export type Columns = Omit<SessionIndex, 'ts'>;
