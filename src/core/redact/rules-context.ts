import {
  CHINESE_NAME,
  CHINESE_TELLING,
  ENVIRONMENT_ANCHORS,
  environmentName,
  isPasswordName,
  KEY_NAME,
  KEY_NAME_ANCHORS,
  kindOfName,
  SECRET_NAME,
  SECRET_NAME_ANCHORS,
} from './names.ts';
import { isDummyPassword, isRandomish, isSecretValue } from './plausible.ts';
import { type Found, matches, type Rule } from './rule.ts';
import { QUOTE } from './view.ts';

/** Secrets that only their surroundings give away: assignments, headers, URLs, flags. */

const NOT_QUOTE = QUOTE.replace('[', '[^');
const BARE = `${NOT_QUOTE.slice(0, -1)}\\s,;(){}<>\\[\\]|&]`;
/** A quoted value up to the same kind of quote, or a bare word; `&` ends it only in front of the next URL parameter. */
const VALUE =
  `(?:(?<quote>${QUOTE})(?<quoted>(?:(?!\\k<quote>)[^\\n\\r]){1,400}?)\\k<quote>` +
  `|(?<bare>(?:${BARE}|&(?![\\w.-]{1,40}=)){3,400}))`;
const SPACE = '[^\\S\\n\\r]';

/** Between name and value: an assignment in any of its spellings, or the next field of a pair: `"name": "…", "value": `. */
const ASSIGNED = `\\]?(?:${SPACE}{0,8}(?::=|=>|={1,3}|:(?!:)|>(?=[^=\\s]))${SPACE}{0,8}|${SPACE}is:?${SPACE})`;
const PAIR_NAME = `(?:name|key|variable)${QUOTE}?${SPACE}{0,8}[:=]${SPACE}{0,8}${QUOTE}?[\\w.-]{1,80}${QUOTE}?\\s{0,8}[,;\\n]`;
const PAIRED = `\\s{0,8}[,;\\n](?<=${PAIR_NAME})\\s{0,60}${QUOTE}?(?:parameter_?)?value${QUOTE}?${SPACE}{0,8}[:=]${SPACE}{0,8}`;

const assignmentOf = (name: string): RegExp =>
  new RegExp(`(?<name>${name})${QUOTE}?(?:${ASSIGNED}|${PAIRED})${VALUE}`, 'gi');
/** Looks back from the `=`, which is rarer than capitals. */
const ENVIRONMENT = new RegExp(
  `(?<=(?<![A-Za-z0-9_.$%{-])(?<name>[A-Z][A-Z0-9_]{2,80}))=(?![=>~])(?:(?<quote>${QUOTE})(?<quoted>(?:(?!\\k<quote>)[^\\n\\r]){1,2000}?)\\k<quote>|(?<bare>${NOT_QUOTE.slice(0, -1)}\\s]{4,2000}))`,
  'g',
);

interface Value {
  start: number;
  value: string;
  quoted: boolean;
}

function assignedValue(m: RegExpExecArray): Value | null {
  const { quote, quoted, bare } = m.groups ?? {};
  const end = m.index + m[0].length;
  if (bare !== undefined) return { start: end - bare.length, value: bare.replace(/[.:,]+$/, ''), quoted: false };
  if (quote === undefined || quoted === undefined || leavesItsQuotes(quote, quoted)) return null;
  return { start: end - quote.length - quoted.length, value: quoted, quoted: true };
}

/** Depth of escaping of a quote in a view. */
const depth = (quote: string): number => (quote < '\ue000' ? 0 : quote.charCodeAt(0) & 0xf);

/** A double quote that is escaped less ends the string around: what lies between is no value. */
function leavesItsQuotes(quote: string, value: string): boolean {
  const own = depth(quote);
  return own > 0 && [...value].some((c) => (c === '"' || (c >= '\ue000' && c <= '\ue00f')) && depth(c) < own);
}

function* scan(pattern: RegExp, text: string): Generator<{ name: string; match: RegExpExecArray; value: Value }> {
  pattern.lastIndex = 0;
  for (let m = pattern.exec(text); m !== null; m = pattern.exec(text)) {
    const value = assignedValue(m);
    if (value === null) continue;
    // The value may itself start the next assignment (`token: password=…`), so go on inside this one.
    pattern.lastIndex = m.index + 1;
    yield { name: m.groups?.name ?? '', match: m, value };
  }
}

function assignment(type: string, name: string, facts: Pick<Rule, 'anchors' | 'context' | 'searched'>): Rule {
  const pattern = assignmentOf(name);
  return {
    type,
    tier: 'definite',
    anyCase: true,
    ...facts,
    *find(text) {
      for (const { name, value } of scan(pattern, text)) {
        const end = value.start + value.value.length;
        const next = text.slice(end, end + 2);
        const password = isPasswordName(name);
        if (isSecretValue({ value: value.value, quoted: value.quoted, environment: false, password, next }))
          yield { start: value.start, end, type: kindOfName(name) };
      }
    },
  };
}

/** In front of a variable that stands alone on its line: nothing, an export, a diff sign, a line number. */
const LINE_START =
  /(?:^|[\n\r])[^\S\n\r]*(?:\d{1,6}[\t→:|]\s?|[+\-> ]\s?|[\w./-]{1,120}:\d{1,6}[:-])?(?:export |set |ENV |declare -x )?$/;

const environment: Rule = {
  type: 'environment-secret',
  tier: 'definite',
  anchors: ENVIRONMENT_ANCHORS,
  context: 'environment',
  *find(text) {
    for (const { name, match, value } of scan(ENVIRONMENT, text)) {
      const strength = environmentName(name);
      if (strength === null) continue;
      const start = match.index - name.length;
      const alone = LINE_START.test(text.slice(Math.max(0, start - 160), start));
      const literal = value.quoted || alone ? value.value : (/^[^;,&|)(<>{}[\]]+/.exec(value.value)?.[0] ?? '');
      const found: Found = { start: value.start, end: value.start + literal.length, type: kindOfName(name) };
      const password = /PASS|PWD/.test(name);
      const next = alone ? '' : text.slice(found.end, found.end + 2);
      const real = isSecretValue({ value: literal, quoted: value.quoted, environment: true, password, next });
      if (real && (strength === 'strong' || (literal.length >= 12 && isRandomish(literal)))) yield found;
    }
  },
};

const AUTHORIZATION = new RegExp(
  `(?:bearer|basic)\\s{1,4}(?<secret>[A-Za-z0-9._~+/-]{8,}={0,2})|authorization${QUOTE}?\\s{0,4}[:=]\\s{0,4}${QUOTE}?(?:(?:token|apikey|api-key|key)\\s{1,4})?(?<secret2>[A-Za-z0-9._~+/-]{16,}={0,2})`,
  'gi',
);

const authorization: Rule = {
  type: 'authorization',
  tier: 'definite',
  anchors: ['bearer', 'basic', 'authorization'],
  anyCase: true,
  context: 'value',
  find: (text) =>
    matches(AUTHORIZATION, text, (value) => isUserAndPassword(value) || (value.length >= 12 && isRandomish(value))),
};

/** Whether base64 holds `user:password` in printable ASCII. */
function isUserAndPassword(base64: string): boolean {
  if (base64.length < 8 || base64.length > 400 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return false;
  try {
    return /^[\x20-\x7e]{1,200}:[\x20-\x7e]{3,}$/.test(atob(base64));
  } catch {
    return false;
  }
}

const AUTH_FIELD = new RegExp(
  `auth${QUOTE}?${SPACE}{0,4}[:=]${SPACE}{0,4}${QUOTE}?(?<secret>[A-Za-z0-9+/]{8,400}={0,2})`,
  'g',
);
const authField: Rule = {
  type: 'basic-auth',
  tier: 'definite',
  anchors: ['auth'],
  context: 'assignment',
  find: (text) => matches(AUTH_FIELD, text, isUserAndPassword),
};

const URL_PASSWORD =
  /(?<=[a-z0-9]):\/\/[^\s:@/"'`<>{}\ue000-\ue02f]{0,80}:(?<secret>[^\s/"'`<>\ue000-\ue02f]{3,200})(?=@[\w[%$])/gi;
const urlPassword: Rule = {
  type: 'url-password',
  tier: 'definite',
  anchors: ['://', ':\\/', ':\\\\'],
  context: 'url',
  find: (text) =>
    matches(
      URL_PASSWORD,
      text,
      (value) => !isDummyPassword(value) && !/^\d{1,5}$/.test(value) && (value.length >= 8 || /[^a-z]/.test(value)),
    ),
};

const FLAG = new RegExp(
  `(?<![A-Za-z0-9-])--?(?<name>(?:[a-z0-9]+-){0,4}(?:password|passwd|pass|passphrase|token|secret|api-?key|access-key|secret-key|auth-key|private-key))${SPACE}{1,4}${VALUE}`,
  'g',
);
const flag: Rule = {
  type: 'flag-secret',
  tier: 'definite',
  anchors: ['-pass', '-token', '-secret', '-api-key', '-apikey', '-access-key', '-auth-key', '-private-key'],
  context: 'value',
  *find(text) {
    for (const { name, value } of scan(FLAG, text)) {
      const password = name.includes('pass');
      const real = isSecretValue({ value: value.value, quoted: value.quoted, environment: false, password, next: '' });
      if (real) yield { start: value.start, end: value.start + value.value.length, type: kindOfName(name) };
    }
  },
};

const WORD = `${NOT_QUOTE.slice(0, -1)}\\s]`;
const LOGIN = new RegExp(
  `machine\\s+\\S{1,100}\\s+login\\s+\\S{1,100}\\s+password\\s+(?<secret>${WORD}{4,200})` +
    `|curl[^\\n|;]{0,300}?\\s(?:-u|--user)[ =]?${QUOTE}?[^\\s:"'\`\\ue000-\\ue02f]{1,80}:(?<secret2>${WORD}{3,200})` +
    `|mysql(?:dump|admin|import)?\\s[^\\n|;]{0,200}?\\s-p(?<secret3>${WORD}{6,200})` +
    `|sshpass\\s+-p\\s?${QUOTE}?(?<secret4>${WORD}{4,200})`,
  'g',
);
const login: Rule = {
  type: 'password',
  tier: 'definite',
  anchors: ['machine', 'curl', 'mysql', 'sshpass'],
  context: 'any',
  find: (text) => matches(LOGIN, text, (value) => !isDummyPassword(value)),
};

/** The part of a cookie header that holds cookies, up to the end of the line or of the string. */
const COOKIES = new RegExp(
  `(?<=cookie${QUOTE}?${SPACE}{0,4}:${SPACE}{0,4}${QUOTE}?)${NOT_QUOTE.slice(0, -1)}\\n\\r]{10,4000}`,
  'gi',
);
const COOKIE = /(?<==)(?<secret>[^\s;,=]{16,}={0,2})/g;
const cookie: Rule = {
  type: 'cookie',
  tier: 'definite',
  anchors: ['cookie'],
  anyCase: true,
  // what follows the colon can begin with any character: no context that is told by bytes is weaker than the pattern
  context: 'any',
  *find(text) {
    for (const header of text.matchAll(COOKIES))
      for (const { start, end } of matches(COOKIE, header[0], isRandomish))
        yield { start: header.index + start, end: header.index + end };
  },
};

export const CONTEXT_RULES: readonly Rule[] = [
  authorization,
  authField,
  urlPassword,
  login,
  cookie,
  flag,
  environment,
  assignment('assigned-secret', SECRET_NAME, { anchors: SECRET_NAME_ANCHORS, context: 'assignment' }),
  assignment('assigned-key', KEY_NAME, { anchors: KEY_NAME_ANCHORS, searched: ['key'], context: 'key' }),
  // lines with these characters go to every rule, see anchors.ts
  assignment('assigned-chinese', CHINESE_NAME, { anchors: CHINESE_TELLING, searched: [], context: 'any' }),
];
