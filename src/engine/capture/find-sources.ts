import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import type { AgentEnv, NativeSource, SessionAdapter } from '../../../adapters/contract.ts';
import { databasePath } from '../../../adapters/io/database-path.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import type { Warning } from '../../shared/events.ts';

/** Adapters by agent, as the registry gives them. */
export type Adapters = Readonly<Record<string, SessionAdapter>>;

/** A source and who reads it. */
export interface Found {
  adapter: SessionAdapter;
  source: NativeSource;
  /** of a database, only the session of this path */
  only?: string;
}

/** Sources of one adapter in its own places. */
export async function findOwn(
  adapter: SessionAdapter,
  env: AgentEnv,
): Promise<{ found: Found[]; warnings: Warning[] }> {
  const { sources, warnings } = await adapter.discover(env);
  return { found: sources.map((source) => ({ adapter, source })), warnings };
}

/**
 * What a user means by a path: one session file, or a folder with some in it, looked through whole. Links to folders are
 * followed once. Errors: not_a_session, source_unreadable.
 */
export async function findAt(
  path: string,
  adapters: readonly SessionAdapter[],
  env: AgentEnv,
): Promise<Result<Found[]>> {
  const absolute = resolve(path);
  const inDatabase = databasePath(absolute);
  if (inDatabase !== null) {
    const found = await findAt(inDatabase.file, adapters, env);
    return found.ok ? ok(found.value.map((one) => ({ ...one, only: absolute }))) : found;
  }
  const info = await stat(absolute).catch((thrown: NodeJS.ErrnoException) => thrown.code ?? 'error');
  if (typeof info === 'string')
    return fail('source_unreadable', `${absolute} cannot be read (${info}). Check the path and its permissions.`);
  if (!info.isDirectory()) return recognise(absolute, adapters, env);
  const known = await ownBelow(absolute, adapters, env);
  const found = new Map(known.map((one) => [one.source.path, one]));
  for await (const file of filesBelow(absolute, new Set())) {
    if (found.has(file)) continue;
    const result = await recognise(file, adapters, env);
    if (result.ok) for (const one of result.value) if (!found.has(one.source.path)) found.set(one.source.path, one);
  }
  if (found.size > 0) return ok([...found.values()]);
  return fail(
    'not_a_session',
    `There is no session in ${absolute} that sessionctl can read. Name a session file or a folder of them.`,
  );
}

/** Sources that the adapters find by themselves below a folder: their parents are known, and nothing need be opened. */
async function ownBelow(folder: string, adapters: readonly SessionAdapter[], env: AgentEnv): Promise<Found[]> {
  const all = await Promise.all(adapters.map((adapter) => findOwn(adapter, env)));
  return all.flatMap(({ found }) => found).filter(({ source }) => source.path.startsWith(folder + sep));
}

async function recognise(path: string, adapters: readonly SessionAdapter[], env: AgentEnv): Promise<Result<Found[]>> {
  let refused: Result<Found[]> = fail('not_a_session', `${path} is no session of any agent that sessionctl can read.`);
  for (const adapter of adapters) {
    const result = await adapter.recognise(path, env);
    if (result.ok) return ok([{ adapter, source: result.value }]);
    if (adapters.length === 1 || result.error.code !== 'not_a_session') refused = result;
  }
  return refused;
}

async function* filesBelow(folder: string, seen: Set<string>): AsyncGenerator<string> {
  const real = await realpath(folder).catch(() => null);
  if (real === null || seen.has(real)) return;
  seen.add(real);
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    const info = entry.isSymbolicLink() ? await stat(path).catch(() => null) : entry;
    if (info?.isDirectory()) yield* filesBelow(path, seen);
    else if (info?.isFile()) yield path;
  }
}
