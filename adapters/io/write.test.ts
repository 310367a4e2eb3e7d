import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import * as real from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppFailure, type Result, unwrap } from '../../src/shared/errors.ts';
import { createPrivateFile, type PrivateFile, type PrivateFileOptions, type WriteFs } from './write.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sessionctl-write-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (...parts: string[]): string => join(root, ...parts);
const everything = (): string[] => readdirSync(root, { recursive: true }).map(String).sort();
const start = async (path: string, options?: PrivateFileOptions): Promise<PrivateFile> =>
  unwrap(await createPrivateFile(path, options));

const failWith = (code: string): Error => Object.assign(new Error(code), { code });

/** The real file system, but every file handle writes through `write`. */
function faulty(
  write: (handle: real.FileHandle, data: Uint8Array, at: number, length: number) => Promise<number>,
): WriteFs {
  return {
    ...real,
    open: (async (path: string, flags: string, mode?: number) => {
      const handle = await real.open(path, flags, mode);
      handle.write = (async (data: Uint8Array, offset: number, length: number) => ({
        bytesWritten: await write(handle, data, offset, length),
        buffer: data,
      })) as typeof handle.write;
      return handle;
    }) as typeof real.open,
  };
}

async function outcome(run: () => Promise<Result<unknown>>): Promise<string> {
  try {
    const result = await run();
    return result.ok ? 'ok' : result.error.code;
  } catch (thrown) {
    return thrown instanceof AppFailure ? thrown.error.code : String(thrown);
  }
}

describe('writing a private file', () => {
  it('appears whole under its name, private, with its size and hash', async () => {
    const file = await start(at('new', 'deep', 's.jsonl'), { bufferBytes: 8 });
    await file.write('{"a":"é"}\n');
    await file.write(Buffer.from('{"b":1}\n'));
    expect(statSync(file.temp).mode & 0o777).toBe(0o600);
    const sealed = unwrap(await file.seal());
    expect(readFileSync(sealed.temp, 'utf8')).toBe('{"a":"é"}\n{"b":1}\n');
    expect(everything()).not.toContain(join('new', 'deep', 's.jsonl'));
    expect(unwrap(await file.commit())).toEqual(sealed);
    const text = readFileSync(at('new', 'deep', 's.jsonl'));
    expect(sealed).toMatchObject({ bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') });
    expect(everything()).toEqual(['new', join('new', 'deep'), join('new', 'deep', 's.jsonl')]);
    expect(statSync(at('new', 'deep', 's.jsonl')).mode & 0o777).toBe(0o600);
    expect(statSync(at('new', 'deep')).mode & 0o777).toBe(0o700);
  });

  it('is private whatever the umask', async () => {
    const before = process.umask(0);
    try {
      const file = await start(at('d', 'open.jsonl'));
      expect(statSync(file.temp).mode & 0o777).toBe(0o600);
      unwrap(await file.commit());
      expect(statSync(at('d')).mode & 0o777).toBe(0o700);
    } finally {
      process.umask(before);
    }
  });

  it('keeps many small and a few large writes in order', async () => {
    const file = await start(at('many.jsonl'), { bufferBytes: 1000 });
    let text = '';
    for (let i = 0; i < 5000; i++) {
      const line = i % 1000 === 0 ? 'x'.repeat(70_000) : `{"i":${i}}\n`;
      text += line;
      await file.write(line);
    }
    unwrap(await file.commit());
    expect(readFileSync(at('many.jsonl'), 'utf8')).toBe(text);
  });

  it('finishes short writes', async () => {
    const fs = faulty(async (handle, data, offset, length) => {
      const part = Math.min(3, length);
      await handle.appendFile(data.subarray(offset, offset + part));
      return part;
    });
    const file = await start(at('short.jsonl'), { fs });
    await file.write('0123456789\n');
    unwrap(await file.commit());
    expect(readFileSync(at('short.jsonl'), 'utf8')).toBe('0123456789\n');
  });
});

describe('what is already there', () => {
  it('is never replaced', async () => {
    writeFileSync(at('s.jsonl'), 'old');
    expect(await outcome(() => createPrivateFile(at('s.jsonl')))).toBe('target_exists');
    rmSync(at('s.jsonl'));
    const file = await start(at('s.jsonl'));
    await file.write('new');
    writeFileSync(at('s.jsonl'), 'came first');
    expect(await outcome(() => file.commit())).toBe('target_exists');
    expect(readFileSync(at('s.jsonl'), 'utf8')).toBe('came first');
    expect(everything()).toEqual(['s.jsonl']);
  });

  it('is refused below a link to a folder that is not there', async () => {
    symlinkSync(at('nowhere'), at('link'));
    expect(await outcome(() => createPrivateFile(at('link', 'a', 'b', 'c')))).toContain('write_failed');
    expect(everything()).toEqual(['link']);
  });

  it('is refused as what it is where its name is too long', async () => {
    expect(await outcome(() => createPrivateFile(at('x'.repeat(300), 'y')))).toContain('write_failed');
    expect(await outcome(() => createPrivateFile(at('x'.repeat(300))))).toContain('write_failed');
  });

  it('is never replaced on a file system without hard links either', async () => {
    const fs: WriteFs = { ...real, link: () => Promise.reject(failWith('EPERM')) };
    const file = await start(at('s.jsonl'), { fs });
    await file.write('new');
    unwrap(await file.commit());
    expect(readFileSync(at('s.jsonl'), 'utf8')).toBe('new');
    const late = await start(at('t.jsonl'), { fs });
    writeFileSync(at('t.jsonl'), 'came first');
    expect(await outcome(() => late.commit())).toBe('target_exists');
    expect(everything()).toEqual(['s.jsonl', 't.jsonl']);
  });

  it('does not stop two writers of different files in one folder', async () => {
    const [a, b] = [await start(at('d', 'a')), await start(at('d', 'b'))];
    unwrap(await a.commit());
    await b.abort();
    expect(everything()).toEqual(['d', join('d', 'a')]);
  });
});

describe('a write that fails', () => {
  const FAULTS: Record<string, WriteFs> = {
    'a full disk': faulty(() => Promise.reject(failWith('ENOSPC'))),
    'a disk that takes nothing': faulty(() => Promise.resolve(0)),
    'a folder that cannot be made': {
      ...real,
      mkdir: (() => Promise.reject(failWith('EACCES'))) as WriteFs['mkdir'],
    },
    'a name that cannot be given': {
      ...real,
      link: () => Promise.reject(failWith('EPERM')),
      rename: () => Promise.reject(failWith('EIO')),
    },
    'a sync that fails': {
      ...real,
      open: (async (path: string, flags: string, mode?: number) => {
        const handle = await real.open(path, flags, mode);
        handle.sync = () => Promise.reject(failWith('EIO'));
        return handle;
      }) as typeof real.open,
    },
  };

  it.each(Object.entries(FAULTS))('says so and leaves nothing behind: %s', async (_, fs) => {
    const run = async (): Promise<Result<unknown>> => {
      const made = await createPrivateFile(at('x', 'y', 's.jsonl'), { fs, bufferBytes: 4 });
      if (!made.ok) return made;
      await made.value.write('0123456789');
      return made.value.commit();
    };
    expect(await outcome(run)).toBe('write_failed');
    expect(everything()).toEqual([]);
  });

  it('leaves folders that were there, or that hold something', async () => {
    mkdirSync(at('x'));
    const file = await start(at('x', 'y', 's.jsonl'));
    writeFileSync(at('x', 'y', 'other'), '');
    await file.abort();
    await file.abort();
    expect(everything()).toEqual(['x', join('x', 'y'), join('x', 'y', 'other')]);
    expect(await outcome(() => file.commit())).toBe('write_failed');
  });
});
