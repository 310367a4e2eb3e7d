// Plain JavaScript on purpose: this runs on whatever Node ≥ 20 the machine has, before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, 'node_modules', '.bin');
const installStamp = join(root, 'node_modules', '.sessionctl-installed');

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
  return {
    ...process.env,
    PATH: `${dirname(projectNode)}${separator}${bin}${separator}${process.env.PATH ?? ''}`,
    ...extra,
  };
}

/** Runs `npm ci` when node_modules is missing or made from another lock file. Everything it says goes to stderr. */
export function ensureInstalled() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(installStamp) && readFileSync(installStamp, 'utf8') === lock && existsSync(projectNode)) return;
  if (Number(process.versions.node.split('.')[0]) < 20)
    stop(`Node 20 or newer is needed to install; this is ${process.version}.`);
  say('Installing dependencies (npm ci) …');
  const result = npmCi();
  if (result.status !== 0)
    stop('npm ci failed; its messages are above. Check the network or the npm registry setting, then try again.');
  if (!existsSync(projectNode))
    stop('npm ci left no Node 24 in node_modules/node. Allow install scripts for the package "node" and try again.');
  writeFileSync(installStamp, lock);
}

/** npm below 11 does not know `allowScripts` and would compile SQLite although its binary is in the package, so npm 11 is called through npx. */
function npmCi() {
  const shell = process.platform === 'win32';
  const major = Number(spawnSync('npm', ['--version'], { encoding: 'utf8', shell }).stdout?.split('.')[0] ?? 0);
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const [command, argv] = major >= 11 ? ['npm', args] : ['npx', ['--yes', 'npm@11', ...args]];
  return spawnSync(command, argv, { cwd: root, stdio: ['ignore', 2, 2], shell });
}

/** Builds into out/ when a source is newer than the last build. Two processes that build at once wait for each other. */
export function ensureBuilt() {
  const stamp = join(root, 'out', '.built');
  const newest = newestSource();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === newest) return;
  const lock = join(root, 'node_modules', '.sessionctl-building');
  if (!takeLock(lock)) return waitForBuild(lock, ensureBuilt);
  try {
    say('Building …');
    const built = spawnSync(
      projectNode,
      [join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js'), 'build', '--logLevel', 'warn'],
      {
        cwd: root,
        stdio: ['ignore', 2, 2],
        env: projectEnv(),
      },
    );
    if (built.status !== 0) stop('The build failed; its messages are above.');
    writeFileSync(stamp, newest);
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function takeLock(path) {
  try {
    mkdirSync(path);
    return true;
  } catch {
    if (Date.now() - statSync(path).mtimeMs < 120_000) return false;
    rmSync(path, { recursive: true, force: true }); // left by a killed build
    return takeLock(path);
  }
}

function waitForBuild(lock, then) {
  const until = Date.now() + 120_000;
  while (existsSync(lock) && Date.now() < until) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  return then();
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
