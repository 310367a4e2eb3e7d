import { createHash } from 'node:crypto';
import type { StoreArtifact } from '../../io/cut-text.ts';
import type { Json } from '../json.ts';
import type { SessionLog } from './log.ts';
import type { NativeRecord } from './session.ts';

/**
 * A piece of a message that stands or falls as one: written once, and written anew beside itself when its digest (over
 * what a model sees of it) is another one later.
 */
export interface Unit {
  /** id of the part, or of the message */
  key: string;
  digest: string;
  write(log: SessionLog): void;
  /** answer to a call, as far as there is one */
  result?: Result;
}

export interface Result {
  digest: string;
  /** `call`: number of the call, which what it did hangs on */
  write(log: SessionLog, call: number): void;
}

/** What a message is made of. */
export interface MessageUnits {
  branch: Unit[];
  /** not sent by the agent any more: kept beside the branch */
  aside: Unit[];
  /** parts of a type that is not known */
  unknown: Part[];
}

export interface Message {
  id: string;
  /** names the answer in the log; another one after the message was taken off the branch */
  response: string;
  /** ms */
  created: number | null;
  times?: NativeRecord['times'];
  data: Json;
  parts: Part[];
}

export interface Part {
  id: string;
  times?: NativeRecord['times'];
  data: Json;
}

/** What the parts of a message need to know of their session. */
export interface Surroundings {
  store: StoreArtifact;
  /** ids of the messages whose compaction has a finished summary */
  compacted: ReadonlySet<string>;
  /** nothing comes behind this message */
  isLast: boolean;
  /** canonical id of another session of the same store */
  idOf(nativeId: string): string;
  /** numbers of the events of a message and all that follow it on the branch up to another one */
  between(from: string, to: string): number[];
  /** the compaction that a message asks for; null when it asks for none */
  compactionOf(messageId: string): { auto: boolean; tail: string | null } | null;
}

/** Short digest of JSON values. */
export function digestOf(...values: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 16);
}
