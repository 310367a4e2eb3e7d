import { isRandomish, isStandIn } from './plausible.ts';

/**
 * The second tier: what may be a secret and may as well be none, so nothing of it is ever replaced by itself. It is looked
 * for when somebody asks (`sessionctl redact`), who then looks at the places.
 */
export interface Candidate {
  start: number;
  end: number;
  type: 'random-text' | 'password-in-words';
}

/** Shorter ones are found by their name or not at all; longer ones are data. */
const SHORTEST = 24;
const LONGEST = 200;
/** Bits a character; English words together have about 3.3, random base64 of this length 4.2 and more. */
const RANDOM = 4;

/** Runs of base64 and base64url. */
const TOKEN = /[A-Za-z0-9+/_-]{24,}={0,2}/g;
/** Ids that agents and APIs give, hashes of lock files and images: random and public. */
const PUBLIC =
  /^(?:toolu|call|fc|msg|req|resp|rs|ctc|item|chatcmpl|gen|run|thread|step|asst|file|batch|sess|rcpt|evt|prt|ses|usr|org|proj)[_-]|^(?:sha(?:1|256|384|512)|md5|h1)[-:_]|^(?:Qm|bafy)[A-Za-z0-9]/;
const BEFORE_PUBLIC = /(?:base64,|sha\d{1,3}[-:]|h1:|integrity\W{1,4}|signature\W{1,4}|REDACTED:[a-z0-9-]*)$/i;
/** characters before a text that are looked at */
const BEFORE = 40;
const HEX = /^[0-9a-f-]+$/i;

/** "the password is …", in the languages that sessions here are often in. */
const WORDS =
  /(?:pass(?:word|phrase|code)|passwort|mot de passe|contraseña|密[码碼]|口令|パスワード|비밀번호)\s*(?:is|was|ist|est|es|set to|[:：=是为為はは])\s*["'“「`]?(?<value>[^\s"'”」`,;，。；]{6,64})/giu;
/** A value that has something of a secret in it: a digit or a sign among letters. */
const NOT_A_WORD = /(?=.*[A-Za-z])(?=.*[\d!@#$%^&*+~?])/;

/** Candidates in one text, in order, not overlapping. Texts with definite secrets in them should be redacted first. */
export function findCandidates(text: string): Candidate[] {
  const told = [...passwordsInWords(text)];
  const random = [...randomTexts(text)].filter(
    ({ start, end }) => !told.some((one) => one.start < end && start < one.end),
  );
  return [...told, ...random].sort((a, b) => a.start - b.start);
}

function* passwordsInWords(text: string): Generator<Candidate> {
  for (const match of text.matchAll(WORDS)) {
    const whole = match.groups?.value ?? '';
    const value = whole.replace(/[.)\]}]+$/, '');
    const start = match.index + match[0].length - whole.length;
    if (NOT_A_WORD.test(value) && !isStandIn(value) && !value.includes('[REDACTED:'))
      yield { start, end: start + value.length, type: 'password-in-words' };
  }
}

function* randomTexts(text: string): Generator<Candidate> {
  for (const match of text.matchAll(TOKEN)) {
    const start = match.index;
    if (isRandomText(match[0], text.slice(Math.max(0, start - BEFORE), start)))
      yield { start, end: start + match[0].length, type: 'random-text' };
  }
}

function isRandomText(token: string, before: string): boolean {
  if (token.length < SHORTEST || token.length > LONGEST) return false;
  if (HEX.test(token) || PUBLIC.test(token) || BEFORE_PUBLIC.test(before)) return false;
  if (!/[A-Z]/.test(token) || !/[a-z]/.test(token) || (token.match(/\d/g)?.length ?? 0) < 2) return false;
  // a path, or a name of words: each of its parts is short or no mixture
  const parts = token.split(/[/_-]/);
  const longest = parts.reduce((a, b) => (b.length > a.length ? b : a), '');
  if (longest.length < 16 || !isRandomish(longest)) return false;
  return entropy(token) >= RANDOM;
}

/** Shannon's, in bits a character. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
