// Plain JavaScript on purpose: this runs on whatever Node ≥ 20 the machine has, before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, 'node_modules', '.bin');
const buildStamp = join(root, 'out', '.built');

/** The project's own Node, the one runtime of everything but this file. */
export const projectNode = join(
  root,
  'node_modules',
  'node',
  'bin',
  process.platform === 'win32' ? 'node.exe' : 'node',
);

/** Environment in which `node` and the tools are the project's. */
export function projectEnv(extra = {}) {
  const separator = process.platform === 'win32' ? ';' : ':';
  const path = `${dirname(projectNode)}${separator}${bin}${separator}${process.env.PATH ?? ''}`;
  // compiled once, read by every later process: tests and tools start many
  const cache = join(root, 'node_modules', '.cache', 'compile');
  return { NODE_COMPILE_CACHE: cache, ...process.env, PATH: path, ...extra };
}

/** Runs `npm ci` when node_modules is missing or older than the lock file. Everything it says goes to stderr. */
export function ensureInstalled() {
  if (installed()) return;
  if (Number(process.versions.node.split('.')[0]) < 20) {
    stop(`Node 20 or newer is needed to install; this is ${process.version}.`);
  }
  const problem = alone('install', () => {
    if (installed()) return null; // another process did it meanwhile
    say('Installing dependencies (npm ci) …');
    if (npmCi().status === 0) return null;
    return 'npm ci failed; its messages are above. Check the network or the npm registry setting, then try again.';
  });
  if (problem) stop(problem);
  if (!existsSync(projectNode)) {
    stop('npm ci left no Node 24 in node_modules/node. Allow install scripts for the package "node" and try again.');
  }
}

/** npm writes its hidden lock file last, so it is newer than package-lock.json exactly after a whole install. */
function installed() {
  const done = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(done) || !existsSync(projectNode)) return false;
  return statSync(done).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs;
}

/** npm below 11 does not know `allowScripts` and would compile SQLite although its binary is in the package, so npm 11 is called through npx. */
function npmCi() {
  const shell = process.platform === 'win32';
  const major = Number(spawnSync('npm', ['--version'], { encoding: 'utf8', shell }).stdout?.split('.')[0] ?? 0);
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const [command, argv] = major >= 11 ? ['npm', args] : ['npx', ['--yes', 'npm@11', ...args]];
  return spawnSync(command, argv, { cwd: root, stdio: ['ignore', 2, 2], shell });
}

/** Builds into out/ when a source is newer than the last build. */
export function ensureBuilt() {
  if (built()) return;
  const problem = alone('build', () => {
    if (built()) return null;
    const newest = newestSource();
    say('Building …');
    const vite = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
    const options = { cwd: root, stdio: ['ignore', 2, 2], env: projectEnv() };
    if (spawnSync(projectNode, [vite, 'build', '--logLevel', 'warn'], options).status !== 0) {
      return 'The build failed; its messages are above.';
    }
    writeFileSync(buildStamp, newest);
    return null;
  });
  if (problem) stop(problem);
}

function built() {
  return existsSync(buildStamp) && readFileSync(buildStamp, 'utf8') === newestSource();
}

/** Does `work` while no other process of this checkout does the same; others wait. Gives what `work` gives. */
function alone(name, work) {
  const checkout = createHash('sha256').update(root).digest('hex').slice(0, 12);
  const lock = join(tmpdir(), `sessionctl-${name}-${checkout}.lock`);
  while (!take(lock)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** The lock names its process, so that one left by a killed process is taken over. */
function take(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (!holderLives(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function holderLives(lock) {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM' || error.code === 'ENOENT';
  }
}

/** Newest change below the source folders, with the number of files, so that a deletion counts too. */
function newestSource() {
  let newest = 0;
  let files = 0;
  const walk = (path) => {
    const stat = statSync(path);
    if (!stat.isDirectory()) {
      files++;
      newest = Math.max(newest, stat.mtimeMs);
      return;
    }
    for (const name of readdirSync(path)) walk(join(path, name));
  };
  for (const name of ['src', 'adapters', 'package.json', 'electron.vite.config.ts']) walk(join(root, name));
  return `${newest}:${files}`;
}

/** Runs a program of the project with the terminal's own streams and gives its exit code; signals are passed on. */
export function run(args, env = {}, options = {}) {
  const child = spawn(projectNode, args, { cwd: root, stdio: 'inherit', env: projectEnv(env), ...options });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.on('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0))));
}

export function say(text) {
  process.stderr.write(`${text}\n`);
}

export function stop(text) {
  say(`sessionctl: ${text}`);
  process.exit(1);
}
