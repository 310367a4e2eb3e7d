import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { AgentEnv, Installed } from '../contract.ts';

const TIMEOUT_MS = 20_000;

export interface ProgramQuestion {
  /** absolute folders that are looked at behind PATH */
  folders?: readonly string[];
  /** variables that keep the client from doing more than answering */
  env?: Readonly<Record<string, string>>;
  timeoutMs?: number;
  /** tells the version without a start of the program; null = it has to be asked */
  readVersion?: (path: string) => Promise<string | null>;
}

/**
 * Finds an agent's program on PATH and asks it for its version by `--version`, which starts no session. null = not
 * installed; version null = it does not answer in time, or with nothing like a version.
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
      return { path, version: (await question.readVersion?.(path)) ?? (await versionOf(path, env, question)) };
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

function versionOf(path: string, env: AgentEnv, question: ProgramQuestion): Promise<string | null> {
  const options = {
    env: { ...processEnv(env), ...question.env },
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
