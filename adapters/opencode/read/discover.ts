import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fail, ok, type Result } from '../../../src/shared/errors.ts';
import type { AgentEnv, Discovery, NativeSource, SourceRoot } from '../../contract.ts';
import { databaseStat } from '../../io/sqlite-snapshot.ts';
import { dataFolder, isDatabaseName, namedDatabase } from '../home.ts';
import { recogniseTree, treeSources } from './tree-files.ts';

const AGENT = 'opencode';

/** The databases (1.2 and later) and the trees of JSON files (before) of an OpenCode home, by name and stat alone. */
export async function discoverSessions(env: AgentEnv): Promise<Discovery> {
  const folder = dataFolder(env);
  const names = await readdir(folder).catch(() => null);
  const roots: SourceRoot[] = [{ agent: AGENT, path: folder, exists: names !== null, flat: true }];
  const databases = (names ?? []).filter(isDatabaseName).map((name) => join(folder, name));
  const named = namedDatabase(env);
  if (named !== null && !databases.includes(named)) databases.push(named);
  const found = await Promise.all(databases.sort().map(databaseSource));
  const trees = names === null ? [] : await treeSources(folder);
  return { roots, sources: [...found.filter((source) => source !== null), ...trees], warnings: [] };
}

export async function databaseSource(path: string): Promise<NativeSource | null> {
  const info = await databaseStat(path);
  return info === null ? null : { agent: AGENT, path, database: true, native_id: basename(path), ...info };
}

/** A database by its name, its log included, or the file of a session in a tree. */
export async function recogniseSession(path: string, env: AgentEnv): Promise<Result<NativeSource>> {
  const database = path.replace(/-(?:wal|shm|journal)$/, '');
  if (isDatabaseName(basename(database)) || database === namedDatabase(env)) {
    const source = await databaseSource(database);
    if (source !== null) return ok(source);
  }
  const source = await recogniseTree(path);
  return source === null ? fail('not_a_session', `${path} is no session of OpenCode.`, { path }) : ok(source);
}
