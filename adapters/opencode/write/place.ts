import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AgentEnv } from '../../contract.ts';
import { databasePath, sessionPath } from '../../io/database-path.ts';
import { ownDatabase } from '../home.ts';

/** `<database>#<id>`: where OpenCode will have the session. */
export function finalPath(env: AgentEnv, nativeId: string): string {
  return sessionPath(ownDatabase(env), nativeId);
}

/** The private file that the session is written into first, in a folder of this user alone. */
export function exportFile(nativeId: string): string {
  return join(tmpdir(), `sessionctl-opencode-${process.getuid?.() ?? 0}`, `${nativeId}.json`);
}

/** The database file of a final path. */
export function databaseOf(final: string): string {
  return databasePath(final)?.file ?? final;
}

/** Folders from one up to the root. */
export function upwards(folder: string): string[] {
  const all = [folder];
  for (let at = folder; dirname(at) !== at; at = dirname(at)) all.push(dirname(at));
  return all;
}
