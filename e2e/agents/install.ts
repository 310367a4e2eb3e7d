/**
 * Installs pinned versions of the real agents from npm into a cache folder, once.
 *
 * The folder is `SESSIONCTL_CACHE`, else `.cache` of the checkout. An agent that cannot be installed is a result with
 * its reason, so that the report says "not run": it never counts as passed.
 */
import { execFile } from 'node:child_process';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const REPO = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** What is installed, and the program to start inside the package folder. */
interface Pin {
  packageName: string;
  version: string;
  /** Native program of the platform, relative to node_modules. Wrappers do not pass signals on. */
  program: string;
  /** npm must not run the package's scripts: they build or fetch what the lab has no use for. */
  isWithoutScripts?: boolean;
  /** Script that fetches the program into place when npm did not run the package's own scripts. */
  postinstall?: string;
}

const PLATFORM = `${process.platform}-${process.arch}`;
const CODEX_TARGETS: Record<string, string> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
};

const PINS: Record<string, Pin> = {
  claude: {
    packageName: '@anthropic-ai/claude-code',
    version: '2.1.332',
    program: '@anthropic-ai/claude-code/bin/claude.exe',
    postinstall: '@anthropic-ai/claude-code/install.cjs',
  },
  codex: {
    packageName: '@openai/codex',
    version: '0.171.0',
    program: `@openai/codex-${PLATFORM}/vendor/${CODEX_TARGETS[PLATFORM] ?? PLATFORM}/bin/codex`,
  },
  pi: { packageName: '@earendil-works/pi-coding-agent', version: '1.6.0', program: '.bin/pi' },
  opencode: {
    packageName: 'opencode-ai',
    version: '1.18.33',
    program: `opencode-${PLATFORM}/bin/opencode`,
    isWithoutScripts: true,
  },
  gemini: { packageName: '@google/gemini-cli', version: '0.61.0', program: '.bin/gemini', isWithoutScripts: true },
};

export type Installed = { ok: true; program: string; version: string } | { ok: false; reason: string };

/** Makes sure that `agent` is installed at its pinned version and starts; the answer names the program to run. */
export async function installAgent(agent: string): Promise<Installed> {
  const pin = PINS[agent];
  if (pin === undefined) return { ok: false, reason: `no pinned version of ${agent}` };
  const folder = join(process.env.SESSIONCTL_CACHE ?? join(REPO, '.cache'), 'agents', `${agent}-${pin.version}`);
  const program = join(folder, 'node_modules', pin.program);
  try {
    if (!(await isInstalled(folder, pin, program))) await install(folder, pin, program);
    const { stdout } = await run(program, ['--version'], { timeout: 60_000, env: toolEnvironment() });
    if (!stdout.includes(pin.version)) return { ok: false, reason: `expected ${pin.version}, got ${stdout.trim()}` };
    return { ok: true, program, version: pin.version };
  } catch (error) {
    return { ok: false, reason: firstLine(error) };
  }
}

async function isInstalled(folder: string, pin: Pin, program: string): Promise<boolean> {
  try {
    await access(program);
    const manifest = await readFile(join(folder, 'node_modules', pin.packageName, 'package.json'), 'utf8');
    return (JSON.parse(manifest) as { version?: string }).version === pin.version;
  } catch {
    return false;
  }
}

async function install(folder: string, pin: Pin, program: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"private":true}\n');
  const options = { cwd: folder, env: toolEnvironment(), timeout: 900_000, maxBuffer: 1 << 26 };
  const target = `${pin.packageName}@${pin.version}`;
  const flags = ['--no-audit', '--no-fund', '--engine-strict=false', '--save-exact'];
  if (pin.isWithoutScripts === true) flags.push('--ignore-scripts');
  await run('npm', ['install', ...flags, target], options);
  const starts = await run(program, ['--version'], { timeout: 60_000, env: toolEnvironment() }).then(
    () => true,
    () => false,
  );
  if (!starts && pin.postinstall) await run(process.execPath, [join(folder, 'node_modules', pin.postinstall)], options);
}

/** The Node that runs this script comes first in PATH: the agents' engines ask for a newer one than many machines have. */
function toolEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}` };
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n').slice(0, 2).join(' ').slice(0, 300);
}
