import { heldOutChinese } from './held-out-chinese.ts';
import { heldOutEnglish } from './held-out-english.ts';
import { type Language, type PhraseSet, type Phrases, waysFrom } from './phrases.ts';
import { plainChinese, plainEnglish } from './plain-phrases.ts';

const PHRASES = {
  plain: { en: plainEnglish, zh: plainChinese },
  'held-out': { en: heldOutEnglish, zh: heldOutChinese },
};

/** @param first which of the ways to say something a session begins with */
export function phrasesOf(language: Language, set: PhraseSet, first: number): Phrases {
  return PHRASES[set][language](waysFrom(first));
}
