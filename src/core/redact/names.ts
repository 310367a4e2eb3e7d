/** Names that announce a secret: of JSON fields, configuration keys, variables and flags. */

/** Words before "key" that make it a secret. */
export const KEY_OWNER = 'api|access|auth|private|signing|encryption|master|client|service|account|shared|license';

/** What may follow the word and still name the value itself, not a fact about it (`token_limit` is none). */
const TAIL =
  '(?:[_-]?(?:value|base|string|text|key|access|token|secret|prod|production|live|staging|stage|dev|development|local|' +
  'default|old|new|current|main|backup|confirm|confirmation|hex|b64|base64|v?\\d{1,3}))*';

/**
 * Sources of patterns that match the secret-announcing end of a name, for the flag `i`, and the literals without which
 * they cannot match. Keys are apart, since the word is frequent and only its owner makes it one.
 */
export const SECRET_NAME = `(?:pass(?:word|wd|phrase|code)|pwd|secret|token|credential|[_-](?:pass|auth))${TAIL}`;
export const SECRET_NAME_ANCHORS: readonly string[] =
  'password passwd passphrase passcode pwd secret token credential _pass -pass _auth -auth'.split(' ');
export const KEY_NAME = `(?:${KEY_OWNER})[_\\- ]?key${TAIL}`;
export const KEY_NAME_ANCHORS: readonly string[] = KEY_OWNER.split('|').flatMap((owner) =>
  ['key', '_key', '-key', ' key'].map((key) => `${owner}${key}`),
);

/** Password, key, private key, token. Each holds one of the `telling` characters. */
export const CHINESE_NAME = '密[码碼钥鑰匙]|[秘私][钥鑰]|令牌';
export const CHINESE_TELLING: readonly string[] = [...'密钥鑰牌'];

const WHOLE_NAME = new RegExp(`(?:${SECRET_NAME}|${KEY_NAME}|${CHINESE_NAME})$`, 'i');
const PASSWORD_NAME = /pass|pwd|密[码碼]/i;

/** Whether a name says that a person may have made up the value. */
export const isPasswordName = (name: string): boolean => PASSWORD_NAME.test(name);

/** Names of the two fields of a pair, as lists of variables have them. */
const PAIR_NAME = /^(?:name|key|variable|parameter_?(?:name|key))$/i;
const PAIR_VALUE = /^(?:parameter_?)?value$/i;

/** What the field `key` of a record is named by: in `{name: 'DB_PASSWORD', value: …}` the value by the name beside it. */
export function nameOfField(record: Readonly<Record<string, unknown>>, key: string): string {
  if (key.length < 5 || !PAIR_VALUE.test(key)) return key;
  for (const [field, name] of Object.entries(record))
    if (typeof name === 'string' && name.length <= 80 && PAIR_NAME.test(field)) return name;
  return key;
}

/** Verdicts on field names, of which records have few and repeat them on every line. */
const verdicts = new Map<string, boolean>();
const MOST_VERDICTS = 10_000;

/** Whether a field of that name holds a secret, when its value looks like one. */
export function isSecretName(name: string): boolean {
  const known = verdicts.get(name);
  if (known !== undefined) return known;
  const verdict = name.length <= 80 && WHOLE_NAME.test(name);
  if (verdicts.size < MOST_VERDICTS) verdicts.set(name, verdict);
  return verdict;
}

/** Kind shown in placeholders for a value that only its name gives away. */
export function kindOfName(name: string): string {
  if (isPasswordName(name)) return 'password';
  if (/api[_\- ]?key/i.test(name)) return 'api-key';
  if (/token|令牌/i.test(name)) return 'token';
  return /credential/i.test(name) ? 'credential' : 'secret';
}

const ENVIRONMENT_WORD =
  /KEY|TOTP|TOKEN|SECRET|PASS(?:WORD|WD|PHRASE)?(?![A-Z])|PWD|CREDENTIAL|SALT|_AUTH|_DSN|PRIVATE/;
const ENVIRONMENT_FACT =
  /(?:^|_)(?:IDS?|URLS?|URI|PATH|FILE|DIR|NAME|TTL|LENGTH|LIMIT|COUNT|TYPE|HEADER|HOST|PORT|ENV|EXPIRY|EXPIRES(?:_IN)?|ARN|REGION|FORMAT|ALGORITHM|ALG|ISSUER|SIZE|VERSION|PREFIX|ROUNDS|POLICY|PROVIDER|STORE|INDEX)$|^(?:OLD)?PWD$|(?:PUBLIC|PRIMARY|FOREIGN|SORT|CACHE|PARTITION|HOT|KEYBOARD|MONKEY|DONKEY)_?KEY|KEY(?:BOARD|WORD|STORE|MAP|CODE|RING|SPACE)|TOKENS|TOKENIZER/;

/** Whether a variable of an environment file, in capitals, holds a secret; `weak` names need a random-looking value. */
export function environmentName(name: string): 'strong' | 'weak' | null {
  if (!ENVIRONMENT_WORD.test(name) || ENVIRONMENT_FACT.test(name)) return null;
  return /TOKEN|SECRET|PASS|PWD|CREDENTIAL|(?:API|ACCESS|AUTH|PRIVATE|ENCRYPTION|SIGNING)_?KEY/.test(name)
    ? 'strong'
    : 'weak';
}

/** Literals without which `environmentName` says no. */
export const ENVIRONMENT_ANCHORS: readonly string[] = [
  'KEY TOKEN SECRET PASS PWD CREDENTIAL TOTP SALT _AUTH _DSN PRIVATE',
].flatMap((words) => words.split(' '));
