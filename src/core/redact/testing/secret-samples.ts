import fc from 'fast-check';
import { isRandomish, isStandIn } from '../plausible.ts';
import { TOKEN_ROWS } from '../rules-tokens.ts';

/** Made-up secrets for tests, built at run time: no file of this project holds one. */

const ALPHANUMERIC = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'];
const BASE64 = [...ALPHANUMERIC, '+', '/'];

export const randomText = (
  characters: readonly string[],
  minLength: number,
  maxLength = minLength,
): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...characters), { minLength, maxLength }).map((all) => all.join(''));

/** As varied as real secrets are: digits, letters, no doc-style stand-in. */
const isVaried = (value: string): boolean =>
  !isStandIn(value) && new Set(value).size >= 9 && (value.match(/\d/g)?.length ?? 0) >= 2;

/** A string that the pattern of a token rule matches as a whole. */
function tokenOf(pattern: RegExp): fc.Arbitrary<string> {
  const source = pattern.source
    .replace(/\(\?<?[!=](?:[^()\\]|\\.)*\)/g, '')
    .replaceAll('(?<secret>', '(?:')
    .replace(/\[\?&;\]/g, '\\?');
  return fc.stringMatching(new RegExp(`^(?:${source})$`), { size: 'xsmall' });
}

export interface Sample {
  type: string;
  /** text in which the rule finds the secret */
  text: string;
  /** part of it that must not survive */
  secret: string;
}

/** Tokens of every issuer. */
export const tokenSample: fc.Arbitrary<Sample> = fc
  .oneof(
    ...TOKEN_ROWS.map(([type, anchors, pattern, weak, run]) =>
      tokenOf(pattern).map((token) => {
        const groups = new RegExp(pattern.source, 'd').exec(token)?.groups;
        // A rule that wants a word nearby gets it.
        const near = run === 0 && weak !== undefined && !pattern.source.includes(anchors.split(' ')[0] as string);
        return { type, text: near ? `${anchors.split(' ')[0]} ${token}` : token, secret: groups?.secret ?? token };
      }),
    ),
  )
  .filter(({ secret }) => isVaried(secret) && isRandomish(secret));

/** Without dots: `a1.b2` is taken for an expression of code. */
const password = randomText([...ALPHANUMERIC, '!', '#', '%', '*', '_', '-', '~'], 14, 24).filter(
  (value) => isVaried(value) && isRandomish(value) && /[A-Za-z0-9]$/.test(value) && !/^[-%]/.test(value),
);
const token = randomText(ALPHANUMERIC, 20, 40).filter((value) => isVaried(value) && isRandomish(value));

const named = (
  type: string,
  value: fc.Arbitrary<string>,
  ...forms: ((value: string) => string)[]
): fc.Arbitrary<Sample> =>
  fc.tuple(value, fc.constantFrom(...forms)).map(([secret, form]) => ({ type, text: form(secret), secret }));

/** Secrets that their surroundings give away. */
export const contextSample: fc.Arbitrary<Sample> = fc.oneof(
  named(
    'password',
    password,
    (v) => `password=${v}`,
    (v) => `"db_password": "${v}"`,
    (v) => `PGPASSWORD='${v}'`,
    (v) => `Password: ${v}`,
    (v) => `密码：${v}`,
    (v) => `- name: DB_PASSWORD\n  value: ${v}`,
    (v) => `{"name": "DB_PASSWORD", "value": "${v}"}`,
    (v) => `spring.datasource.password = ${v}`,
    (v) => `psql "host=db user=app password=${v}"`,
    (v) => `--db-password ${v}`,
    (v) => `machine git.test login dev password ${v}`,
    (v) => `<password>${v}</password>`,
    (v) => `curl -H "a: b" -u deploy:${v}`,
    (v) => `sshpass -p ${v} ssh host`,
  ),
  named(
    'token',
    token,
    (v) => `API_TOKEN=${v}`,
    (v) => `export ACCESS_TOKEN="${v}"`,
    (v) => `//registry.test/:_authToken=${v}`,
    (v) => `auth_token: '${v}'`,
    (v) => `--token ${v}`,
    (v) => `https://api.test/v1?access_token=${v}&page=2`,
  ),
  named(
    'api-key',
    token,
    (v) => `X-Api-Key: ${v}`,
    (v) => `apiKey: "${v}",`,
    (v) => `SERVICE_API_KEY=${v}`,
  ),
  named(
    'secret',
    token,
    (v) => `client_secret: ${v}`,
    (v) => `AWS_SECRET_ACCESS_KEY=${v}`,
    (v) => `ENCRYPTION_KEY=${v}`,
  ),
  named(
    'cookie',
    token,
    (v) => `Cookie: theme=dark; session=${v}`,
    (v) => `set-cookie: sid=${v}; HttpOnly`,
  ),
  named(
    'authorization',
    token,
    (v) => `Authorization: Bearer ${v}`,
    (v) => `curl -H 'authorization: bearer ${v}'`,
  ),
  named(
    'url-password',
    password,
    (v) => `postgres://app:${v}@db.test:5432/app`,
    (v) => `redis://:${v}@cache.test/0`,
  ),
);

const keyLine = randomText(BASE64, 64);

/** A private key block: kind, lines of key material. */
export const privateKey: fc.Arbitrary<{ kind: string; lines: string[] }> = fc.record({
  kind: fc.constantFrom(
    'RSA PRIVATE KEY',
    'PRIVATE KEY',
    'OPENSSH PRIVATE KEY',
    'EC PRIVATE KEY',
    'ENCRYPTED PRIVATE KEY',
  ),
  lines: fc
    .tuple(fc.array(keyLine, { minLength: 2, maxLength: 8 }), randomText(BASE64, 24, 60))
    .map(([full, last]) => [...full, last]),
});

export const begin = (kind: string): string => ['-----BEGIN', `${kind}-----`].join(' ');
export const end = (kind: string): string => ['-----END', `${kind}-----`].join(' ');

/** Any `length` characters of a secret that are still in a text. */
export function fragmentIn(text: string, secret: string, length = 12): string | null {
  for (let at = 0; at + length <= secret.length; at++) {
    const part = secret.slice(at, at + length);
    if (text.includes(part)) return part;
  }
  return null;
}
