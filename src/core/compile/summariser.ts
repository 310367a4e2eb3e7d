import { excerpt } from './sentences.ts';

/** A part of the conversation that a summariser may speak of. */
export interface Passage {
  seq: number;
  by: 'user' | 'agent';
  text: string;
  /** UTF-16 units that an excerpt of it may take */
  max: number;
}

/** Something worth knowing, and the events that show it. */
export interface Conclusion {
  text: string;
  evidence: readonly number[];
}

/**
 * What makes the narrative part (P2) of a page. The one here needs no model and no network; one that asks a model stands in
 * `src/engine/summarise`, and what it says is checked by `evidence.ts` before it gets here.
 */
export interface Summariser {
  readonly name: string;
  /** The same passages give the same conclusions. */
  readonly isDeterministic: boolean;
  conclude(passages: readonly Passage[]): readonly Conclusion[] | Promise<readonly Conclusion[]>;
}

/** Says of each passage its most telling sentences, word for word, in English and Chinese. */
export const extractive = {
  name: 'extractive',
  isDeterministic: true,
  conclude: (passages: readonly Passage[]): Conclusion[] =>
    passages.map(({ seq, text, max }) => ({ text: excerpt(text, max), evidence: [seq] })),
} satisfies Summariser;
