import { distinctive } from './choices.ts';
import type { Said } from './said.ts';
import { ends, sentences } from './sentences.ts';

/** A number with its unit, in prose and tables. It begins where a number begins: a list of many would be read again from each. */
const FIGURE =
  /(?<![\d.,])(\d[\d.,]{0,30}) ?(ms|milliseconds?|s|sec(?:onds?)?|min(?:utes?)?|µs|ns|%|[KMG]i?B|kB|毫秒|秒|分钟)(?![\p{Script=Latin}\d])/gu;
const UNITS: Record<string, string> = {
  millisecond: 'ms',
  milliseconds: 'ms',
  毫秒: 'ms',
  seconds: 's',
  second: 's',
  sec: 's',
  秒: 's',
};

/** A sentence whose figure was given again later, with another value. */
export interface StaleFigure {
  text: string;
  /** the event that has the newer one */
  by: number;
}

/** Nobody tells a figure in a longer sentence: it is data. */
const LONGEST = 2_000;
/** Of a longer reply the ends are looked at. */
const LOOK = 60_000;

/** Sentences, by event, that tell a figure of something for which a later reply tells another one in the same unit. */
export function staleFigures(replies: readonly Said[]): Map<number, StaleFigure[]> {
  const newest = new Map<string, { value: string; seq: number }>();
  const stale = new Map<number, StaleFigure[]>();
  for (const { seq, text } of replies.toReversed()) {
    for (const sentence of sentences(ends(text, LOOK))) {
      if (sentence.length > LONGEST) continue;
      const keys = figuresOf(sentence);
      const later = keys.map(([key, value]) => ({ value, known: newest.get(key) }));
      const over = later.find(({ value, known }) => known !== undefined && known.seq > seq && known.value !== value);
      if (over) (stale.get(seq) ?? stale.set(seq, []).get(seq)!).push({ text: sentence, by: over.known!.seq });
      for (const [key, value] of keys) if (!newest.has(key)) newest.set(key, { value, seq });
    }
  }
  return stale;
}

/** Says behind each stale sentence where the newer figure stands. */
export function withFiguresMarked(text: string, stale: readonly StaleFigure[] = []): string {
  return stale.reduce(
    (rest, { text: old, by }) => rest.replace(old, () => `${old} (was measured again: e${by})`),
    text,
  );
}

/** Values by what they are of: a sentence with one value for a unit, and a name. "From 5 ms to 3 ms" tells the last. */
function figuresOf(sentence: string): [key: string, value: string][] {
  const values = new Map<string, string>();
  for (const [, value, unit] of sentence.matchAll(FIGURE)) values.set(UNITS[unit!] ?? unit!, value!);
  if (values.size === 0) return [];
  return [...distinctive(sentence)].flatMap((name) =>
    [...values].map(([unit, value]): [string, string] => [`${name} ${unit}`, value]),
  );
}
