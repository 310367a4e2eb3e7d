import { shellCommand } from '../../src/core/shell-command.ts';
import { fail } from '../../src/shared/errors.ts';
import type { AgentEnv, Installed, SessionAdapter } from '../contract.ts';
import { findProgram } from '../io/program.ts';
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

/** Finds `cursor-agent`, else `cursor`, on PATH. null = not installed. */
async function findCursor(env: AgentEnv): Promise<Installed | null> {
  return (await findProgram('cursor-agent', env)) ?? findProgram('cursor', env);
}
