import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findProgram } from './program.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'program-'));
});
afterEach(() => rm(home, { recursive: true }));

async function put(folder: string, script: string): Promise<string> {
  await mkdir(join(home, folder), { recursive: true });
  const path = join(home, folder, 'agent');
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

const find = (path: string, more = {}) => findProgram('agent', { home, env: { PATH: path } }, more);

describe('an agent’s program', () => {
  it('is found by PATH, then in the folders of its installer, and asked for its version', async () => {
    await mkdir(join(home, 'no', 'agent'), { recursive: true });
    const path = await put('own', 'echo "agent 1.2.3-beta.4 ($HOME)" >&2');
    const folders = [join(home, 'own')];
    expect(await find(join(home, 'no'))).toBeNull();
    expect(await find(`${join(home, 'no')}:${join(home, 'gone')}`, { folders })).toEqual({
      path,
      version: '1.2.3-beta.4',
    });
  });

  it('is never taken from a relative folder, which depends on where we are', async () => {
    await put('own', 'echo 1.2.3');
    expect(await find(relative(process.cwd(), join(home, 'own')))).toBeNull();
  });

  it('has no version when it fails, says nothing of the kind, or does not answer', async () => {
    for (const [folder, script] of [
      ['fails', 'echo 1.2.3; exit 1'],
      ['silent', 'echo hello'],
      ['hangs', 'while :; do :; done'],
    ] as const) {
      const path = await put(folder, script);
      expect(await find(join(home, folder), { timeoutMs: 200 })).toEqual({ path, version: null });
    }
  });

  it('gets its variables and the home that is asked about', async () => {
    await put('own', `echo "1.0.$QUIET"; test "$HOME" = "${home}"`);
    expect(await find(join(home, 'own'), { env: { QUIET: '7' } })).toMatchObject({ version: '1.0.7' });
  });
});
