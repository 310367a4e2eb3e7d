import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { AgentEnv, Installed } from '../contract.ts';

const TIMEOUT_MS = 20_000;

/** Finds `hermes` on PATH, or where its installer puts it, and asks it for its version. null = not installed. */
export async function findHermes(env: AgentEnv): Promise<Installed | null> {
  const folders = (env.env.PATH ?? '').split(delimiter).filter(isAbsolute);
  for (const folder of [...folders, join(env.home, '.local', 'bin')]) {
    const path = join(folder, process.platform === 'win32' ? 'hermes.exe' : 'hermes');
    if (await isProgram(path)) return { path, version: await versionOf(path, env) };
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

/** `Hermes Agent v0.19.1 (2026.8.2)` → `0.19.1`; null when it does not answer in time or not like this. */
function versionOf(path: string, env: AgentEnv): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(
      path,
      ['--version'],
      { env: { ...env.env, HOME: env.home }, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' },
      (error, stdout) => resolve(error === null ? (/\b(\d+\.\d+\.\d+[\w.-]*)/.exec(stdout)?.[1] ?? null) : null),
    );
  });
}
