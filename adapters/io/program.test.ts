import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
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

  it('is asked in a home of its own, of which nothing stays, and is told nothing of the user but the language', async () => {
    const said = join(home, 'said');
    await put('own', `echo "1.0.$QUIET"; touch "$HOME/made" made; pwd > "${said}"; env >> "${said}"`);
    const path = `${join(home, 'own')}:/usr/bin:/bin`;
    const env = { PATH: path, LANG: 'C.UTF-8', XDG_DATA_HOME: join(home, 'data'), AGENT_HOME: home, SOME_API_KEY: 'x' };
    expect(await findProgram('agent', { home, env }, { env: { QUIET: '7' } })).toMatchObject({ version: '1.0.7' });
    const [folder, ...told] = (await readFile(said, 'utf8')).split('\n');
    expect(existsSync(folder!)).toBe(false);
    expect(told).toContain(`HOME=${folder}`);
    expect(told).toContain('LANG=C.UTF-8');
    expect(told.filter((line) => /XDG|AGENT|KEY/.test(line) || line.endsWith(`=${home}`))).toEqual([]);
    expect((await readdir(home)).sort()).toEqual(['own', 'said']);
  });

  it('is not started where its package tells the version', async () => {
    const started = join(home, 'started');
    const script = `touch "${started}"; echo 9.9.9`;
    const file = await put('lib/node_modules/@some/agent/bin/deep', script);
    await writeFile(
      join(home, 'lib/node_modules/@some/agent/package.json'),
      '{"name":"@some/agent","version":"1.2.3"}',
    );
    await mkdir(join(home, 'bin'));
    await symlink(file, join(home, 'bin', 'agent'));
    const npm = { package: { npm: ['agent', '@some/agent'] } };
    expect(await find(join(home, 'bin'), npm)).toEqual({ path: join(home, 'bin', 'agent'), version: '1.2.3' });

    await put('venv/bin', script);
    await mkdir(join(home, 'venv/lib/python3.12/site-packages/some_agent-0.86.2.dist-info'), { recursive: true });
    expect(await find(join(home, 'venv/bin'), { package: { python: 'some_agent' } })).toMatchObject({
      version: '0.86.2',
    });

    await rename(await put('share/versions', script), join(home, 'share/versions/2.1.332'));
    await mkdir(join(home, 'local'));
    await symlink(join(home, 'share/versions/2.1.332'), join(home, 'local/agent'));
    expect(await find(join(home, 'local'))).toMatchObject({ version: '2.1.332' });
    expect(existsSync(started)).toBe(false);
    expect(await find(join(home, 'bin'), { package: { npm: ['another'] } })).toMatchObject({ version: '9.9.9' });
  });
});
