import { readdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** What a program belongs to, by which its version is told without starting it. */
export interface ProgramPackage {
  /** names of its npm package, the newest first */
  npm?: readonly string[];
  /** its Python distribution, as a folder name writes it (`aider_chat`) */
  python?: string;
}

const VERSION = /^v?(\d+\.\d+\.\d[\w.-]*)$/;
/** A package's program lies so many folders deep in it at most. */
const DEPTH = 5;

/**
 * The version of an installed program as its package has it: the package.json above it, the `dist-info` of the Python environment in
 * whose `bin` it lies, or a folder of installers that keep several (`versions/<version>`). null = none of them tells it.
 */
export async function packagedVersion(path: string, { npm = [], python }: ProgramPackage): Promise<string | null> {
  const file = await realpath(path).catch(() => path);
  return (
    (await npmVersion(file, npm)) ?? (python === undefined ? null : await pythonVersion(file, python)) ?? named(file)
  );
}

async function npmVersion(file: string, names: readonly string[]): Promise<string | null> {
  if (names.length === 0) return null;
  for (let folder = dirname(file), n = 0; n < DEPTH && folder !== dirname(folder); folder = dirname(folder), n++) {
    const { name, version } = await packageJson(folder);
    if (typeof name !== 'string' || !names.includes(name)) continue;
    return typeof version === 'string' ? (VERSION.exec(version)?.[1] ?? null) : null;
  }
  return null;
}

async function packageJson(folder: string): Promise<{ name?: unknown; version?: unknown }> {
  try {
    const value: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

async function pythonVersion(file: string, name: string): Promise<string | null> {
  const lib = join(dirname(file), '..', 'lib');
  for (const python of await readdir(lib).catch(() => [])) {
    if (!python.startsWith('python')) continue;
    for (const entry of await readdir(join(lib, python, 'site-packages')).catch(() => [])) {
      const version = entry.startsWith(`${name}-`) ? entry.slice(name.length + 1).replace(/\.dist-info$/, '') : null;
      if (version !== null && entry.endsWith('.dist-info')) return version;
    }
  }
  return null;
}

/** `…/versions/2.1.332`, or a program in such a folder. */
function named(file: string): string | null {
  for (const path of [file, dirname(file)])
    if (basename(dirname(path)) === 'versions') return VERSION.exec(basename(path))?.[1] ?? null;
  return null;
}
