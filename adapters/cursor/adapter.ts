import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { shellCommand } from '../../src/core/shell-command.ts';
import { fail } from '../../src/shared/errors.ts';
import type { AgentEnv, Installed, SessionAdapter } from '../contract.ts';
import { openDatabase } from './database.ts';
import { discoverDatabases, recogniseDatabase } from './discover.ts';

/** Cursor, read-only: the editor takes no conversation from outside. */
export const cursor: SessionAdapter & { readonly id: 'cursor' } = {
  id: 'cursor',
  label: 'Cursor',
  verified: { versions: ['no version, only public descriptions'], on: '2026-11-29' },
  discover: discoverDatabases,
  recognise: recogniseDatabase,
  openDatabase,
  capture: async ({ path }) =>
    fail('not_a_session', `${path} is a database; its sessions are captured one by one.`, { path }),
  // the editor opens a folder, not a conversation
  resume: ({ native_id, cwd, source }) =>
    source?.includes('store.db#') === true
      ? shellCommand(['cursor-agent', `--resume=${native_id}`], cwd)
      : shellCommand(['cursor', cwd ?? '.'], cwd),
  installed: findCursor,
};

const TIMEOUT_MS = 10_000;

/** Finds `cursor-agent`, else `cursor`, on PATH. null = not installed. */
async function findCursor(env: AgentEnv): Promise<Installed | null> {
  const folders = (env.env.PATH ?? '').split(delimiter).filter(isAbsolute);
  for (const name of ['cursor-agent', 'cursor'])
    for (const folder of folders) {
      const path = join(folder, name);
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
