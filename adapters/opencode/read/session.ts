import { type Json, parsedObject } from '../json.ts';

/** A session as the agent keeps it, in a database or in a tree of JSON files; both are read through this. */
export interface NativeSession {
  readonly id: string;
  /** the session's own record: columns of its row with the JSON columns parsed, or its file */
  readonly record: Json;
  /** working folder, title, … by the same names in every generation */
  readonly head: SessionHead;
  /** messages in the order in which the agent reads them */
  messages(): Iterable<NativeRecord>;
  /** parts of a message in the order in which the agent reads them */
  parts(messageId: string): Iterable<NativeRecord>;
  /** the to-do list that the agent shows */
  todos(): Json[];
  /** the session that the first messages were copied from, where that can be told */
  fork(): ForkOf | null;
  /** call in the parent that started this sub-agent */
  readonly callId: string | null;
}

export interface SessionHead {
  directory: string | null;
  title: string | null;
  version: string | null;
  parent: string | null;
  created: number | null;
  archived: boolean;
  model: string | null;
  revert: { messageId: string; partId: string | null } | null;
}

/** A message or a part. */
export interface NativeRecord {
  id: string;
  /** ms */
  created: number | null;
  /** times of its row, ms: when it was made and changed; absent in files */
  times?: readonly [created: unknown, updated: unknown];
  /** its content as it is stored: JSON text */
  text: string;
  /** parsed when it is asked for; null when it cannot be read */
  readonly data: Json | null;
}

/** A record whose content is parsed only when somebody looks at it. */
export class StoredRecord implements NativeRecord {
  readonly id: string;
  readonly created: number | null;
  readonly text: string;
  readonly times: readonly [created: unknown, updated: unknown];
  #data: Json | null | undefined;

  constructor(id: string, created: number | null, text: string, times: readonly [unknown, unknown]) {
    this.id = id;
    this.times = times;
    this.created = created;
    this.text = text;
  }

  get data(): Json | null {
    this.#data ??= parsedObject(this.text);
    return this.#data;
  }
}

/** What a fork took over from its source: `ids` are those of the source, by the fork's own. */
export interface ForkOf {
  native_id: string;
  ids: ReadonlyMap<string, string>;
}

const DEFAULT_TITLE = /^(?:New|Child) session - \d{4}-\d\d-\d\dT/;

/** Null for a title that OpenCode gives to every session before it knows better. */
export const givenTitle = (title: string | null): string | null =>
  title === null || DEFAULT_TITLE.test(title) ? null : title;
