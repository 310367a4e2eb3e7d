import { describe, expect, it } from 'vitest';
import { Redactor } from './redactor.ts';
import { fragmentIn } from './testing/secret-samples.ts';

/**
 * Transcripts that leaked or were damaged in other tools, in small. Secrets are put together here, so that no file of the
 * project holds one.
 */
const redactor = (): Redactor => new Redactor({ key: new Uint8Array(32) });
const join = (...parts: string[]): string => parts.join('');

const ANTHROPIC = join('sk-', 'ant-api03-eUNAWbCpD4Xq5cDzWJm5e0H93Cdwuw1pzpNgg9BOSELHUbk8dQW4bIWy0B0AINt2jt2CU5BSmm');
const STRIPE = join('sk_', 'live_nJEVspaQXEVDPcsRuptP9D7r');
const GITHUB = join('ghp', '_1W7L5oN24zvZ4bVbZdPKsw2wqkfMQpd9jJeq');
const AWS_ID = join('AKIA', '9NY8LST68TR5CMD2');
const AWS_SECRET = join('2JgNAaKOnamAVzAWlY6z', 'LVgJRurxX0yKZV4LN3A0');
const OPENAI = join('sk-', 'proj-oq0WbxL3upScR7WtvOTw5Zfa2C0lpb4REMnEoRfvbqBn63gzbthuEvhcY1paHQj1');
const PASSWORD = join('Pw-2l8Ks', 'uQTWXnZYp!');

function expectAllGone(out: unknown, ...secrets: string[]): void {
  for (const secret of secrets) expect(fragmentIn(JSON.stringify(out), secret)).toBeNull();
}

describe('keys in every corner of a transcript', () => {
  const dotenv = `ANTHROPIC_API_KEY=${ANTHROPIC}\nSTRIPE_SECRET_KEY=${STRIPE}\nAWS_ACCESS_KEY_ID=${AWS_ID}\nAWS_SECRET_ACCESS_KEY=${AWS_SECRET}\nPORT=8080 (ROBIN-ENV)\n`;
  const records = [
    { type: 'user', message: { content: `Use this token for the push: ${GITHUB} (ROBIN-01)` } },
    {
      type: 'user',
      message: { content: [{ type: 'tool_result', content: dotenv }] },
      toolUseResult: { stdout: dotenv },
    },
    {
      type: 'assistant',
      message: {
        content: [{ type: 'tool_use', input: { command: `printf '${STRIPE}' | vercel env add STRIPE_SECRET_KEY` } }],
      },
    },
    {
      type: 'assistant',
      message: {
        content: [{ type: 'text', text: `The key starts with ${ANTHROPIC.slice(0, 30)} and works. (ROBIN-02)` }],
      },
    },
    { type: 'custom-title', customTitle: `Push with ${GITHUB}` },
    { type: 'user', message: { content: `curl -H "x-api-key: ${ANTHROPIC}"` } },
  ];

  it('are gone from prompts, results and their copies, arguments, answers and titles', () => {
    const one = redactor();
    const out = records.map((record) => one.record(structuredClone(record)));
    expectAllGone(out, ANTHROPIC, STRIPE, GITHUB, AWS_ID, AWS_SECRET);
    const text = JSON.stringify(out);
    for (const kept of ['ROBIN-01', 'ROBIN-ENV', 'ROBIN-02', 'ANTHROPIC_API_KEY', 'PORT=8080', 'vercel env add'])
      expect(text).toContain(kept);
    expect(text.match(/\[REDACTED:stripe-key:\d\]/g)).toEqual(Array(3).fill('[REDACTED:stripe-key:1]'));
  });
});

describe('secrets that a name beside them gives away', () => {
  it('are gone from lists of variables, in any order of their fields', () => {
    const env = [
      { name: 'DB_PASSWORD', value: PASSWORD },
      { value: OPENAI, type: 'secret', key: 'api_token' },
      { ParameterKey: 'DbPassword', ParameterValue: PASSWORD },
    ];
    const out = redactor().record({
      env: structuredClone(env),
      result: JSON.stringify(env.slice(0, 1), null, 2),
      yaml: `- name: DB_PASSWORD\n  value: ${PASSWORD}\n- name: PORT\n  value: 8080`,
    });
    expectAllGone(out, PASSWORD, OPENAI);
    expect(out.env.map(({ name, key }) => name ?? key)).toEqual(['DB_PASSWORD', 'api_token', undefined]);
    expect(out.yaml).toContain('value: 8080');
  });

  it('are gone behind Chinese names, and other text with these words stays', () => {
    const out = redactor().record({ 密码: PASSWORD, say: `密码：${PASSWORD}`, key: `私钥 = "${STRIPE}"` });
    expectAllGone(out, PASSWORD, STRIPE);
    const kept = { text: '密码学: 请输入密码，令牌不要提交', list: [{ name: 'PATH', value: '/usr/local/bin2' }] };
    expect(redactor().record(structuredClone(kept))).toEqual(kept);
  });

  it('are told from the arguments of a call', () => {
    const code = 'set(token, value = "a8F3kQ9zX2mV7")';
    expect(redactor().text(code)).toBe(code);
  });
});

describe('secrets inside structured values', () => {
  it('leave the structure around them valid and every neighbour intact', () => {
    const body = JSON.stringify({
      headers: { 'X-Api-Key': OPENAI, next: 'kept-next' },
      body: `password=\\"${PASSWORD}\\"`,
      tail: 'kept-inner',
    });
    const out = redactor().record({
      prompt: `psql "host=db.internal user=app password=${PASSWORD}" (MAGPIE-01)`,
      input: {
        headers: { Cookie: { session: OPENAI }, Host: 'example.test' },
        auth: [`Bearer ${OPENAI}`, `Bearer second-${OPENAI}`],
        apiKey: 12345,
        tail: 'kept-tail',
      },
      result: body,
      answer: `Final answer {"token":"${OPENAI}","state":"done"} (MAGPIE-02)`,
    });
    expectAllGone(out, OPENAI, PASSWORD);
    expect(out.prompt).toBe('psql "host=db.internal user=app password=[REDACTED:password:1]" (MAGPIE-01)');
    expect(out.input).toMatchObject({ headers: { Host: 'example.test' }, apiKey: 12345, tail: 'kept-tail' });
    expect(JSON.parse(out.result)).toMatchObject({ headers: { next: 'kept-next' }, tail: 'kept-inner' });
    expect(out.answer).toBe('Final answer {"token":"[REDACTED:openai-key:1]","state":"done"} (MAGPIE-02)');
  });
});

describe('real secrets between harmless hashes', () => {
  it('are the only thing that changes', () => {
    const hash = '5cf0249208f53b8bc38f3074fd46431b1102d04c';
    const text = `Commit ${hash.slice(0, 12)} matches; job 7d1f02f6-9750-46ad-b710-398303478932.\nSTRIPE=${STRIPE}\nREF=${hash}; Token ${GITHUB} should be rotated.`;
    const expected = text.replace(STRIPE, '[REDACTED:stripe-key:1]').replace(GITHUB, '[REDACTED:github-token:1]');
    expect(redactor().text(text)).toBe(expected);
  });
});
