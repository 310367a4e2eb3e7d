import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANCHORS, anchorWindows, escapeWindows, oddWindows, type Window, windowOffsets } from './anchors.ts';
import { fold, ODD_RANGES, USUAL } from './odd-characters.ts';
import { Prefilter } from './prefilter.ts';
import { NIBBLE_TABLES, WINDOW_OFFSETS } from './prefilter-plan.ts';
import { Redactor } from './redactor.ts';
import { ALL_RULES, EVERY_RULE, RULES } from './rules.ts';
import { contextSample, tokenSample } from './testing/secret-samples.ts';

const encoder = new TextEncoder();
const prefilter = new Prefilter();

function scan(lines: readonly string[]): { rules: readonly number[] | null; surrogate: boolean }[] {
  const bytes = encoder.encode(`${lines.join('\n')}\n`);
  prefilter.reserve(bytes.length).set(bytes);
  prefilter.scan(0, bytes.length);
  let end = -1;
  return lines.map((line) => {
    end += encoder.encode(line).length + 1;
    return { ...prefilter.line(end) };
  });
}

const redact = (line: string, rules: readonly number[]): string =>
  JSON.stringify(new Redactor({ key: new Uint8Array(32) }).record(JSON.parse(line), rules));

/** Writes some characters of a JSON text as `\uXXXX`, as other writers do. */
const escapeSome = (json: string, every: number): string =>
  json.replace(/\\u.{4}|\\.|[A-Za-z0-9]/g, (part, at: number) =>
    part.length === 1 && at % every === 0 ? `\\u${part.charCodeAt(0).toString(16).padStart(4, '0')}` : part,
  );

const crumb = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ANCHORS.map(({ bytes }) => String.fromCharCode(...bytes))) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '=',
      ':',
      ' ',
      '"',
      "'",
      '`',
      '\n',
      '\t',
      '\\',
      '/',
      '//',
      '@',
      '.',
      '-',
      '_',
      ' is ',
      '>',
      '(',
      ',',
      '=>',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '\u200b',
      '\ufe0f',
      '\u00ad',
      '\u007f',
      '\u001b[1m',
      'ｐ',
      '：',
      '＝',
      '𝒳',
      '²',
      'é',
      '中',
      '🚀',
      '\ud83d',
      '\\n',
      '\\u0041',
      '\\"',
    ),
  },
  { weight: 2, arbitrary: fc.string({ minLength: 1, maxLength: 12 }) },
  { weight: 2, arbitrary: fc.oneof(tokenSample, contextSample).map(({ text }) => text) },
  { weight: 1, arbitrary: fc.stringMatching(/^[A-Za-z0-9]{8,40}$/) },
);
const leaf = fc.array(crumb, { maxLength: 8 }).map((all) => all.join(''));
/** A variable as lists of them have it, in either order. */
const pair = (value: fc.Arbitrary<string>): fc.Arbitrary<Record<string, string>> =>
  fc
    .tuple(
      fc.constantFrom('DB_PASSWORD', 'apiKey', 'x-api-key', 'npm_token', '密钥', 'PATH', 'tokens'),
      value,
      fc.constantFrom<readonly string[]>(['name', 'value'], ['Key', 'Value'], ['ParameterName', 'ParameterValue']),
      fc.constantFrom('', 'before', 'between', 'turned'),
    )
    .map(([name, text, [first = '', second = ''], order]): Record<string, string> => {
      if (order === 'turned') return { [second]: text, [first]: name };
      return order === 'between'
        ? { [first]: name, type: 'string', [second]: text }
        : { ...(order === 'before' ? { type: 'x' } : {}), [first]: name, [second]: text };
    });
const record = fc.record(
  {
    text: leaf,
    password: leaf,
    apiKey: leaf,
    list: fc.array(leaf, { maxLength: 3 }),
    nested: leaf.map((text) => JSON.stringify({ token: text })),
    密码: leaf,
    pair: pair(leaf),
    nestedPair: fc.tuple(pair(leaf), fc.constantFrom(undefined, 2), fc.boolean()).map(([one, indent, deep]) => {
      const json = JSON.stringify([one], null, indent);
      return deep ? JSON.stringify({ json }) : json;
    }),
  },
  { requiredKeys: [] },
);

describe('the prefilter', () => {
  it('passes over no line in which a rule finds a secret', () => {
    fc.assert(
      fc.property(
        fc.array(record, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(0, 0, 0, 7, 2),
        (records, every) => {
          const lines = records
            .map((one) => JSON.stringify(one))
            .map((json) => (every > 0 ? escapeSome(json, every) : json));
          for (const [i, hits] of scan(lines).entries()) {
            const line = lines[i] as string;
            const all = redact(line, EVERY_RULE);
            expect(hits.rules === null ? JSON.stringify(JSON.parse(line)) : redact(line, hits.rules)).toBe(all);
            expect(redact(line, ALL_RULES)).toBe(all);
          }
        },
      ),
      {
        numRuns: 800,
        examples: [[[{ nested: JSON.stringify({ token: `cookie:,API_TOKEN=${'A'.repeat(12)}ixNw39Bs` }) }], 0]],
      },
    );
  });

  it('names the rules whose anchor stands in a line, and no others', () => {
    const token = `ghp${'_'}${'a1B2c3D4'.repeat(5)}`;
    const [plain, hit, prose] = scan([
      '{"text":"nothing here"}',
      `{"text":"${token}"}`,
      '{"text":"the token is passed on, see tokens: 5"}',
    ]);
    expect(plain?.rules).toBeNull();
    expect(hit?.rules?.map((rule) => RULES[rule]?.type)).toEqual(['github-token']);
    expect(prose?.rules?.length ?? 0).toBeLessThanOrEqual(1);
  });

  it('sends lines with disguises to every rule, but not lines with ordinary foreign text', () => {
    const odd = ['a\u200bb', 'ｇｈｐ', 'a：b', '\\u200b', '\\u0067hp', 'x\u007fy', '𝗴𝗵𝗽', 'x\u2011y'];
    for (const hits of scan(odd.map((text) => `{"text":"${text}"}`))) expect(hits.rules).toBe(ALL_RULES);
    const usual = [
      '你好，世界：（好）',
      'naïve Zürich',
      '🚀 ❤️ 👩‍💻',
      '日本語 проверка',
      '\\u4e2d\\u6587',
      '\\ud83d\\ude80',
      '“quoted” – it’s…',
    ];
    for (const hits of scan(usual.map((text) => `{"text":"${text}"}`))) expect(hits.rules).toBeNull();
  });

  it('notices escapes that may be half a surrogate pair', () => {
    const lines = ['\\ud83d\\ude80', 'x \\ud83d', '\\ude80 x', '\\ud83d\\u0041', 'plain'].map(
      (text) => `{"text":"${text}"}`,
    );
    expect(scan(lines).map(({ surrogate }) => surrogate)).toEqual([false, true, true, true, false]);
  });

  it('keeps what lies in its memory when that grows', () => {
    const own = new Prefilter();
    own.reserve(16).set(encoder.encode('abc'));
    expect([...own.reserve(8 * 1024 * 1024).subarray(0, 3)]).toEqual([97, 98, 99]);
  });
});

describe('the plan of the prefilter', () => {
  const tables = Uint8Array.from(atob(NIBBLE_TABLES), (c) => c.charCodeAt(0));
  const passes = (window: Window): boolean => {
    let buckets = 0xff;
    window.forEach((byte, place) => {
      if (byte >= 0)
        buckets &= (tables[place * 32 + (byte & 15)] as number) & (tables[place * 32 + 16 + (byte >> 4)] as number);
    });
    return buckets !== 0;
  };

  it('fits the anchors of the rules (else run scripts/redaction-plan.ts)', () => {
    expect(WINDOW_OFFSETS).toHaveLength(ANCHORS.length);
    for (const [index, anchor] of ANCHORS.entries()) {
      const offset = Number.parseInt(WINDOW_OFFSETS.charAt(index), 36) - 1;
      expect(windowOffsets(anchor)).toContain(offset);
      expect(anchorWindows(anchor, offset).every(passes)).toBe(true);
    }
    expect(escapeWindows().every(passes)).toBe(true);
    expect(oddWindows().every(({ window }) => passes(window))).toBe(true);
  });

  it('takes no odd character for a usual one', () => {
    const usual = new RegExp(`^[${USUAL}]`);
    const wrong: string[] = [];
    for (const [first, last] of ODD_RANGES)
      for (let code = first; code <= last; code++)
        if (usual.test(String.fromCodePoint(code))) wrong.push(code.toString(16));
    expect(wrong).toEqual([]);
    expect(usual.test('\\')).toBe(false);
  });

  it('knows every character that a view changes', () => {
    const listed = (code: number): boolean => ODD_RANGES.some(([first, last]) => code >= first && code <= last);
    const missed: string[] = [];
    for (let code = 0; code < 0x110000; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      if (!listed(code) && fold(String.fromCodePoint(code)) !== String.fromCodePoint(code))
        missed.push(code.toString(16));
    }
    expect(missed).toEqual([]);
  });
});
