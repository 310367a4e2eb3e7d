import { join } from 'node:path';
import type { AgentEnv } from '../../contract.ts';
import { realFolder } from '../../io/real-folder.ts';
import { configFolder } from '../discover.ts';

const LONGEST = 200;

/**
 * Claude Code's folder name of a working directory: every UTF-16 unit outside [A-Za-z0-9] becomes a dash; over 200 units
 * the first 200, a dash and the base-36 absolute 32-bit hash of the whole path (measured with 2.1.332 and 2.1.197).
 */
export function folderName(cwd: string): string {
  const plain = cwd.replace(/[^a-zA-Z0-9]/g, '-');
  if (plain.length <= LONGEST) return plain;
  let hash = 0;
  for (let i = 0; i < cwd.length; i++) hash = ((hash << 5) - hash + cwd.charCodeAt(i)) | 0;
  return `${plain.slice(0, LONGEST)}-${Math.abs(hash).toString(36)}`;
}

/** Where a session of this working directory belongs. The client resolves links first; a folder that is gone stays as named. */
export function sessionPath(env: AgentEnv, cwd: string, id: string): string {
  return join(configFolder(env), 'projects', folderName(realFolder(cwd)), `${id}.jsonl`);
}
