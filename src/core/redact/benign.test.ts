import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redactor } from './redactor.ts';
import { randomText } from './testing/secret-samples.ts';

const redact = (text: string): string => new Redactor({ key: new Uint8Array(32) }).text(text);

const HEX = [...'0123456789abcdef'];
const BASE64 = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'];
const sha1 = randomText(HEX, 40);
const sha256 = randomText(HEX, 64);
const uuid = fc.uuid();
const integrity = randomText(BASE64, 86).map((hash) => `sha512-${hash}==`);

/** What coding sessions are full of: it only looks random. */
const usual = fc.oneof(
  sha1.map((hash) => `commit ${hash}\nAuthor: Dev Example <dev@example.test>`),
  sha1.map((hash) => `git cat-file -t ${hash}; REF=${hash}; git show $REF:package-lock.json`),
  sha1.map((hash) => `index ${hash.slice(0, 7)}..${hash.slice(7, 14)} 100644`),
  sha256.map((hash) => `image: registry.test/app@sha256:${hash}`),
  uuid.map((id) => `"uuid":"${id}","parentUuid":"${id}","sessionId":"${id}"`),
  uuid.map((id) => `job ${id} finished; id: ${id}`),
  integrity.map((hash) => `"integrity": "${hash}",\n"resolved": "https://registry.test/x/-/x-1.0.0.tgz"`),
  randomText(BASE64, 43).map((hash) => `golang.org/x/sys v0.1.0 h1:${hash}=`),
  randomText(BASE64, 24).map(
    (id) => `toolu_01${id.replace(/\W/g, 'x')} req_011${id.replace(/\W/g, 'x')} msg_01${id.replace(/\W/g, 'x')}`,
  ),
  randomText(BASE64, 600, 2000).map((data) => data),
  randomText(BASE64, 40, 80).map((data) => `data:text/plain;base64,${data}`),
  fc
    .nat()
    .map((n) => `{"input_tokens":${n},"cache_read_input_tokens":${n},"max_tokens":32000,"total_token_count":${n}}`),
  fc.constantFrom(
    '/home/dev/orchard/node_modules/.pnpm/very-long-package-name@12.34.56_react@19.0.0/node_modules/x',
    'arn:aws:s3:::orchard-yield-2026',
    'https://user@example.test/repo.git and ssh://git@example.test:22/repo.git',
    'http://localhost:3000/path@2x.png',
  ),
);

/** Code and documentation that talk about secrets and hold none. */
const TALK = [
  'const token = await getToken(user, { refresh: true });',
  'const password = process.env.DB_PASSWORD ?? prompt("Password: ");',
  'password: z.string().min(8), token: z.string().optional()',
  'interface Login { username: string; password: string; apiKey?: string; token: Promise<AccessToken> }',
  'function setSecret(secret: SecretString, key: CryptoKey): void;',
  'api_key = os.environ["OPENAI_API_KEY"]',
  'API_KEY=$(cat /run/secrets/api_key)',
  `GITHUB_TOKEN: \${{ secrets.GITHUB_TOKEN }}`,
  'OPENAI_API_KEY=your-api-key-here',
  'OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  'export ANTHROPIC_API_KEY=sk-ant-...',
  'export GITHUB_TOKEN=<your token>',
  'DB_PASSWORD=changeme\nPOSTGRES_PASSWORD=postgres\nJWT_SECRET=secret',
  'NOT_A_SECRET=hello-world',
  'PASSWORD_MIN_LENGTH=12\nTOKEN_TTL=3600\nSECRET_NAME=my-app/prod\nAPI_KEY_HEADER=X-Api-Key',
  'PWD=/home/dev/orchard\nOLDPWD=/home/dev\nSSH_AUTH_SOCK=/tmp/ssh-XXXX/agent.1234',
  'PRIMARY_KEY=user_id SORT_KEY=createdAt PUBLIC_KEY_PATH=/etc/keys/id.pub',
  'postgres://user:password@localhost:5432/app',
  `postgres://\${DB_USER}:\${DB_PASSWORD}@\${DB_HOST}/app`,
  'Authorization: Bearer <token>',
  `headers: { Authorization: \`Bearer \${token}\` }`,
  'WWW-Authenticate: Bearer realm="example", error="invalid_token"',
  'Basic authentication is required; bearer tokens expire after an hour.',
  'The password is required. The token is stored in the keychain. The secret is safe.',
  'Add the token to .env, then rotate the secret key and the api key: see SECURITY.md',
  'if (token === undefined || password.length < 8) throw new Error("invalid password: too short");',
  'secretKeyRef:\n  name: my-secret\n  key: password',
  'secretName: orchard-tls\nserviceAccountName: deployer',
  '"tokenizer": "o200k_base", "token_type": "bearer", "passwordField": "#password"',
  '.sk-circle-fade-dot { animation: sk-circle-fade-dot-animation 1.2s infinite; }',
  'task-management-system-for-teams risk-assessment-and-mitigation-plan',
  'CREATE TABLE users (password VARCHAR(255) NOT NULL, token CHAR(64), secret_key BYTEA);',
  'grep -rn "password" src/ | head; echo $TOKEN | wc -c; curl -u "$USER:$PASS" https://example.test',
  `const AWS_EXAMPLE = "AKIA${'IOSFODNN7EXAMPLE'}";`,
  'password = node.value; token = tokens[i + 1]; key = step18.value',
  'let accessToken = oldAccessToken; refreshToken: newRefreshToken,',
  'expect(form.password).toBe("required")',
];

describe('text without secrets', () => {
  it('survives byte for byte: hashes, ids, lock files, paths, counts', () => {
    fc.assert(
      fc.property(fc.array(usual, { minLength: 1, maxLength: 6 }), (parts) => {
        const text = parts.join('\n');
        expect(redact(text)).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  it.each(TALK)('survives though it talks about secrets: %s', (text) => {
    expect(redact(text)).toBe(text);
    const json = JSON.stringify({ content: text, nested: JSON.stringify({ text }) });
    expect(redact(json)).toBe(json);
  });

  it('survives in records too', () => {
    const record = {
      uuid: '7d1f02f6-9750-46ad-b710-398303478932',
      usage: { input_tokens: 12 },
      token: 'string',
      password: 'required',
      content: [{ text: TALK.join('\n') }],
    };
    expect(new Redactor({ key: new Uint8Array(32) }).record(structuredClone(record))).toEqual(record);
  });

  it('is what this project itself consists of', () => {
    const root = new URL('../../../', import.meta.url);
    expect(redact(readFileSync(new URL('package-lock.json', root), 'utf8'))).not.toContain('[REDACTED:');
    const own = new URL('src/core/redact/', root);
    for (const name of readdirSync(own).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))) {
      // Some comments and tests name placeholders.
      const text = readFileSync(new URL(name, own), 'utf8').replaceAll('[REDACTED:', '[PLACEHOLDER:');
      expect(redact(text), name).toBe(text);
    }
  });
});
