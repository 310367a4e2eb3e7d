import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chmod, mkdir, mkdtemp, readFile, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../shared/errors.ts';
import { readWorkspace } from './read-workspace.ts';

let root: string;
let folder: string;
let env: { home: string; env: Record<string, string | undefined> };
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'workspace-')));
  folder = join(root, 'project');
  await mkdir(folder);
  env = { home: root, env: { PATH: process.env.PATH } };
});
afterEach(() => rm(root, { recursive: true, force: true }));

const AT = 1_795_900_000;
const read = async (files: string[] = []) => unwrap(await readWorkspace(env, folder, files, AT));

/** Git as a user runs it, with none of his settings. */
function git(...args: string[]): string {
  const identity = ['-c', 'user.name=dev', '-c', 'user.email=dev@example.test', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...identity, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

async function repository(): Promise<void> {
  git('init');
  await writeFile(join(folder, 'a.ts'), 'one\n');
  await writeFile(join(folder, 'b.ts'), 'two\n');
  git('add', '.');
  git('commit', '-m', 'first');
}

describe('a folder', () => {
  it('tells branch, commit, what is not committed, and what was changed last', async () => {
    await repository();
    await writeFile(join(folder, 'a.ts'), 'one more\n');
    await writeFile(join(folder, 'new file.ts'), 'new\n');
    await utimes(join(folder, 'a.ts'), AT - 50, AT - 50);
    await utimes(join(folder, 'new file.ts'), AT - 10, AT - 10);
    await utimes(join(folder, 'b.ts'), AT - 90, AT - 90);
    expect(await read([join(folder, 'b.ts'), 'gone.ts', '/etc/passwd'])).toEqual({
      folder,
      at: AT,
      git: {
        branch: 'main',
        head: git('rev-parse', 'HEAD').trim(),
        changed: [
          { state: 'M', path: 'a.ts' },
          { state: '??', path: 'new file.ts' },
        ],
        isWhole: true,
      },
      why: null,
      recent: [
        { path: 'new file.ts', at: AT - 10 },
        { path: 'a.ts', at: AT - 50 },
        { path: 'b.ts', at: AT - 90 },
      ],
      missing: ['gone.ts'],
    });
  });

  it('without git, or without a repository, tells its files and why there is no more', async () => {
    await writeFile(join(folder, 'a.ts'), 'one\n');
    expect(await read(['a.ts'])).toMatchObject({ git: null, why: 'no git repository', recent: [{ path: 'a.ts' }] });
    env = { home: root, env: { PATH: '/nowhere' } };
    expect(await read(['a.ts'])).toMatchObject({ git: null, why: 'git was not found', recent: [{ path: 'a.ts' }] });
  });

  it('that is not there is said', async () => {
    for (const path of [join(root, 'nowhere'), join(folder, 'a\0b')])
      expect(await readWorkspace(env, path, [], AT)).toMatchObject({ ok: false, error: { code: 'unknown_cwd' } });
  });

  it('with more files than anybody reads is told in part, and that it is', async () => {
    git('init');
    await Promise.all(Array.from({ length: 2_100 }, (_, n) => writeFile(join(folder, `f${n}`), '')));
    const { git: status, recent } = await read();
    expect(status).toMatchObject({ branch: 'main', head: null, isWhole: false });
    expect(status!.changed).toHaveLength(2_000);
    expect(recent.length).toBeLessThanOrEqual(400);
  });

  it('takes no lock and writes nothing into the repository', async () => {
    await repository();
    await utimes(join(folder, 'a.ts'), AT, AT);
    const before = await readFile(join(folder, '.git', 'index'));
    await read();
    expect((await readFile(join(folder, '.git', 'index'))).equals(before)).toBe(true);
  });
});

describe('a repository that names programs', () => {
  const mark = (): string => join(root, 'RAN');

  async function program(): Promise<string> {
    const path = join(root, 'evil.sh');
    await writeFile(path, `#!/bin/sh\ntouch '${mark()}'\ncat\n`);
    await chmod(path, 0o755);
    return path;
  }

  /** What git is made to look into: a file with the same size and another time. */
  async function touched(): Promise<void> {
    await writeFile(join(folder, 'a.ts'), 'eno\n');
    await utimes(join(folder, 'a.ts'), AT, AT);
  }

  const traps: [string, (path: string) => Promise<void>][] = [
    [
      'as a filter of its files',
      async (path) => {
        await writeFile(join(folder, '.gitattributes'), '* filter=evil\n');
        git('config', 'filter.evil.clean', path);
        git('config', 'filter.evil.required', 'true');
      },
    ],
    [
      'as a filter that speaks the long protocol, by attributes of its own folder, under a name with signs',
      async (path) => {
        await mkdir(join(folder, '.git', 'info'), { recursive: true });
        await writeFile(join(folder, '.git', 'info', 'attributes'), '* filter=a.b=c\n');
        git('config', 'filter.a.b=c.process', path);
      },
    ],
    [
      'in a file that its settings include',
      async (path) => {
        await writeFile(join(folder, '.gitattributes'), '* filter=evil\n');
        await writeFile(join(root, 'more'), `[filter "evil"]\n\tclean = ${path}\n`);
        git('config', 'include.path', join(root, 'more'));
      },
    ],
    ['as a monitor of its files', async (path) => void git('config', 'core.fsmonitor', path)],
    [
      'as a hook',
      async (path) => {
        await mkdir(join(root, 'hooks'));
        await writeFile(join(root, 'hooks', 'post-index-change'), `#!/bin/sh\n${path}\n`, { mode: 0o755 });
        git('config', 'core.hooksPath', join(root, 'hooks'));
      },
    ],
  ];

  it.each(traps)('%s is read without running them', async (_where, set) => {
    await repository();
    await set(await program());
    await rm(mark(), { force: true });
    await touched();
    const { git: status } = await read();
    expect(status?.changed.some(({ path }) => path === 'a.ts')).toBe(true);
    expect(existsSync(mark())).toBe(false);
    // the trap is one: git by itself falls into it
    git('status');
    expect(existsSync(mark())).toBe(true);
  });

  it('for a transport of what is missing is not asked to fetch', async () => {
    await repository();
    const path = await program();
    git('config', 'remote.origin.url', `ext::sh -c ${path}`);
    git('config', 'remote.origin.promisor', 'true');
    git('config', 'extensions.partialClone', 'origin');
    git('config', 'protocol.ext.allow', 'always');
    const blob = git('rev-parse', 'HEAD:a.ts').trim();
    await rm(join(folder, '.git', 'objects', blob.slice(0, 2), blob.slice(2)));
    await touched();
    await read();
    expect(existsSync(mark())).toBe(false);
  });

  it('and calls another folder its own tells nothing of that', async () => {
    await repository();
    await writeFile(join(root, 'private.txt'), 'mine');
    git('config', 'core.worktree', root);
    const { git: status } = await read();
    expect(JSON.stringify(status)).not.toContain('private.txt');
  });

  it('in a repository within it is left alone', async () => {
    await repository();
    const inner = join(folder, 'inner');
    await mkdir(inner);
    const outer = folder;
    folder = inner;
    await repository();
    git('config', 'core.fsmonitor', await program());
    folder = outer;
    await appendFile(join(outer, '.gitmodules'), '[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n');
    git('add', '.gitmodules', 'inner');
    await rm(mark(), { force: true });
    await writeFile(join(inner, 'a.ts'), 'changed\n');
    await read();
    expect(existsSync(mark())).toBe(false);
  });
});
