import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../src/shared/errors.ts';
import { compareFile, markFile, readSmallFile, walkFiles } from './files.ts';
import { readJsonl } from './jsonl.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sessionctl-files-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (...parts: string[]): string => join(root, ...parts);
const changeOf = (path: string, change: () => void): string => {
  const mark = unwrap(markFile(path));
  change();
  return unwrap(compareFile(JSON.parse(JSON.stringify(mark)), path));
};

describe('comparing a file with its mark', () => {
  it('tells what happened to it', () => {
    const path = at('a.jsonl');
    writeFileSync(path, '{"a":1}\n');
    expect(changeOf(path, () => undefined)).toBe('same');
    expect(changeOf(path, () => appendFileSync(path, '{"a":2}\n'))).toBe('grown');
    expect(changeOf(path, () => truncateSync(path, 8))).toBe('truncated');
    expect(changeOf(path, () => writeFileSync(path, '{"b":1}\n'.repeat(9)))).toBe('replaced');
    expect(changeOf(path, () => rmSync(path))).toBe('gone');
  });

  it('sees another file of equal size, and an edit in place', () => {
    const path = at('a.jsonl');
    writeFileSync(path, '{"a":1}\n');
    writeFileSync(at('b.jsonl'), '{"a":2}\n');
    expect(changeOf(path, () => renameSync(at('b.jsonl'), path))).toBe('replaced');
    const old = new Date('2026-05-04T10:00:00Z');
    utimesSync(path, old, old);
    expect(changeOf(path, () => writeFileSync(path, '{"a":3}\n'))).toBe('replaced');
  });

  it('sees growth of files that were smaller than the head, or empty', () => {
    const path = at('a.jsonl');
    writeFileSync(path, '');
    expect(changeOf(path, () => appendFileSync(path, 'x'.repeat(10_000)))).toBe('grown');
    expect(changeOf(path, () => appendFileSync(path, 'y'))).toBe('grown');
  });

  it('says why a file cannot be marked', () => {
    const result = markFile(at('none'));
    expect(result).toMatchObject({ ok: false, error: { code: 'source_unreadable', details: { errno: 'ENOENT' } } });
  });
});

describe('walking folders', () => {
  const walk = (maxDepth = 5): ReturnType<typeof walkFiles> =>
    walkFiles(root, { maxDepth, file: (name) => name.endsWith('.jsonl'), folder: (name) => name !== 'skip' });

  it('lists wanted files, sorted, with size and time, down to the given depth', async () => {
    mkdirSync(at('b', 'c'), { recursive: true });
    mkdirSync(at('skip'));
    for (const path of ['z.jsonl', 'b/1.jsonl', 'b/c/2.jsonl', 'b/note.txt', 'skip/3.jsonl'])
      writeFileSync(at(path), path);
    const { files, warnings } = await walk();
    expect(files.map(({ relative }) => relative)).toEqual(
      ['b/1.jsonl', 'b/c/2.jsonl', 'z.jsonl'].map((path) => join(path)),
    );
    expect(files[0]).toMatchObject({ path: at('b/1.jsonl'), bytes: 9, mtime_ms: statSync(at('b/1.jsonl')).mtimeMs });
    expect(warnings).toEqual([]);
    expect((await walk(1)).files.map(({ relative }) => relative)).toEqual([join('b/1.jsonl'), 'z.jsonl']);
  });

  it('gives nothing for a root that does not exist', async () => {
    rmSync(root, { recursive: true });
    expect(await walk()).toEqual({ files: [], warnings: [] });
  });

  it('follows links but ends in loops, with a warning', async () => {
    mkdirSync(at('a'));
    writeFileSync(at('a', '1.jsonl'), '');
    symlinkSync(root, at('a', 'loop'));
    mkdirSync(at('elsewhere', 'deep'), { recursive: true });
    writeFileSync(at('elsewhere', 'deep', '2.jsonl'), '');
    symlinkSync(at('elsewhere', 'deep', '2.jsonl'), at('linked.jsonl'));
    const { files, warnings } = await walk();
    expect(files.map(({ relative }) => relative)).toEqual([
      join('a/1.jsonl'),
      join('elsewhere/deep/2.jsonl'),
      'linked.jsonl',
    ]);
    expect(warnings).toMatchObject([{ about: 'unreadable-file', file: at('a', 'loop') }]);
  });

  it('warns about what it cannot read and goes on', async () => {
    symlinkSync(at('nowhere'), at('broken.jsonl'));
    writeFileSync(at('fine.jsonl'), '');
    const { files, warnings } = await walk();
    expect(files.map(({ relative }) => relative)).toEqual(['fine.jsonl']);
    expect(warnings).toMatchObject([{ about: 'unreadable-file', file: at('broken.jsonl') }]);
  });

  it('creates and changes nothing', async () => {
    writeFileSync(at('a.jsonl'), 'x');
    chmodSync(at('a.jsonl'), 0o400);
    await walk();
    unwrap(markFile(at('a.jsonl')));
    expect(readdirSync(root)).toEqual(['a.jsonl']);
  });
});

describe('reading a small file', () => {
  it('gives its bytes, or an error when it is too large or missing', () => {
    writeFileSync(at('side.txt'), 'text');
    expect(Buffer.from(unwrap(readSmallFile(at('side.txt'), 10))).toString()).toBe('text');
    expect(readSmallFile(at('side.txt'), 3)).toMatchObject({ ok: false, error: { code: 'source_unreadable' } });
    expect(readSmallFile(at('none'), 3)).toMatchObject({ ok: false, error: { details: { errno: 'ENOENT' } } });
  });
});

describe.skipIf(process.platform === 'win32')('a pipe where a file belongs', () => {
  it('is refused, and nobody waits for it', () => {
    execFileSync('mkfifo', [at('pipe')]);
    for (const read of [readSmallFile(at('pipe'), 100), markFile(at('pipe'))])
      expect(read).toMatchObject({ ok: false, error: { code: 'source_unreadable', details: { errno: 'EINVAL' } } });
    expect(() => readJsonl(at('pipe'), { redactor: null }).next()).toThrow('no file');
  });
});
