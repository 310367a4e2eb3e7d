import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import type { AgentEnv, Installed } from '../contract.ts';
import { privateFolder } from './private-folder.ts';
import { type ProgramPackage, packagedVersion } from './program-version.ts';

const TIMEOUT_MS = 20_000;

export interface ProgramQuestion {
  /** absolute folders that are looked at behind PATH */
  folders?: readonly string[];
  /** variables that keep the client from doing more than answering */
  env?: Readonly<Record<string, string>>;
  timeoutMs?: number;
  /** tells the version without a start of the program */
  package?: ProgramPackage;
}

/**
 * Finds an agent's program on PATH, and its version: as its package tells it, else by `--version`, asked in an empty home that is
 * removed again, since clients make folders even then. null = not installed; version null = it does not answer in time, or
 * with nothing like a version.
 */
export async function findProgram(
  name: string,
  env: AgentEnv,
  question: ProgramQuestion = {},
): Promise<Installed | null> {
  const names = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name];
  // a relative folder of PATH would mean whatever folder this process is in
  const folders = (env.env.PATH ?? '').split(delimiter).filter(isAbsolute);
  for (const folder of [...folders, ...(question.folders ?? [])]) {
    for (const file of names) {
      const path = join(folder, file);
      if (!(await isProgram(path))) continue;
      const told = await packagedVersion(path, question.package ?? {});
      return { path, version: told ?? (await askedVersion(path, env, question)) };
    }
  }
  return null;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** What of the user's environment a program is asked with: language, and where managers of versions keep programs. */
const KEPT = /^(?:PATH|PATHEXT|SystemRoot|LANG|LC_\w+|TERM|(?:ASDF|FNM|MISE|NVM|PNPM|PYENV|VOLTA)_\w+)$/;

async function askedVersion(path: string, { env }: AgentEnv, question: ProgramQuestion): Promise<string | null> {
  const home = await privateFolder(tmpdir(), 'sessionctl-version');
  try {
    const kept = Object.fromEntries(Object.entries(env).filter(([name]) => KEPT.test(name)));
    return await versionOf(path, { ...kept, HOME: home, USERPROFILE: home, TMPDIR: home }, question);
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

function versionOf(path: string, env: NodeJS.ProcessEnv, question: ProgramQuestion): Promise<string | null> {
  const options = {
    cwd: env.HOME,
    env: { ...env, ...question.env },
    timeout: question.timeoutMs ?? TIMEOUT_MS,
    killSignal: 'SIGKILL' as const,
  };
  return new Promise((resolve) => {
    // clients differ in which stream they answer on
    execFile(path, ['--version'], options, (error, stdout, stderr) => {
      const said = error === null ? /\b(\d+\.\d+\.\d[\w.-]*)/.exec(`${stdout}\n${stderr}`) : null;
      resolve(said?.[1] ?? null);
    });
  });
}

/** The environment of a child: the given one with its HOME. */
export function processEnv({ home, env }: AgentEnv): NodeJS.ProcessEnv {
  return { ...env, HOME: home };
}
