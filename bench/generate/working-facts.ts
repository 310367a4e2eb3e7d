import type { SessionEvent } from '../../src/shared/events.ts';
import type { Language } from './phrases.ts';

/** Something that the next agent needs. It is there when one line or neighbourhood of the text has every needle. */
export interface Fact {
  kind:
    | 'request'
    | 'rule'
    | 'todo'
    | 'decision'
    | 'error'
    | 'question'
    | 'path'
    | 'command'
    | 'number'
    | 'failed'
    | 'reference';
  /** nobody can go on without it */
  isVital: boolean;
  needles: string[];
}

/**
 * Something that is not so any more: wrongly shown in a line with every needle, and without a word that says so. A line that has
 * one of `takenBack` is what says so.
 */
export interface Stale {
  kind: 'decision' | 'todo' | 'number' | 'undone';
  needles: string[];
  takenBack: string[];
}

export interface WorkingSession {
  name: string;
  language: Language;
  turns: number;
  events: SessionEvent[];
  facts: Fact[];
  stale: Stale[];
}

/** Of which names are made. */
export const WORDS = (
  'amber basin cedar delta ember fjord grove harbor inlet jasper kelp lagoon meadow nectar orchid pebble quartz raven ' +
  'saffron tundra umber velvet willow xenon yarrow zephyr anchor beacon canyon drift estuary falcon glacier hollow'
).split(' ');
