/**
 * Fast token estimates for bulk figures, in o200k tokens. Where a budget decides, `exact.ts` counts.
 *
 * A small machine over character classes adds a cost for each character, depending on the run it stands in. The costs
 * are a least-squares fit against o200k over 1,100 samples of 3,000 characters (prose, code, JSON logs, SQL; a dozen
 * languages): half of them are within 4 %, 95 % within 13 %, the worst is 29 % off. Over many texts errors cancel out.
 */

/** Relative error that most texts stay within, and sums of many texts surely. */
export const ESTIMATE_MARGIN = 0.13;

// states: what the character before was, and for words and numbers how long the run is
const START = 0;
const WORD = 1; // 1…6 letters
const CAPITAL = 7; // 1…6 letters, the last one upper case
const NUMBER = 13; // 1…3 digits
const LINE = 16;
const SPACE = 17;
const SIGN = 18;
const WIDE = 19;
const OTHER = 20;
const STATES = 21;

/** Next state and cost in thousandths of a token, by state and ASCII character. */
const NEXT = new Uint8Array(STATES * 128);
const COST = new Uint16Array(STATES * 128);

const isWord = (state: number): boolean => state >= WORD && state < CAPITAL;
const isCapital = (state: number): boolean => state >= CAPITAL && state < NUMBER;
const longer = (state: number, first: number, length: number): number => Math.min(state + 1, first + length - 1);

function step(state: number, code: number): [next: number, cost: number] {
  if (code >= 97 && code <= 122) {
    // a capital belongs to the word it begins
    if (!isWord(state) && !isCapital(state)) return [WORD, 940];
    const run = isCapital(state) ? state - CAPITAL : state - WORD;
    return [longer(WORD + run, WORD, 6), run >= 5 ? 104 : 0];
  }
  if (code >= 65 && code <= 90) {
    if (isCapital(state)) return [longer(state, CAPITAL, 6), 104];
    return [CAPITAL, isWord(state) ? 1080 : 940];
  }
  if (code >= 48 && code <= 57) {
    const inside = state >= NUMBER && state < NUMBER + 2;
    return inside ? [state + 1, 0] : [NUMBER, 1120];
  }
  if (code === 10) return [LINE, state === LINE ? 0 : 1050];
  if (code === 32 || code === 9 || code === 13) return [SPACE, 0];
  return [SIGN, state === SIGN ? 90 : 810];
}

for (let state = START; state < STATES; state++) {
  for (let code = 0; code < 128; code++) [NEXT[state * 128 + code], COST[state * 128 + code]] = step(state, code);
}

/** Longer texts are estimated from windows spread over them. */
const WHOLE = 1024;
const WINDOW = 256;
const WINDOWS = 4;

/** Estimated o200k tokens of a text, at least 1 for a text that is not empty. */
export function estimateTokens(text: string): number {
  const { length } = text;
  if (length === 0) return 0;
  if (length <= WHOLE) return Math.max(1, Math.round(weigh(text, 0, length) / 1000));
  let weight = 0;
  for (let i = 0; i < WINDOWS; i++) {
    const from = Math.floor(((length - WINDOW) * i) / (WINDOWS - 1));
    weight += weigh(text, from, from + WINDOW);
  }
  return Math.round((weight / 1000) * (length / (WINDOWS * WINDOW)));
}

function weigh(text: string, from: number, to: number): number {
  let cost = 0;
  let state = START;
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code < 128) {
      const at = (state << 7) | code;
      cost += COST[at]!;
      state = NEXT[at]!;
    } else if (code >= 0x2e80 && (code < 0xd800 || code >= 0xff00)) {
      // ideographs, kana, hangul and their signs
      cost += code >= 0x3040 && code < 0x3100 ? 600 : 660;
      state = WIDE;
    } else {
      cost += state === OTHER ? 85 : 1100;
      state = OTHER;
    }
  }
  return cost;
}
