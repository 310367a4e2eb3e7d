import { charFloor } from '../text.ts';

/** Counts tokens of plain text; made once by `loadTokenizer`, since its tables take a quarter of a second to load. */
export interface Tokenizer {
  name: 'o200k_base';
  count(text: string): number;
}

/** Names of special tokens in a text are text: nobody may speak to a model through them. */
const AS_TEXT = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
const PIECE = 1024;

let loading: Promise<Tokenizer> | undefined;

/** The o200k tokenizer (OpenAI models since GPT-4o), loaded on first use. */
export function loadTokenizer(): Promise<Tokenizer> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then(({ countTokens }) => ({
    name: 'o200k_base',
    count(text) {
      let tokens = 0;
      for (const piece of pieces(text)) tokens += countTokens(piece, AS_TEXT);
      return tokens;
    },
  }));
  return loading;
}

/**
 * Cuts where o200k itself always cuts, before a single space, so that the sum is exact. Merging a run without spaces
 * takes time by the square of its length; such runs are cut hard, which counts about one token in 300 too many.
 */
export function* pieces(text: string): Generator<string> {
  let from = 0;
  while (text.length - from > PIECE) {
    const to = cut(text, from);
    yield text.slice(from, to);
    from = to;
  }
  yield text.slice(from);
}

function cut(text: string, from: number): number {
  for (let at = from + PIECE; at > from + PIECE / 2; at--) {
    if (text[at] === ' ' && /\S/.test(text[at - 1]!) && /[\p{L}\p{N}]/u.test(text[at + 1] ?? '')) return at;
  }
  return charFloor(text, from + PIECE);
}
