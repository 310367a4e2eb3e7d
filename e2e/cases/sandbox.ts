import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { layFolder } from '../../fixtures/load.ts';
import type { AppError } from '../../src/shared/errors.ts';
import type { Case, SetupStep } from './expect.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** How a case's file names its own copy: a dollar sign and CASE in braces. */
const CASE_FOLDER = `$\{CASE}`;

/** One call of the CLI with `--json`. */
export interface Answer<T = unknown> {
  code: number | null;
  ok: boolean;
  value: T;
  error: AppError | undefined;
  stdout: string;
  stderr: string;
  rssMb: number;
  seconds: number;
}

/** A private copy of a case with a home of its own, in which the real CLI runs as a user would run it. */
export class Sandbox {
  readonly folder: string;
  readonly home: string;
  readonly store: string;
  /** all that was printed, for the redaction checks */
  printed = '';
  maxRssMb = 0;
  seconds = 0;
  private umask: string | null = null;
  private readonly env: Record<string, string>;

  readonly case: Case;

  private constructor(folder: string, case_: Case) {
    this.folder = folder;
    this.case = case_;
    this.home = join(folder, 'home');
    this.store = join(folder, 'store');
    const own = Object.fromEntries(
      Object.entries(case_.env ?? {}).map(([key, value]) => [key, value.replaceAll(CASE_FOLDER, folder)]),
    );
    // the agents' own variables are cleared, and no keychain of the tester's desktop is asked
    this.env = {
      PATH: process.env.PATH ?? '',
      HOME: this.home,
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      SESSIONCTL_HOME: this.store,
      ...own,
    };
  }

  /** Lays a case out in a scratch folder (never runs on the original) and does its setup. */
  static async make(source: string): Promise<Sandbox> {
    const folder = mkdtempSync(join(tmpdir(), 'sessionctl-case-'));
    await layFolder(source, folder);
    mkdirSync(join(folder, 'home'), { recursive: true });
    const case_: Case = JSON.parse(readFileSync(join(folder, 'expect.json'), 'utf8'));
    rmSync(join(folder, 'expect.json'));
    const sandbox = new Sandbox(folder, case_);
    for (const step of case_.setup ?? []) await sandbox.setup(step);
    return sandbox;
  }

  async setup(step: SetupStep): Promise<void> {
    if (step.op === 'chmod') chmodSync(join(this.folder, step.path), Number.parseInt(step.mode, 8));
    else if (step.op === 'umask') this.umask = step.value;
    else if (step.op === 'symlink') {
      mkdirSync(dirname(join(this.folder, step.path)), { recursive: true });
      symlinkSync(step.target.replaceAll(CASE_FOLDER, this.folder), join(this.folder, step.path));
    } else {
      const child = spawn(step.argv[0] ?? '', step.argv.slice(1), { cwd: this.folder, env: this.env, stdio: 'ignore' });
      const code = await new Promise((resolve) => child.on('exit', resolve).on('error', () => resolve(-1)));
      if (code !== 0) throw new Error(`setup failed: ${step.argv.join(' ')}`);
    }
  }

  /** Runs the CLI; `wrap` puts a program in front (unshare, a killer). */
  async cli<T = never>(
    args: string[],
    options: { env?: Record<string, string>; wrap?: string[]; started?: (child: ChildProcess) => void } = {},
  ): Promise<Answer<T>> {
    const begun = performance.now();
    const program = [
      ...(options.wrap ?? []),
      process.execPath,
      '--import',
      join(import.meta.dirname, 'report-rss.mjs'),
      join(ROOT, 'src', 'cli', 'main.ts'),
      ...args,
      '--json',
    ];
    const line = this.umask === null ? program : ['sh', '-c', `umask ${this.umask}; exec "$@"`, 'sh', ...program];
    const child = spawn(line[0] ?? '', line.slice(1), {
      cwd: this.folder,
      env: { ...this.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    options.started?.(child);
    const [stdout, stderr, rss] = await Promise.all([1, 2, 3].map((fd) => readAll(child, fd)));
    const code = await exited(child);
    const seconds = (performance.now() - begun) / 1000;
    this.printed += `${stdout}\n${stderr}\n`;
    const rssMb = Number(rss || 0) / 1024;
    this.maxRssMb = Math.max(this.maxRssMb, rssMb);
    this.seconds += seconds;
    // an error is the last line of stderr
    const parsed = parse(stdout || (stderr?.trimEnd().split('\n').at(-1) ?? ''));
    return {
      code,
      ok: parsed?.ok === true,
      value: parsed?.value as T,
      error: parsed?.error,
      stdout: stdout ?? '',
      stderr: stderr ?? '',
      rssMb,
      seconds,
    };
  }

  /** Content hash, mode left out, of every file below a folder of the sandbox. */
  hashes(below = 'home'): Map<string, string> {
    return new Map(this.files(below).map((path) => [path, hashOf(join(this.folder, path))]));
  }

  /** Files below a folder, relative to the sandbox. */
  files(below: string): string[] {
    const start = join(this.folder, below);
    if (!existsSync(start)) return [];
    return readdirSync(start, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(this.folder, join(entry.parentPath, entry.name)))
      .sort();
  }

  remove(): void {
    for (const entry of readdirSync(this.folder, { recursive: true, withFileTypes: true })) {
      if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o700);
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function readAll(child: ChildProcess, fd: number): Promise<string> {
  const stream = child.stdio[fd] as NodeJS.ReadableStream;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}

function exited(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.on('exit', (code) => resolve(code)).on('error', () => resolve(-1)));
}

function parse(text: string): { ok: boolean; value?: unknown; error?: AppError } | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function hashOf(path: string): string {
  if (lstatSync(path).isSymbolicLink()) return `link:${readlinkSync(path)}`;
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
