import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readText, textIfAny } from './open-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sessionctl-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a text beside the sessions', () => {
  it('is read whole', () => {
    writeFileSync(join(folder, 'a'), 'größer');
    expect(readText(join(folder, 'a'))).toBe('größer');
  });

  it('is not waited for where a pipe lies, nor read where it is far too large or not there', () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    writeFileSync(join(folder, 'large'), '');
    truncateSync(join(folder, 'large'), 1 << 30);
    for (const name of ['pipe', 'large', 'none', '.']) {
      expect(() => readText(join(folder, name))).toThrow();
      expect(textIfAny(join(folder, name))).toBe('');
    }
  });
});
