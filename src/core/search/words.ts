import { KIND, kindAt, lengthAt } from './characters.ts';

/** Finds the words of a text, and the parts of names like `parseConfig` and `user_id`. */

/** What stands between two separators. A `dense` one is a stretch of a script without spaces, a `symbol` one emoji. */
export interface WordVisitor {
  /** `compound`: it holds an underscore, or capitals behind its first letter */
  word(from: number, to: number, compound: boolean): void;
  dense(from: number, to: number): void;
  symbol(from: number, to: number): void;
}

/** Calls the visitor for the words of a text in order, from `start` to `end`; places are UTF-16 units. */
export function visitWords(text: string, visitor: WordVisitor, start = 0, end = text.length): void {
  let at = start;
  while (at < end) {
    const kind = kindAt(text, at);
    if (kind === KIND.none) at++;
    else if (kind === KIND.symbol) {
      const to = at + lengthAt(text, at);
      visitor.symbol(at, to);
      at = to;
    } else if (kind === KIND.dense) {
      const from = at;
      while (at < end && kindAt(text, at) === KIND.dense) at += lengthAt(text, at);
      visitor.dense(from, at);
    } else at = visitWord(text, visitor, at, end);
  }
}

function visitWord(text: string, visitor: WordVisitor, from: number, end: number): number {
  let at = from;
  let compound = false;
  for (;;) {
    const kind = at < end ? kindAt(text, at) : KIND.none;
    if (kind === KIND.none || kind > KIND.underscore) break;
    if (kind === KIND.underscore || (kind === KIND.upper && at > from)) compound = true;
    at += lengthAt(text, at);
  }
  visitor.word(from, at, compound);
  return at;
}

/** Longer names are data (base64, hashes), and so is what falls apart into scraps. */
const MAX_NAME = 64;
const MIN_PART = 3;

/**
 * Where the parts of a name begin and end: `[from, to, from, to, …]`. Underscores separate, and so does a capital behind a
 * small letter or digit, or before a small letter: get|User|Name, HTTP|Server, sha256|Sum.
 */
export function partsOf(text: string, from: number, to: number): number[] {
  if (to - from > MAX_NAME) return [from, to];
  const places: number[] = [];
  let begin = -1;
  let before: number = KIND.underscore;
  for (let at = from; at < to; at += lengthAt(text, at)) {
    const kind = kindAt(text, at);
    if (kind === KIND.underscore) {
      if (begin >= 0) places.push(begin, at);
      begin = -1;
    } else if (begin < 0) begin = at;
    else if (kind === KIND.upper && isBorder(text, at, to, before)) {
      places.push(begin, at);
      begin = at;
    }
    before = kind;
  }
  if (begin >= 0) places.push(begin, to);
  const parts = places.length / 2;
  return parts > 1 && (to - from) / parts < MIN_PART ? [from, to] : places;
}

function isBorder(text: string, at: number, to: number, before: number): boolean {
  if (before === KIND.lower || before === KIND.digit) return true;
  const next = at + lengthAt(text, at);
  return before === KIND.upper && next < to && kindAt(text, next) === KIND.lower;
}

/** Whether a name begins or ends with an underscore: `__init__` is looked for as it stands. */
export function isBordered(text: string, from: number, to: number): boolean {
  return kindAt(text, from) === KIND.underscore || kindAt(text, to - 1) === KIND.underscore;
}
