/**
 * Judges whether a literal looks like a real secret. Coding sessions are full of text that talks about secrets
 * (`token: string`, `api_key=YOUR_KEY`, `password = os.environ[...]`): such values must survive.
 */

const STAND_IN =
  /x{5,}|\*{3,}|\.{3}|^[-_.*#x0?]+$|your[-_ ]|[-_ ]your|your(?:api)?(?:key|token|secret|password)|place[-_]?holder|change[-_]?(?:me|this|it)|replace[-_]?(?:me|this|with)|insert[-_]|example|dummy|redacted|<[a-z]|foobar/i;

/** Words that documentation and configuration put where a secret would stand. */
const WORDS = new Set(
  (
    'password passwd secret token string number boolean object undefined null none true false required optional ' +
    'invalid missing hidden default postgres postgresql mysql mariadb mongo mongodb redis root admin administrator ' +
    'test testing tests tester guest user username public private localhost bearer basic authorization apikey ' +
    'api_key api-key secret123 password123 password1 passw0rd p@ssw0rd pass1234 test1234 test123 admin123 ' +
    'qwerty123 abc12345 abcd1234 12345678 123456789 1234567890 hunter2 letmein secretkey secret_key secret-key ' +
    'mysecret my_secret my-secret mypassword my_password my-password supersecret super_secret super-secret ' +
    'verysecret very_secret very-secret topsecret s3cr3t s3cret sample nothing unknown disabled enabled'
  ).split(' '),
);

/** A doc-style stand-in: a stock word, a marker such as `your-…`, or a body with hardly any variety. */
export function isStandIn(value: string): boolean {
  if (STAND_IN.test(value) || WORDS.has(value.toLowerCase())) return true;
  return value.length >= 8 && !hasVariety(value);
}

/** More than four different characters. */
function hasVariety(value: string): boolean {
  let seen = '';
  for (const character of value.toLowerCase()) {
    if (seen.includes(character)) continue;
    seen += character;
    if (seen.length > 4) return true;
  }
  return false;
}

/** What stands for a password in URLs and command lines of documentation and scripts. */
export function isDummyPassword(value: string): boolean {
  return isStandIn(value) || /^(?:(?:pass|pw|pwd)\d{0,3}$|[${[(<]|%[a-z(]|\*+$)/i.test(value);
}

/** A reference to a value kept elsewhere: variables, lookups, templates, paths. */
const REFERENCE =
  /^(?:\$|%[A-Z_]+%|[<{}[\]():=|,;.\\\s]|[@#&*?!~]\D*$|(?:process|import|os|env|config|settings|self|this|options|opts|args|params|props|secrets|vars|var|steps|github|inputs|data|ctx|req|res|request|response|file|vault|op|ssm|arn|keychain|keyring)[.:[])/i;

const IDENTIFIER = /^[A-Za-z_$][A-Za-z_$]*(?:\.[A-Za-z_$][A-Za-z_$]*)*[?!]?$/;
const CAMEL = /^[A-Z]?[a-z]+(?:[A-Z]{1,3}[a-z]+)*[A-Z]?(?:\.[A-Za-z]+)*$/;
const CAPITALS = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
const LOWER_WORDS = /^[a-z]+(?:[-_./: ][a-z]+)*[.!?:]?$/;

/** `node.value`, `step18.token`: names joined by dots, at most numbered. */
const MEMBER = /^[A-Za-z_$]+\d{0,3}(?:\??\.[A-Za-z_$]+\d{0,3})+$/;
const NUMBER = /^0x[0-9a-f]{1,8}$/i;

/** A name or an expression of code or configuration, no literal secret. */
function isReference(value: string): boolean {
  if (REFERENCE.test(value) || CAPITALS.test(value) || MEMBER.test(value) || NUMBER.test(value)) return true;
  return value.includes('://') || value.includes('${') || value.includes('/*');
}

/** Names with a digit or two at the end (`token2`, `apiKeyV2`), versions and sizes. */
const NUMBERED_NAME = /^[A-Za-z_$][A-Za-z_$.-]*[vV]?\d{1,2}$/;
const PATH = /^(?:[\w.@-]+\/)+[\w.@-]+\.[a-z]{1,5}$|^(?:\.{0,2}|~)\/[\w./@-]+$/;
/** A part of base64 between two slashes is longer and more mixed than a name in a path. */
const MIXED = /(?=[^/]*\d)(?=[^/]*[a-z])(?=[^/]*[A-Z])[^/.]{16,}/;

const isPath = (value: string): boolean => PATH.test(value) && !MIXED.test(value);

/** Enough variety for a token that a machine made: letters with digits, or mixed case that is no camel-case name. */
export function isRandomish(value: string): boolean {
  if (isStandIn(value) || NUMBERED_NAME.test(value) || isPath(value)) return false;
  const digits = value.replace(/\D/g, '').length;
  const letters = value.replace(/[^A-Za-z]/g, '').length;
  if (letters === 0) return false;
  if (digits >= 2) return true;
  if (CAMEL.test(value) || LOWER_WORDS.test(value) || CAPITALS.test(value)) return false;
  if (digits === 1) return value.length >= 12;
  const turns = value.match(/[a-z][A-Z]|[A-Z][a-z]/g)?.length ?? 0;
  return value.length >= 16 && turns >= 4 && !value.includes(' ');
}

export interface AssignedValue {
  value: string;
  /** the value stood in quotes */
  quoted: boolean;
  /** `NAME=value` of an environment file or a shell, where values are literals */
  environment: boolean;
  /** the name says password or passphrase: shorter and more human values count */
  password: boolean;
  /** the two characters behind the value */
  next: string;
}

/** Whether a value assigned to a name that says "secret" is one. */
export function isSecretValue({ value, quoted, environment, password, next }: AssignedValue): boolean {
  if (value.length < (password ? 6 : 8) || isStandIn(value) || isReference(value) || isPath(value)) return false;
  if (/^[\d.,:+-]+$/.test(value)) return password && quoted && /^\d{6,}$/.test(value);
  if (!quoted && /^[([]|^<(?!\/)/.test(next)) return false;
  if (environment) return password ? !/^[a-z]+$/.test(value) : !LOWER_WORDS.test(value) || value.length >= 32;
  if (IDENTIFIER.test(value) && !(password && quoted)) return isRandomish(value);
  if (LOWER_WORDS.test(value) || CAMEL.test(value) || NUMBERED_NAME.test(value)) return false;
  if (/\s/.test(value)) return password && quoted && /\d/.test(value) && !/[a-z] [a-z]/.test(value);
  return password ? /[^A-Za-z]/.test(value) || /[a-z][A-Z]/.test(value) : isRandomish(value);
}
