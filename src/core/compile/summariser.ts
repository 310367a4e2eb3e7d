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

/** What a summariser makes of passages. */
export interface Summary {
  conclusions: readonly Conclusion[];
  /** those that had no evidence */
  refused: number;
  /** why there are no conclusions, in words for people */
  failed?: string;
}

/**
 * What makes the narrative part (P2) of a page. The one here needs no model and no network; one that asks a model stands in
 * `src/engine/summarise`, and what that says is checked by `evidence.ts`.
 */
export interface Summariser {
  readonly name: string;
  readonly model?: string;
  /** The same passages give the same conclusions. */
  readonly isDeterministic: boolean;
  conclude(passages: readonly Passage[], signal: AbortSignal): Summary | Promise<Summary>;
}

/** Says of each passage its most telling sentences, word for word, in English and Chinese. */
export const extractive = {
  name: 'extractive',
  isDeterministic: true,
  conclude: (passages: readonly Passage[]): Summary => ({
    conclusions: passages.map(({ seq, text, max }) => ({ text: excerpt(text, max), evidence: [seq] })),
    refused: 0,
  }),
} satisfies Summariser;
