import type { RedactionState } from '../../../src/core/redact/secret-ids.ts';
import { isObject } from '../json.ts';

/** A unit of the branch as it was written: its key and digest, its first event, what the next one hangs on, its message. */
export type Entry = [key: string, digest: string, first: number, tip: number, message: string];

/** A message as it was read: digest of all that is stored of it, how many parts it had, and what else decided about it. */
export type Seen = [digest: string, parts: number, context: string];

/** Where the next capture of a session goes on. JSON. */
export interface SessionCursor extends Record<string, unknown> {
  version: 1;
  start: number;
  branch: Entry[];
  /** digests of results by the key of their call */
  results: Record<string, string>;
  /** units that are in the log and on no branch now, by key */
  aside: Record<string, string>;
  messages: Record<string, Seen>;
  /** how often a message was taken off the branch: its next events are another response */
  versions: Record<string, number>;
  /** digests of the session's own record and of its to-do list */
  record: string;
  todos: string;
  title: string | null;
  /** end of the branch where the log does not say it by itself, else null */
  leaf: number | null;
  redaction: RedactionState | null;
}

export function newCursor(): SessionCursor {
  return {
    version: 1,
    start: -1,
    branch: [],
    results: {},
    aside: {},
    messages: {},
    versions: {},
    record: '',
    todos: '',
    title: null,
    leaf: null,
    redaction: null,
  };
}

/** A copy of a stored cursor; one that is not ours begins anew. */
export function readCursor(cursor: unknown): SessionCursor {
  if (!isObject(cursor) || cursor.version !== 1) return newCursor();
  const { branch, results, aside, messages, versions, ...rest } = cursor as SessionCursor;
  return {
    ...rest,
    branch: [...branch],
    results: { ...results },
    aside: { ...aside },
    messages: { ...messages },
    versions: { ...versions },
  };
}
