import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Redactor } from '../../src/core/redact/redactor.ts';
import { propertyRuns } from '../testing/property-runs.ts';
import { type JsonlEnd, type JsonlLine, type JsonlOptions, readJsonl } from './jsonl.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sessionctl-jsonl-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const redactor = (): Redactor => new Redactor({ key: new Uint8Array(32) });
const SECRET = `ghp${'_'}${'a1B2c3D4'.repeat(5)}`;

function drain(path: string, options: Partial<JsonlOptions> = {}): { lines: JsonlLine[]; end: JsonlEnd } {
  const lines: JsonlLine[] = [];
  const reading = readJsonl(path, { redactor: redactor(), ...options });
  for (let step = reading.next(); ; step = reading.next()) {
    if (step.done === true) return { lines, end: step.value };
    lines.push(...step.value);
  }
}

function read(
  content: string | Uint8Array,
  options: Partial<JsonlOptions> = {},
): { lines: JsonlLine[]; end: JsonlEnd } {
  const path = join(folder, 'session.jsonl');
  writeFileSync(path, content);
  return drain(path, options);
}

const summary = (lines: readonly JsonlLine[]): [line: number, about: string][] =>
  lines.flatMap(({ line, damage }) => damage.map(({ about }): [number, string] => [line, about]));
const records = (lines: readonly JsonlLine[]): unknown[] => lines.flatMap((line) => line.records);
const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));

const user = (n: number): Record<string, unknown> => ({
  type: 'user',
  uuid: `u${n}`,
  message: { role: 'user', content: `line ${n}` },
});
const jsonl = (...all: unknown[]): string => all.map((one) => `${JSON.stringify(one)}\n`).join('');

describe('reading sound JSONL', () => {
  it('gives each record with its line and byte range', () => {
    const { lines, end } = read(jsonl(user(1), user(2)));
    expect(records(lines)).toEqual([user(1), user(2)]);
    const first = JSON.stringify(user(1)).length;
    expect(lines.map(({ line, offset, end }) => [line, offset, end])).toEqual([
      [1, 0, first],
      [2, first + 1, 2 * first + 1],
    ]);
    expect(end).toEqual({ cursor: { offset: 2 * first + 2, line: 2 }, pending: null });
  });

  it('tolerates a byte order mark, CRLF, blank lines and a missing last line feed', () => {
    const { lines, end } = read(`\ufeff${JSON.stringify(user(1))}\r\n\r\n\n  \n${JSON.stringify(user(2))}`);
    expect(records(lines)).toEqual([user(1), user(2)]);
    expect(lines.map(({ line }) => line)).toEqual([1, 5]);
    expect(summary(lines)).toEqual([]);
    expect(end.pending).toBeNull();
  });

  it('splits on LF bytes alone, not on what Unicode calls a line', () => {
    const record = { text: 'a\u2028b\u2029c\u0085d\u000be' };
    expect(records(read(`${JSON.stringify(record)}\n`).lines)).toEqual([record]);
  });

  it('reads any records in chunks of any size', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { maxLength: 12 }),
        fc.integer({ min: 1, max: 64 }),
        fc.boolean(),
        (values, chunkBytes, last) => {
          const all = values.map((value) => ({ value }));
          const text = jsonl(...all);
          const { lines, end } = read(last ? text : text.slice(0, -1), { chunkBytes, redactor: null });
          expect(JSON.stringify(records(lines))).toBe(JSON.stringify(all));
          expect(end.pending).toBeNull();
        },
      ),
      propertyRuns(200, 411),
    );
  });

  it('redacts records and says so', () => {
    const { lines } = read(jsonl({ text: `my token ${SECRET}` }, { text: 'none' }, { text: 'g\u200bhp' }));
    expect(records(lines)).toEqual([
      { text: 'my token [REDACTED:github-token:1]' },
      { text: 'none' },
      { text: 'g\u200bhp' },
    ]);
    expect(lines.map(({ redacted }) => redacted)).toEqual([true, false, false]);
  });

  it('gives nothing for an empty file', () => {
    expect(read('')).toEqual({ lines: [], end: { cursor: { offset: 0, line: 0 }, pending: null } });
  });
});

describe('reading damaged JSONL', () => {
  it('lets a torn last line wait and goes on there later', () => {
    const torn = JSON.stringify({ ...user(3), note: SECRET });
    const path = join(folder, 'growing.jsonl');
    writeFileSync(path, jsonl(user(1), user(2)) + torn.slice(0, -8));
    const first = drain(path);
    expect(records(first.lines)).toEqual([user(1), user(2)]);
    expect(first.end.pending).toMatchObject({ about: 'truncated-line', line: 3, bytes: torn.length - 8 });
    expect(first.end.pending?.raw).toContain('"uuid":"u3"');
    expect(first.end.pending?.raw).not.toContain(SECRET.slice(0, 12));
    writeFileSync(path, `${jsonl(user(1), user(2))}${torn}\n${JSON.stringify(user(4))}`);
    const second = drain(path, { from: first.end.cursor });
    expect(second.lines.map(({ line }) => line)).toEqual([3, 4]);
    // The fourth record came without its line feed; the next one is counted right all the same.
    writeFileSync(path, `${jsonl(user(1), user(2))}${torn}\n${jsonl(user(4), user(5))}`);
    const third = drain(path, { from: second.end.cursor });
    expect(third.lines.map(({ line, records }) => [line, records])).toEqual([[5, [user(5)]]]);
  });

  it('takes a record that was appended to a line without line feed', () => {
    const path = join(folder, 'glued-later.jsonl');
    writeFileSync(path, JSON.stringify(user(1)));
    const first = drain(path);
    writeFileSync(path, JSON.stringify(user(1)) + jsonl(user(2)));
    expect(drain(path, { from: first.end.cursor }).lines.map(({ line, records }) => [line, records])).toEqual([
      [1, [user(2)]],
    ]);
  });

  it('does not wait for a line feed when the last line is nothing but complete records', () => {
    const glued = JSON.stringify(user(2)) + JSON.stringify(user(3));
    const { lines, end } = read(jsonl(user(1)) + glued);
    expect(records(lines)).toEqual([user(1), user(2), user(3)]);
    expect([summary(lines), end.pending]).toEqual([[[2, 'glued-line']], null]);
    expect(read(`${jsonl(user(1))}${glued}{"type":"us`).end.pending).toMatchObject({ line: 2 });
  });

  it('passes over bad lines in the middle and names each', () => {
    const { lines } = read(
      `${jsonl(user(1))}{"type":"snapshot","files":{"src/w\n${jsonl(user(2))}not json ${SECRET}\n${jsonl(user(3))}`,
    );
    expect(records(lines)).toEqual([user(1), user(2), user(3)]);
    expect(summary(lines)).toEqual([
      [2, 'malformed-line'],
      [4, 'malformed-line'],
    ]);
    expect(lines[1]?.damage[0]?.raw).toBe('{"type":"snapshot","files":{"src/w');
    expect(lines[3]?.damage[0]?.raw).toBe('not json [REDACTED:github-token:1]');
  });

  it('recovers a record behind the stub of another', () => {
    const whole = { ...user(2), message: { role: 'user', content: [{ type: 'text', text: 'a {"b":1} }{ \\" c' }] } };
    for (const stub of [
      '{"type":"pr-link","sessionId":"s","prNu',
      '{"a":{"b":[1,2',
      '{"text":"half a sen',
      '{"a":',
      '{',
      '}',
    ]) {
      const { lines } = read(`${jsonl(user(1))}${stub}${JSON.stringify(whole)}\n${jsonl(user(3))}`);
      expect(records(lines)).toEqual([user(1), whole, user(3)]);
      expect(summary(lines)).toEqual([[2, 'glued-line']]);
      expect(lines[1]?.damage[0]?.raw).toBe(stub);
    }
  });

  it('recovers several records on one line, and those before a stub', () => {
    const two = read(`${JSON.stringify(user(1))}${JSON.stringify(user(2))}\n`);
    expect(records(two.lines)).toEqual([user(1), user(2)]);
    expect(summary(two.lines)).toEqual([[1, 'glued-line']]);
    const torn = read(`${JSON.stringify(user(1))}{"type":"us\n${jsonl(user(2))}`);
    expect(records(torn.lines)).toEqual([user(1), user(2)]);
    expect(torn.lines[0]?.damage).toMatchObject([{ about: 'glued-line', raw: '{"type":"us' }]);
  });

  it('does not take an inner part of a broken record for a record', () => {
    for (const broken of [
      '{"snapshot":{"trackedFileBackups":{}',
      '{"message":{"role":"user","content":"x"}',
      '{"list":[{"type":"text"}',
      '[{"type":"text"}',
    ]) {
      const { lines } = read(`${broken}\n`);
      expect(records(lines)).toEqual([]);
      expect(summary(lines)).toEqual([[1, 'malformed-line']]);
    }
  });

  it('keeps a line that is nested too deep to be worked on as damage, and reads on', () => {
    const nested = (open: string, close: string, levels: number): string =>
      `{"type":"user","x":${open.repeat(levels)}1${close.repeat(levels)}}`;
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
      ['{"a":[', ']}'],
    ] as const) {
      const bad = nested(open, close, 200_000);
      const { lines } = read(`${jsonl(user(1))}${bad}\n${jsonl(user(2))}`);
      expect(records(lines)).toEqual([user(1), user(2)]);
      expect(summary(lines)).toEqual([[2, 'malformed-line']]);
      expect(lines[1]?.damage[0]?.raw).toBe(bad);
      expect(lines[1]?.damage[0]?.detail).toContain('nested deeper');
      expect(read(`${nested(open, close, 200)}\n`).lines[0]?.damage).toEqual([]);
    }
  });

  it('ends soon on hostile lines', () => {
    const { lines } = read(`${'{"a":'.repeat(20_000)}\n${'{"'.repeat(20_000)}\n${jsonl(user(1))}`);
    expect(records(lines)).toEqual([user(1)]);
    expect(summary(lines)).toEqual([
      [1, 'malformed-line'],
      [2, 'malformed-line'],
    ]);
  });

  it('loses only the line with invalid UTF-8, and keeps its record when that can be read', () => {
    const { lines } = read(
      bytes(jsonl(user(1)), '{"text":"\u6f6e ', [0xe6], '\n', '{"text":"ok ', [0xff], '"}\n', jsonl(user(2))),
    );
    expect(records(lines)).toEqual([user(1), { text: 'ok \ufffd' }, user(2)]);
    expect(summary(lines)).toEqual([
      [2, 'invalid-utf8'],
      [3, 'invalid-utf8'],
    ]);
    expect(lines[1]?.damage[0]?.raw).toContain('\u6f6e');
    expect(lines[2]?.damage[0]?.raw).toBeUndefined();
  });

  it('replaces half surrogate pairs, escaped or raw, everywhere, and keeps whole ones', () => {
    const line = '{"a":"x \\ud83d\\ude00 \\ud83c","\\udc00k":["\\udc4d"],"pair":"\\ud83c\\udf4f"}';
    const { lines } = read(
      bytes(`${line}\n`, '{"raw":"', [0xed, 0xa0, 0xbd], '","both":"', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80], '"}\n'),
    );
    expect(records(lines)).toEqual([
      { a: 'x \u{1f600} \ufffd', '\ufffdk': ['\ufffd'], pair: '\u{1f34f}' },
      { raw: '\ufffd', both: '\u{1f600}' },
    ]);
    expect(summary(lines)).toEqual([
      [1, 'lone-surrogate'],
      [2, 'lone-surrogate'],
    ]);
    expect(records(read(`${line}\n`, { redactor: null }).lines)).toEqual(records(lines).slice(0, 1));
  });

  it('leaves NUL bytes out, with a warning', () => {
    const { lines, end } = read(
      bytes(
        jsonl(user(1)),
        new Array(5000).fill(0),
        '\n',
        new Array(3).fill(0),
        jsonl(user(2)),
        '{"a":"b',
        [0],
        'c"}\n',
      ),
    );
    expect(records(lines)).toEqual([user(1), user(2), { a: 'bc' }]);
    expect(summary(lines)).toEqual([
      [2, 'nul-bytes'],
      [3, 'nul-bytes'],
      [4, 'nul-bytes'],
    ]);
    expect(end.cursor.line).toBe(4);
  });

  it('passes over a line that is longer than allowed, and counts on', () => {
    const long = JSON.stringify({ text: 'x'.repeat(5000) });
    const { lines, end } = read(`${jsonl(user(1))}${long}\n${jsonl(user(2))}`, { chunkBytes: 64, maxLineBytes: 1000 });
    expect(records(lines)).toEqual([user(1), user(2)]);
    expect(lines.map(({ line }) => line)).toEqual([1, 2, 3]);
    expect(lines[1]).toMatchObject({
      damage: [{ about: 'malformed-line' }],
      end: (lines[1]?.offset ?? 0) + long.length,
    });
    expect(end.cursor.line).toBe(3);
  });

  it('never throws on any bytes, and reads on behind them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 40 }), (noise, chunkBytes) => {
        const { lines } = read(Buffer.concat([noise, Buffer.from(`\n${jsonl(user(9))}`)]), { chunkBytes });
        expect(records(lines).at(-1)).toEqual(user(9));
      }),
      propertyRuns(300, 412),
    );
  });

  it('finds every record again that was glued, torn or padded', () => {
    const damage = fc.constantFrom<(json: string) => string>(
      (json) => json,
      (json) => `{"stub":"cut he${json}`,
      (json) => `\0\0${json}`,
      (json) => `${json}{"torn":`,
      (json) => `${json}   `,
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), damage), { maxLength: 8 }), (parts) => {
        const all = parts.map(([text], i) => ({
          type: 'user',
          uuid: `u${i}`,
          message: { content: text.toWellFormed() },
        }));
        const text = parts.map(([, hurt], i) => `${hurt(JSON.stringify(all[i]))}\n`).join('');
        expect(records(read(text, { redactor: null }).lines)).toEqual(all);
      }),
      propertyRuns(300, 413),
    );
  });
});
