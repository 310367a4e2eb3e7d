import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, readFile, realpath, stat } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import type { AgentEnv, Installed } from '../contract.ts';
import { isObject } from './read/record.ts';

const TIMEOUT_MS = 15_000;

/** Finds `gemini` on PATH. Its version stands in its package; a program without one is asked. null = not installed. */
export async function findGemini(env: AgentEnv): Promise<Installed | null> {
  for (const folder of (env.env.PATH ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    for (const name of process.platform === 'win32' ? ['gemini.cmd', 'gemini.exe'] : ['gemini']) {
      const path = join(folder, name);
      if (await isProgram(path))
        return { path, version: (await packageVersion(path)) ?? (await askedVersion(path, env)) };
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

/** The program is a link into `@google/gemini-cli/bundle` (before: `dist`). */
async function packageVersion(path: string): Promise<string | null> {
  try {
    const folder = dirname(dirname(await realpath(path)));
    const parsed: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    if (!isObject(parsed) || parsed.name !== '@google/gemini-cli') return null;
    return typeof parsed.version === 'string' ? parsed.version : null;
  } catch {
    return null;
  }
}

/** `0.61.0`; null when it does not answer in time or not like this. */
function askedVersion(path: string, env: AgentEnv): Promise<string | null> {
  const options = {
    env: { ...env.env, HOME: env.home } as NodeJS.ProcessEnv,
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL' as const,
  };
  return new Promise((resolve) => {
    execFile(path, ['--version'], options, (error, stdout) => {
      const match = error === null ? /\b(\d+\.\d+\.\d[0-9A-Za-z.-]*)/.exec(stdout) : null;
      resolve(match?.[1] ?? null);
    });
  });
}
