import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fail, ok, type Result } from '../../../src/shared/errors.ts';
import type { Warning } from '../../../src/shared/events.ts';
import type { AgentEnv, Discovery, NativeSource, SourceRoot } from '../../contract.ts';
import { walkFiles } from '../../io/files.ts';
import { textIfAny } from '../../io/open-file.ts';
import { sourceError } from '../../io/source-error.ts';
import { databaseStat } from '../../io/sqlite-snapshot.ts';
import { DATABASE, hermesHome } from '../home.ts';
import { legacyId } from './legacy-name.ts';

const PROFILES = 'profiles';

/** Finds the databases of a Hermes home and its profiles, and session files of older versions, by name and stat. */
export async function discover(env: AgentEnv): Promise<Discovery> {
  const home = hermesHome(env);
  const roots: SourceRoot[] = [];
  const sources: NativeSource[] = [];
  const warnings: Warning[] = [];
  for (const folder of [home, ...(await profileFolders(home))]) {
    roots.push({ agent: 'hermes', path: folder, exists: await isFolder(folder), flat: true });
    const database = await databaseSource(join(folder, DATABASE));
    if (database !== null) sources.push(database);
    const files = await legacyFiles(join(folder, 'sessions'));
    if (files.sources.length > 0)
      roots.push({ agent: 'hermes', path: join(folder, 'sessions'), exists: true, flat: true });
    sources.push(...files.sources);
    warnings.push(...files.warnings, ...(await elsewhere(folder)));
  }
  return { roots, sources, warnings };
}

async function profileFolders(home: string): Promise<string[]> {
  const entries = await readdir(join(home, PROFILES), { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map((entry) => join(home, PROFILES, entry.name))
    .sort();
}

async function databaseSource(path: string): Promise<NativeSource | null> {
  const info = await databaseStat(path);
  return info === null ? null : { agent: 'hermes', path, database: true, native_id: basename(path), ...info };
}

async function legacyFiles(folder: string): Promise<{ sources: NativeSource[]; warnings: Warning[] }> {
  const { files, warnings } = await walkFiles(folder, { maxDepth: 0, file: (name) => legacyId(name) !== null });
  const sources = files.map(
    ({ path, bytes, mtime_ms }): NativeSource => ({
      agent: 'hermes',
      path,
      native_id: legacyId(basename(path))!,
      bytes,
      mtime_ms,
    }),
  );
  return { sources, warnings };
}

/** Since schema 30 the sessions can lie in PostgreSQL; what is in `state.db` is old then. */
async function elsewhere(folder: string): Promise<Warning[]> {
  const file = join(folder, 'config.yaml');
  const text = textIfAny(file);
  const database = /^database:[ \t]*(?:#.*)?\n((?:[ \t]+.*(?:\n|$)|[ \t]*\n)*)/m.exec(text)?.[1] ?? '';
  if (!/^[ \t]+backend:[ \t]*["']?postgres/m.test(database)) return [];
  return [
    {
      about: 'unsupported-format',
      file,
      detail:
        'This Hermes keeps its sessions in PostgreSQL, which cannot be read yet. Set database.backend to sqlite, or export them with "hermes sessions export".',
    },
  ];
}

/** The name of the profile whose database this is; null for the default profile and for files elsewhere. */
export function profileOf(database: string, env: AgentEnv): string | null {
  const parts = relative(join(hermesHome(env), PROFILES), dirname(database)).split(sep);
  return parts.length === 1 && parts[0] !== '' && parts[0] !== '..' ? parts[0]! : null;
}

const LOG = /-(?:wal|shm|journal)$/;
const NAME = /^state[\w.-]*\.db$/;

/** A `state.db`, also a copy of one under a longer name (`state-backup.db`), or a session file of an older version. */
export async function recognise(path: string): Promise<Result<NativeSource>> {
  const database = path.replace(LOG, '');
  if (NAME.test(basename(database))) {
    const source = await databaseSource(database);
    if (source !== null) return ok(source);
  }
  const id = legacyId(basename(path));
  if (id === null)
    return fail('not_a_session', `${path} is no Hermes database: those are named ${DATABASE}.`, { path });
  try {
    const info = await stat(path);
    if (info.isFile()) return ok({ agent: 'hermes', path, native_id: id, bytes: info.size, mtime_ms: info.mtimeMs });
    return fail('not_a_session', `${path} is a folder, not a session of Hermes.`, { path });
  } catch (thrown) {
    return { ok: false, error: sourceError(path, thrown) };
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  );
}
