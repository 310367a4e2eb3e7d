/**
 * One byte an event in the store's index, so that lists, jumps and branches are computed without reading events.
 * Set once when an event is appended (summary.ts); the numbers are stored: append only, never reuse.
 */
export const FLAG = {
  /** a tool result that failed, or an API error notice */
  ERROR: 1,
  /** counts as a prompt of a person */
  PROMPT: 2,
  /** first event of a response that has non-empty text: the one that counts as the reply */
  REPLY: 4,
  /** derived from a tool call, never written back */
  DERIVED: 8,
  /** something was redacted in it */
  REDACTED: 16,
  /** holds at least one image */
  IMAGE: 32,
  /** not shown in the transcript (state records, usage, snapshots) */
  HIDDEN: 64,
  /** continues the response of the event before it (same `response`) */
  SAME_RESPONSE: 128,
} as const;

/** Columns of a session's index: one entry an event, by seq. About 14 bytes an event. */
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
