import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { AgentEnv, Installed } from '../contract.ts';

const TIMEOUT_MS = 10_000;

/** Finds `opencode` on PATH and asks it for its version. null = not installed. */
export async function findOpenCode(env: AgentEnv): Promise<Installed | null> {
  for (const folder of (env.env.PATH ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    for (const name of process.platform === 'win32' ? ['opencode.exe', 'opencode.cmd'] : ['opencode']) {
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

/** `1.18.33` alone on a line; null when it does not answer in time or not like this. */
async function versionOf(path: string, env: AgentEnv): Promise<string | null> {
  const { code, stdout } = await runOpenCode(path, ['--version'], { env, cwd: env.home, timeoutMs: TIMEOUT_MS });
  return code === 0 ? (/^v?(\d+\.\d+\.[0-9A-Za-z.-]+)$/m.exec(stdout)?.[1] ?? null) : null;
}

export interface Run {
  env: AgentEnv;
  cwd: string;
  timeoutMs: number;
}

/**
 * Runs OpenCode in a folder without what it does on the side: no update, no model list, no language servers, no plugins.
 * `code` null = it could not be started or did not end in time.
 */
export function runOpenCode(
  path: string,
  args: string[],
  { env, cwd, timeoutMs }: Run,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const own = { ...env.env, ...QUIET, HOME: env.home } as NodeJS.ProcessEnv;
  return new Promise((resolve) => {
    const options = { env: own, cwd, timeout: timeoutMs, killSignal: 'SIGKILL' as const, maxBuffer: 1 << 24 };
    execFile(path, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      resolve({ code, stdout, stderr });
    });
  });
}

const QUIET = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  OPENCODE_DISABLE_SHARE: '1',
  OPENCODE_PURE: '1',
};
