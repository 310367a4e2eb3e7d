import { existsSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { fail, ok, type Result } from '../../src/shared/errors.ts';
import type { AgentEnv, Discovery, NativeSource } from '../contract.ts';
import { walkFiles } from '../io/files.ts';
import { databaseStat } from '../io/sqlite-snapshot.ts';

const EDITOR = 'state.vscdb';
const TERMINAL = 'store.db';

/** The editor's database with all conversations; its place depends on the system. */
function editorFolders({ home, env }: AgentEnv): string[] {
  const config = env.XDG_CONFIG_HOME;
  const roaming = env.APPDATA;
  return [
    join(config !== undefined && isAbsolute(config) ? config : join(home, '.config'), 'Cursor'),
    join(home, 'Library', 'Application Support', 'Cursor'),
    ...(roaming === undefined || roaming === '' ? [] : [join(roaming, 'Cursor')]),
  ].map((folder) => join(folder, 'User', 'globalStorage'));
}

/** Finds the editor's database and those of cursor-agent, one a session, by name and stat. */
export async function discoverDatabases(env: AgentEnv): Promise<Discovery> {
  const chats = join(env.home, '.cursor', 'chats');
  const editors = editorFolders(env).filter((folder) => existsSync(folder));
  const roots: Discovery['roots'] = editors.map((path) => ({ agent: 'cursor', path, exists: true, flat: true }));
  if (roots.length === 0 || existsSync(chats)) roots.push({ agent: 'cursor', path: chats, exists: existsSync(chats) });
  const sources: NativeSource[] = [];
  for (const folder of editors) {
    const source = await databaseSource(join(folder, EDITOR));
    if (source !== null) sources.push(source);
  }
  const { files, warnings } = await walkFiles(chats, { maxDepth: 2, file: (name) => name === TERMINAL });
  for (const { path } of files) {
    const source = await databaseSource(path);
    if (source !== null) sources.push(source);
  }
  return { roots, sources, warnings };
}

async function databaseSource(path: string): Promise<NativeSource | null> {
  const info = await databaseStat(path);
  const native_id = basename(path) === TERMINAL ? basename(dirname(path)) : basename(path);
  return info === null ? null : { agent: 'cursor', path, database: true, native_id, ...info };
}

const LOG = /-(?:wal|shm|journal)$/;

/** A database of the editor or of cursor-agent, wherever it lies. */
export async function recogniseDatabase(path: string): Promise<Result<NativeSource>> {
  const database = path.replace(LOG, '');
  const name = basename(database);
  if (!name.endsWith('.vscdb') && name !== TERMINAL)
    return fail('not_a_session', `${path} is no database of Cursor: those are named ${EDITOR} and ${TERMINAL}.`, {
      path,
    });
  const source = await databaseSource(database);
  return source === null ? fail('source_unreadable', `${path} is not there, or it is no file.`, { path }) : ok(source);
}
