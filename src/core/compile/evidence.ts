import { wellFormed } from '../text.ts';
import type { Conclusion, Passage } from './summariser.ts';

/** Longer ones are no conclusions. */
const LONGEST = 600;
const MOST_EVIDENCE = 24;

/** Something a model said that is not taken, and why. */
export interface Refused {
  text: string;
  why: string;
}

/**
 * What of a model's conclusions can be taken: a sentence whose evidence are passages that it was given, and whose figures,
 * paths and names stand in them. All else is refused; nothing is mended.
 */
export function checkedConclusions(
  said: readonly unknown[],
  passages: readonly Passage[],
): { taken: Conclusion[]; refused: Refused[] } {
  const known = new Map(passages.map(({ seq, text }) => [seq, text]));
  const taken: Conclusion[] = [];
  const refused: Refused[] = [];
  const seen = new Set<string>();
  for (const one of said) {
    const conclusion = conclusionOf(one);
    const why = conclusion === null ? 'no sentence with its evidence' : whyNot(conclusion, known, seen);
    if (conclusion !== null && why === null) {
      seen.add(conclusion.text);
      taken.push(conclusion);
    } else refused.push({ text: conclusion?.text.slice(0, LONGEST) ?? '', why: why ?? '' });
  }
  return { taken, refused };
}

function conclusionOf(said: unknown): Conclusion | null {
  if (typeof said !== 'object' || said === null) return null;
  const { conclusion, evidence } = said as { conclusion?: unknown; evidence?: unknown };
  if (typeof conclusion !== 'string' || !Array.isArray(evidence)) return null;
  const text = wellFormed(conclusion)
    .replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim();
  const seqs = evidence.filter((seq): seq is number => Number.isSafeInteger(seq));
  return text === '' || seqs.length !== evidence.length ? null : { text, evidence: [...new Set(seqs)].sort(byNumber) };
}

const byNumber = (a: number, b: number): number => a - b;

function whyNot(
  { text, evidence }: Conclusion,
  known: ReadonlyMap<number, string>,
  seen: ReadonlySet<string>,
): string | null {
  if (text.length > LONGEST) return `longer than ${LONGEST} characters`;
  if (seen.has(text)) return 'said twice';
  if (evidence.length === 0) return 'no evidence';
  if (evidence.length > MOST_EVIDENCE) return `more than ${MOST_EVIDENCE} events as evidence`;
  const stranger = evidence.find((seq) => !known.has(seq));
  if (stranger !== undefined) return `e${stranger} is none of the events it was given`;
  const shown = evidence.map((seq) => known.get(seq)).join('\n');
  const unseen = exactWords(text).find((word) => !shown.includes(word));
  return unseen === undefined ? null : `“${unseen}” does not stand in its evidence`;
}

/** What may not be paraphrased: numbers of two digits and more, paths, and what is written like code. */
const EXACT =
  /`[^`]+`|(?<![\w.])-?\d[\d.,]*\d|[\w@~.-]*\/[\w@./-]*\w|\b\w+(?:\.\w+)+\b|\b[a-z]+(?:[A-Z]\w*)+\b|\b\w+_\w+\b|--?[a-z][\w-]+/g;

function exactWords(text: string): string[] {
  return (text.match(EXACT) ?? []).map((word) => word.replace(/^`|`$/g, '').replace(/[.,]+$/, '')).filter(Boolean);
}
