import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/core/hash.ts';
import { fileSha256 } from './file-hash.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hash-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the hash of a file', () => {
  it('is that of its bytes, of its first ones, or none', async () => {
    writeFileSync(join(folder, 'a'), 'abc');
    expect(await fileSha256(join(folder, 'a'))).toBe(sha256Hex('abc'));
    expect(await fileSha256(join(folder, 'a'), 1)).toBe(sha256Hex('a'));
    expect(await fileSha256(join(folder, 'b'))).toBeNull();
  });

  it('is refused where something else stands, without waiting for it', async () => {
    mkdirSync(join(folder, 'folder'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (const name of ['folder', 'pipe'])
      await expect(fileSha256(join(folder, name))).rejects.toMatchObject({ error: { code: 'target_exists' } });
  });
});
