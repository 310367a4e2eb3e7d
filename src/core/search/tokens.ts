import { charFloor } from '../text.ts';
import { fold } from './fold.ts';
import { charactersAt, nameAt } from './names.ts';
import { visitWords } from './words.ts';

/**
 * What of a text goes into the index: a set of tokens, separated by spaces for the index's tokenizer, which takes
 * everything but spaces for part of a token.
 *
 * A word gives itself, folded. A name like `parseConfigFile` or `user_id` gives its parts, its neighbours as pairs
 * (`parse_config`, `config_file`) and the whole, so that it is found by each of them without phrases in the index. A stretch
 * without spaces (Chinese, Japanese, Korean, Thai) gives its pairs of characters and its last one, so that any piece of it
 * is found, a single character by prefix.
 */

/** Raised when the tokens of a text change: an index made by an older number is made anew. */
export const TOKENS_VERSION = 1;

/** Longer words are looked up by their beginning. */
const MAX_TOKEN = 64;

export function tokenOf(word: string): string {
  return word.length <= MAX_TOKEN ? word : word.slice(0, charFloor(word, MAX_TOKEN));
}

/** A name's neighbours as one token. */
export const pairOf = (left: string, right: string): string => tokenOf(`${left}_${right}`);

/** Adds the tokens of a text. */
export function addTokens(text: string, tokens: Set<string>): void {
  visitWords(text, {
    word: (from, to, compound) => {
      if (compound) addName(text, from, to, tokens);
      else {
        const word = fold(text.slice(from, to));
        if (word !== '') tokens.add(tokenOf(word));
      }
    },
    dense: (from, to) => addCharacters(charactersAt(text, from, to).parts, tokens),
    symbol: (from, to) => void tokens.add(text.slice(from, to)),
  });
}

function addName(text: string, from: number, to: number, tokens: Set<string>): void {
  const name = nameAt(text, from, to, true);
  if (name === null) return;
  const { parts, whole } = name;
  for (let i = 0; i < parts.length; i++) {
    tokens.add(tokenOf(parts[i] as string));
    if (i > 0) tokens.add(pairOf(parts[i - 1] as string, parts[i] as string));
  }
  tokens.add(tokenOf(whole));
}

function addCharacters(characters: readonly string[], tokens: Set<string>): void {
  for (let i = 1; i < characters.length; i++) tokens.add(`${characters[i - 1]}${characters[i]}`);
  const last = characters.at(-1);
  if (last !== undefined) tokens.add(last);
}
