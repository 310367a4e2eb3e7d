import { besideChinese, besideEnglish, EVERYDAY_NAMES, everydayChinese, everydayEnglish } from './everyday-phrases.ts';
import { heldOutChinese } from './held-out-chinese.ts';
import { heldOutEnglish } from './held-out-english.ts';
import { type Language, type PhraseSet, type Phrases, waysFrom } from './phrases.ts';
import { plainChinese, plainEnglish } from './plain-phrases.ts';

const PHRASES = {
  plain: { en: plainEnglish, zh: plainChinese },
  'held-out': { en: heldOutEnglish, zh: heldOutChinese },
  everyday: { en: everydayEnglish, zh: everydayChinese },
};

/** @param first which of the ways to say something a session begins with */
export function phrasesOf(language: Language, set: PhraseSet, first: number): Phrases {
  return PHRASES[set][language](waysFrom(first));
}

/** What is said beside a decision that stands, and what things are called; null where things have made-up names alone. */
export function everydayOf(
  language: Language,
  set: PhraseSet,
  first: number,
): { beside: (name: string) => string; names: readonly string[] } | null {
  if (set !== 'everyday') return null;
  const beside = language === 'en' ? besideEnglish : besideChinese;
  return { beside: beside(waysFrom(first)), names: EVERYDAY_NAMES };
}
