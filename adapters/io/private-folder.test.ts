import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { privateFolder } from './private-folder.ts';

let parent = '';
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'private-folder-'));
});
afterAll(() => rm(parent, { recursive: true }));

describe('a private folder', () => {
  it('takes away what a killed process left under the same name, and nothing else', async () => {
    const { pid: dead } = spawnSync('true');
    for (const name of [`work-${dead}-abc`, `other-${dead}-abc`, 'work-notes', `work-${process.ppid}-abc`]) {
      await mkdir(join(parent, name));
      await writeFile(join(parent, name, 'clear.txt'), 'x');
    }
    const made = await privateFolder(parent, 'work');
    expect((await stat(made)).mode & 0o777).toBe(0o700);
    expect((await readdir(parent)).sort()).toEqual(
      [basename(made), `other-${dead}-abc`, 'work-notes', `work-${process.ppid}-abc`].sort(),
    );
  });
});
