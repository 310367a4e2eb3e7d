import type { CompiledContext } from '../../shared/compiled.ts';

export type Priority = CompiledContext['items'][number]['priority'];
export type Trust = CompiledContext['items'][number]['trust'];

/** Parts of the text, in the order in which they stand. Those of the user come first, in a block of their own. */
export const USER_SECTIONS = ['request', 'goal', 'constraint', 'reference', 'said'] as const;
export const RECORD_SECTIONS = [
  'changed',
  'error',
  'interrupted',
  'question',
  'todo',
  'decision',
  'state',
  'workspace',
  'file',
  'diff',
  'command',
  'failed',
  'call',
  'memory',
  'conclusion',
  'summary',
  'reply',
] as const;
export type Section = (typeof USER_SECTIONS)[number] | (typeof RECORD_SECTIONS)[number];

/** Something that may be carried. `text` is what will stand in the context, word for word. */
export interface Candidate {
  id: string;
  priority: Priority;
  /** also the section it stands in */
  kind: Section;
  text: string;
  provenance: number[];
  trust: Trust;
  /** what it is worth, before its price; P0 has none */
  weight: number;
  /** seen in the folder itself, not in the log */
  workspace?: Seen;
  /** it stands word for word in another item that is carried whole: it is on the page already, and costs nothing */
  isWithin?: true;
}

/** Where and when something outside of the log was seen. */
export interface Seen {
  folder: string;
  /** seconds since the epoch */
  at: number;
}

/** Something known that is not carried, whatever the budget, and why. */
export interface Excluded {
  id: string;
  kind: string;
  text: string;
  reason: string;
  provenance: number[];
  /** event that took it back or put an end to it, when one did */
  by?: number;
}

/** Gives ids that say what they are: kind and event, with a number where several come from one event. */
export class Ids {
  readonly #used = new Map<string, number>();

  next(kind: string, seq: number): string {
    const id = `${kind}-e${seq}`;
    const count = (this.#used.get(id) ?? 0) + 1;
    this.#used.set(id, count);
    return count === 1 ? id : `${id}-${count}`;
  }
}

/** "e12" of a provenance, for people and for `sessionctl show --seq`. */
export function cite(provenance: readonly number[]): string {
  const first = provenance[0];
  if (first === undefined) return '';
  return provenance.length === 1 ? `[e${first}]` : `[e${first} ×${provenance.length}]`;
}
