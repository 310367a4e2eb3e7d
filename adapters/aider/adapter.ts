import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { shellCommand } from '../../src/core/shell-command.ts';
import type { AgentEnv, Installed, SessionAdapter } from '../contract.ts';
import { captureHistory } from './capture.ts';
import { discoverHistories, recogniseHistory } from './discover.ts';

/** Aider, read-only: its history has no ids and roles are told by marks alone, so nothing can be written back for certain. */
export const aider: SessionAdapter & { readonly id: 'aider' } = {
  id: 'aider',
  label: 'Aider',
  verified: { versions: ['0.86.2'], on: '2026-11-29' },
  discover: discoverHistories,
  recognise: recogniseHistory,
  capture: captureHistory,
  // it goes on with the whole history of the folder, not with one chat
  resume: ({ cwd }) => shellCommand(['aider', '--restore-chat-history'], cwd),
  installed: findAider,
};

const TIMEOUT_MS = 10_000;

/** Finds `aider` on PATH and asks it for its version. null = not installed. */
async function findAider(env: AgentEnv): Promise<Installed | null> {
  for (const folder of (env.env.PATH ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const path = join(folder, process.platform === 'win32' ? 'aider.exe' : 'aider');
    const there = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (there) return { path, version: await versionOf(path, env) };
  }
  return null;
}

function versionOf(path: string, { env, home }: AgentEnv): Promise<string | null> {
  const options = {
    env: { ...env, HOME: home } as NodeJS.ProcessEnv,
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL' as const,
  };
  return new Promise((resolve) => {
    execFile(path, ['--version'], options, (error, stdout) => {
      resolve((error === null ? /\b(\d+\.\d+[0-9A-Za-z.-]*)/.exec(stdout)?.[1] : null) ?? null);
    });
  });
}
