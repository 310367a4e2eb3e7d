import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { AgentEnv, Installed } from '../contract.ts';

const TIMEOUT_MS = 20_000;

/** Finds `pi` on PATH and asks it for its version. null = not installed. */
export async function findPi(env: AgentEnv): Promise<Installed | null> {
  for (const folder of (env.env.PATH ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    for (const name of process.platform === 'win32' ? ['pi.cmd', 'pi.exe'] : ['pi']) {
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

/** `1.6.0`; null when it does not answer in time or not like this. Without network: the question is for the program alone. */
function versionOf(path: string, { env, home }: AgentEnv): Promise<string | null> {
  const quiet = { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' };
  return new Promise((resolve) => {
    execFile(
      path,
      ['--version'],
      { env: { ...env, ...quiet, HOME: home } as NodeJS.ProcessEnv, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => {
        const match = error === null ? /\b(\d+\.\d+\.[0-9A-Za-z.-]+)/.exec(`${stdout}\n${stderr}`) : null;
        resolve(match?.[1] ?? null);
      },
    );
  });
}
