import { stat } from 'node:fs/promises';
import { databasePath } from '../../../adapters/io/database-path.ts';
import { databaseStat } from '../../../adapters/io/sqlite-snapshot.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { StoreReader } from '../store/contract.ts';

/** How the native source of a session stands against what was last read of it. */
interface Standing {
  /** it lies in a database, which can have changed without it */
  inDatabase: boolean;
  /** `unread`: it was never read as a whole, so nothing is known of changes */
  is: 'gone' | 'same' | 'changed' | 'unread';
}

/** Looks at names, sizes and times alone. null = there is no native source (it came as a bundle). */
export async function standingOf(
  reader: StoreReader,
  { agent, source }: Pick<SessionRow, 'agent' | 'source'>,
): Promise<Standing | null> {
  if (source === null) return null;
  const file = databasePath(source)?.file ?? source;
  const inDatabase = file !== source;
  const found = await (inDatabase ? databaseStat(file) : fileStat(file));
  if (found === null) return { inDatabase, is: 'gone' };
  const known = (await reader.sourceStates(agent)).find(({ path }) => path === file);
  if (known === undefined) return { inDatabase, is: 'unread' };
  return { inDatabase, is: known.size === found.bytes && known.mtime_ms === found.mtime_ms ? 'same' : 'changed' };
}

async function fileStat(path: string): Promise<{ bytes: number; mtime_ms: number } | null> {
  const info = await stat(path).catch(() => null);
  return info && { bytes: info.size, mtime_ms: info.mtimeMs };
}
