import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { AgentEnv, Installed } from '../contract.ts';

const TIMEOUT_MS = 10_000;

/** Finds `codex` on PATH and asks it for its version. null = not installed. */
export async function findCodex(env: AgentEnv): Promise<Installed | null> {
  for (const folder of (env.env.PATH ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    for (const name of process.platform === 'win32' ? ['codex.exe', 'codex.cmd'] : ['codex']) {
      const path = join(folder, name);
      if (await isProgram(path)) return { path, version: await versionOf(path, env) };
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

/** `codex-cli 0.171.0` → `0.171.0`; null when it does not answer in time or not like this. */
function versionOf(path: string, env: AgentEnv): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(
      path,
      ['--version'],
      { env: processEnv(env), timeout: TIMEOUT_MS, killSignal: 'SIGKILL' },
      (error, stdout) => {
        const match = error === null ? /\b(\d+\.\d+\.[0-9A-Za-z.-]+)/.exec(stdout) : null;
        resolve(match?.[1] ?? null);
      },
    );
  });
}

/** The environment of a child: the given one with its HOME. */
export function processEnv(env: AgentEnv): NodeJS.ProcessEnv {
  return { ...env.env, HOME: env.home } as NodeJS.ProcessEnv;
}
