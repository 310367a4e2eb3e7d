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
