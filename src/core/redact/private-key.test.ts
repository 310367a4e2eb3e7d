import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redactor } from './redactor.ts';
import { begin, end, fragmentIn, privateKey } from './testing/secret-samples.ts';

const redactor = (): Redactor => new Redactor({ key: new Uint8Array(32) });

type Block = { kind: string; lines: string[] };
const whole = ({ kind, lines }: Block, lineBreak: string): string => [begin(kind), ...lines, end(kind)].join(lineBreak);

/** The shapes in which sessions hold keys. */
const SHAPES: Record<string, (block: Block) => unknown> = {
  'with line breaks': (block) => whole(block, '\n'),
  'with CRLF': (block) => whole(block, '\r\n'),
  'indented in YAML': (block) => `key: |\n    ${whole(block, '\n    ')}\nother: kept`,
  'with the line numbers of cat -n': (block) =>
    whole(block, '\n')
      .split('\n')
      .map((line, i) => `${String(i + 1).padStart(6)}\t${line}`)
      .join('\n'),
  'with the arrows of a file viewer': (block) =>
    whole(block, '\n')
      .split('\n')
      .map((line, i) => `${i + 1}→${line}`)
      .join('\n'),
  'found by grep': (block) =>
    whole(block, '\n')
      .split('\n')
      .map((line, i) => `keys/id.pem:${i + 1}:${line}`)
      .join('\n'),
  'in a diff': (block) =>
    `@@ -0,0 +1 @@\n${whole(block, '\n')
      .split('\n')
      .map((line) => `+${line}`)
      .join('\n')}\n context`,
  'with escaped line breaks in JSON': (block) =>
    JSON.stringify({ type: 'service_account', private_key: `${whole(block, '\n')}\n`, next: 'kept' }),
  'escaped twice': (block) =>
    JSON.stringify({ body: JSON.stringify({ private_key: whole(block, '\n') }), next: 'kept' }),
  'on one line': (block) => `echo '${whole(block, '')}' > k`,
  'on one line with spaces': (block) => `KEY="${whole(block, ' ')}" run`,
  'concatenated in source code': (block) => `const k = "${whole(block, '\\n" +\n  "')}";`,
  'as a list of lines in JSON': (block) => JSON.stringify({ lines: whole(block, '\n').split('\n') }),
  'cut before its end': ({ kind, lines }) => `head -4 id\n${[begin(kind), ...lines.slice(0, -1)].join('\n')}`,
  'cut within a line': ({ kind, lines }) => [begin(kind), lines[0], lines[1]?.slice(0, 41)].join('\n'),
  'cut, on one line': ({ kind, lines }) => `k='${begin(kind)}${lines.slice(0, 2).join('')}`,
  'without its beginning': ({ kind, lines }) =>
    `${[lines[0]?.slice(23), ...lines.slice(1), end(kind)].join('\n')} (done)`,
  'split over two blocks': ({ kind, lines }) => [
    { type: 'text', text: `Plain: ${[begin(kind), lines[0], lines[1]?.slice(0, 23)].join('\n')}` },
    { type: 'text', text: `${[lines[1]?.slice(23), ...lines.slice(2), end(kind)].join('\n')} (kept)` },
  ],
  'split over three blocks': ({ kind, lines }) => [
    { text: [begin(kind), lines[0]].join('\n') },
    { text: lines.slice(1, -1).join('\n') },
    { text: [lines.at(-1), end(kind)].join('\n') },
  ],
  'as the lines of a patch': (block) => ({
    lines: whole(block, '\n')
      .split('\n')
      .map((line) => `+${line}`),
  }),
  'with the headers of an encrypted key': ({ kind, lines }) =>
    [begin(kind), 'Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-128-CBC,AB12', '', ...lines, end(kind)].join('\n'),
};

describe('redacting private keys', () => {
  it.each(Object.entries(SHAPES))('removes every line of a key %s', (_, shape) => {
    fc.assert(
      fc.property(privateKey, (block) => {
        const out = JSON.stringify(redactor().record(structuredClone(shape(block))));
        for (const line of block.lines) expect(fragmentIn(out, line, 16)).toBeNull();
        expect(out).toContain('[REDACTED:private-key:1]');
      }),
      { numRuns: 60 },
    );
  });

  it('keeps what stands around a key, and JSON valid', () => {
    const block = { kind: 'PRIVATE KEY', lines: ['QUJD'.repeat(16), 'R0hJ'.repeat(16)] };
    const json = redactor().text(SHAPES['with escaped line breaks in JSON']?.(block) as string);
    expect(JSON.parse(json)).toMatchObject({ type: 'service_account', next: 'kept' });
    const twice = redactor().text(SHAPES['escaped twice']?.(block) as string);
    expect(JSON.parse((JSON.parse(twice) as { body: string }).body)).toEqual({
      private_key: '[REDACTED:private-key:1]',
    });
    const [, second] = redactor().record(SHAPES['split over two blocks']?.(block) as { text: string }[]);
    expect(second?.text).toMatch(/\(kept\)$/);
    expect(redactor().text(SHAPES['indented in YAML']?.(block) as string)).toMatch(/^key: \|\n.*\nother: kept$/s);
  });

  it('gives a key one number, whatever its shape', () => {
    const block = { kind: 'RSA PRIVATE KEY', lines: ['QUJD'.repeat(16), 'R0hJ'.repeat(16), 'S0xN'.repeat(8)] };
    const one = redactor();
    for (const shape of [
      'with line breaks',
      'with escaped line breaks in JSON',
      'on one line',
      'with the line numbers of cat -n',
    ])
      one.record(SHAPES[shape]?.(block));
    expect(Object.values(one.state().seen)).toEqual(['private-key:1']);
  });

  it('leaves public keys, certificates and talk about keys alone', () => {
    const body = ['QUJD'.repeat(16), 'R0hJ'.repeat(16)].join('\n');
    for (const kind of ['PUBLIC KEY', 'CERTIFICATE', 'RSA PUBLIC KEY', 'PGP PUBLIC KEY BLOCK', 'SSH2 PUBLIC KEY']) {
      const text = `-----BEGIN ${kind}-----\n${body}\n-----END ${kind}-----`;
      expect(redactor().text(text)).toBe(text);
    }
    const prose = `A key begins with "${begin('PRIVATE KEY')}" and ends with "${end('PRIVATE KEY')}". The parser reads both.`;
    expect(redactor().text(prose)).toBe(prose);
    const record = [
      { text: `It starts with ${begin('EC PRIVATE KEY')}` },
      { text: 'assistant' },
      { text: 'The next paragraph is prose.' },
    ];
    expect(redactor().record(structuredClone(record))).toEqual(record);
  });
});
