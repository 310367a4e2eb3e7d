/**
 * A throw-away home for one run: `<root>/home` is HOME of every agent and of our CLI, `<root>/work` holds the projects.
 * Nothing outside `<root>` is written and every proxy points at a closed port, so that only loopback can be reached.
 */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

export interface Lab {
  root: string;
  home: string;
  env: Record<string, string>;
  /** Empties the home folder, for a second start from the same source. */
  clearHome(): Promise<void>;
  remove(): Promise<void>;
}

/** What a program said and how it ended. `code` is null when it had to be killed. */
export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

const CLOSED_PORT = 'http://127.0.0.1:9';

/** Makes the folder, with `programs` (name → file) on the PATH as on a user's machine. The caller removes it. */
export async function createLab(programs: Record<string, string>): Promise<Lab> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'sc-')));
  const home = join(root, 'home');
  const bin = join(root, 'bin');
  await mkdir(bin);
  for (const [name, file] of Object.entries(programs)) await symlink(file, join(bin, name));
  const clearHome = async (): Promise<void> => {
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    await mkdir(join(home, 'tmp'), { recursive: true });
  };
  await clearHome();
  return {
    root,
    home,
    env: labEnvironment(home, bin),
    clearHome,
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

function labEnvironment(home: string, bin: string): Record<string, string> {
  const proxies = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'].flatMap((name) => [
    [name, CLOSED_PORT],
    [name.toLowerCase(), CLOSED_PORT],
  ]);
  return {
    ...Object.fromEntries(proxies),
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
    PATH: [bin, dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
    HOME: home,
    USER: 'dev',
    SHELL: '/bin/sh',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    TMPDIR: join(home, 'tmp'),
  };
}

/** Runs a program to its end with nothing on stdin; kills it after `timeoutMs`. */
export function runProgram(
  program: string,
  args: string[],
  options: { cwd: string; env: Record<string, string>; timeoutMs: number },
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: options.cwd, env: options.env, stdio: ['ignore', 'pipe', 'pipe'] });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, stdout: Buffer.concat(out).toString('utf8'), stderr: Buffer.concat(err).toString('utf8') });
    });
  });
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
