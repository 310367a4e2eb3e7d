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
 * What of a model's conclusions can be taken: a sentence whose evidence are passages that it was given, and whose numbers,
 * paths, code and capitalised names stand in them. All else is refused; nothing is mended. What it says of them in plain words
 * is not checked: whoever relies on a conclusion looks at its evidence.
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
  const unseen = unseenIn(text, shown);
  return unseen === undefined ? null : `“${unseen}” does not stand in its evidence`;
}

/** What may not be paraphrased: paths, and what is written like code. */
const CODE =
  /`[^`]+`|[\w@~.-]*\/[\w@./-]*\w|\b\w+(?:\.[a-z]\w*)+\b|\b[a-z]+(?:[A-Z]\w*)+\b|\b\w+_\w+\b|(?<![\w-])--?[a-z][\w-]+/g;
const NUMBER = /(?<![\w.,])-?\d(?:[\d.,]*\d)?/g;
/** Written with a capital within a sentence, or with more than one anywhere. */
const NAME = /(?<=[\p{L}\p{N},;:，：、。）)] ?)(?<![A-Za-z])[A-Z]\w+|\b[A-Z]\w*[A-Z]\w*/gu;
/** German writes every noun with a capital. */
const GERMAN = /\b(?:und|der|die|das|ist|nicht|wurde|wird|ein|eine)\b/;

const SMALL: readonly (readonly string[])[] = [
  ['zero', 'no', '零'],
  ['one', '一'],
  ['two', '二', '两'],
  ['three', '三'],
  ['four', '四'],
  ['five', '五'],
  ['six', '六'],
  ['seven', '七'],
  ['eight', '八'],
  ['nine', '九'],
];

/** The first number, path, code or name of a text that does not stand in another. */
function unseenIn(text: string, shown: string): string | undefined {
  const lower = shown.toLowerCase();
  const code = matches(text, CODE).map((word) => word.replace(/^`|`$/g, '').replace(/[.,]+$/, ''));
  const numbers = matches(text, NUMBER);
  const names = GERMAN.test(text) ? [] : matches(text, NAME);
  return (
    code.find((word) => word !== '' && !standsIn(shown, word)) ??
    numbers.find(
      (word) => !standsIn(shown, word) && !(SMALL[Number(word)] ?? []).some((said) => standsIn(lower, said)),
    ) ??
    names.find((word) => !standsIn(lower, word.toLowerCase()) && !standsIn(lower, word.toLowerCase().replace(/s$/, '')))
  );
}

const matches = (text: string, pattern: RegExp): string[] => text.match(pattern) ?? [];

/** Whether a word stands in a text by itself: not as a part of a longer word, number or path. */
function standsIn(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!goesOn(text, word, at, at + word.length)) return true;
  return false;
}

function goesOn(text: string, word: string, from: number, to: number): boolean {
  const before = text.slice(Math.max(0, from - 2), from);
  const after = text.slice(to, to + 2);
  if (/\d$/.test(word) ? /^(?:\d|[.,]\d)/.test(after) : /\w$/.test(word) && /^(?:\w|\.[a-z])/.test(after)) return true;
  return /^\d/.test(word) ? /\d$|\d[.,]$/.test(before) : /^\w/.test(word) && /\w$/.test(before);
}
