import type { TreeState } from './tree.ts';

/** All that reading must remember between two captures of a session. JSON. */
export interface ReadState {
  tree: TreeState;
  /** first event */
  start: number;
  /** event that views take for the leaf now, -1 = none */
  leaf: number;
  /** hash of the last version of each message */
  versions: [id: string, hash: string][];
  /** id and facts of messages without a place in the conversation, every version */
  asides: string[];
  /** hash of the token counts that were told of each message */
  told: [id: string, hash: string][];
  /** tasks by their text */
  todos: Record<string, string>;
  title: string | null;
  model: string | null;
  kind: string | null;
}

/** Sums of one capture; each record ends in exactly one of them. */
export class Accounts {
  records = 0;
  mapped = 0;
  unreadable = 0;
  readonly unknown: Record<string, number> = {};
  readonly declared: Record<string, number> = {};

  declare(kind: string, count = 1): void {
    this.declared[kind] = (this.declared[kind] ?? 0) + count;
  }

  noteUnknown(kind: string): void {
    this.unknown[kind] = (this.unknown[kind] ?? 0) + 1;
  }
}
