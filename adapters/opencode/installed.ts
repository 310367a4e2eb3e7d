import { execFile } from 'node:child_process';
import type { AgentEnv, Installed } from '../contract.ts';
import { findProgram, processEnv } from '../io/program.ts';

/** Keeps OpenCode from what it does on the side: updates, model lists, language servers, plugins, sharing. */
const QUIET = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  OPENCODE_DISABLE_SHARE: '1',
  OPENCODE_PURE: '1',
};

/** Finds `opencode` on PATH with its version. null = not installed. */
export function findOpenCode(env: AgentEnv): Promise<Installed | null> {
  return findProgram('opencode', env, {
    env: QUIET,
    package: { npm: ['opencode-ai', `opencode-${process.platform}-${process.arch}`] },
  });
}

export interface Run {
  env: AgentEnv;
  cwd: string;
  timeoutMs: number;
}

export interface Ended {
  /** null = it could not be started or did not end in time */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs OpenCode in a folder and waits for its end. */
export function runOpenCode(path: string, args: string[], { env, cwd, timeoutMs }: Run): Promise<Ended> {
  const options = {
    env: { ...processEnv(env), ...QUIET },
    cwd,
    timeout: timeoutMs,
    killSignal: 'SIGKILL' as const,
    maxBuffer: 1 << 24,
  };
  return new Promise((resolve) => {
    execFile(path, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      resolve({ code, stdout, stderr });
    });
  });
}
