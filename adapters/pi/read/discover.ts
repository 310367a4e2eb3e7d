import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { fail, ok, type Result } from '../../../src/shared/errors.ts';
import type { AgentEnv, Discovery, NativeSource, SourceRoot } from '../../contract.ts';
import { walkFiles } from '../../io/files.ts';
import { readJsonl } from '../../io/jsonl.ts';
import { sourceError } from '../../io/source-error.ts';
import { isObject } from '../json.ts';
import { agentFolder, idOfName, sessionFolders } from '../places.ts';
import { isHeader } from './header.ts';

/**
 * Finds session files by name and stat: one folder deep in `sessions`, side by side in a folder that the user set, and side by
 * side in the agent folder itself, where versions before 0.7.6 put them. Folder names are never decoded: they lose
 * information, and the project stands in the header.
 */
export async function discoverSessions(env: AgentEnv): Promise<Discovery> {
  const { standard, flat } = sessionFolders(env);
  const roots: SourceRoot[] = [{ agent: 'pi', path: standard, exists: existsSync(standard) }];
  const agent = agentFolder(env);
  const walks = [walkSessions(standard, 1), walkSessions(agent, 0)];
  if (flat !== null && flat !== standard && flat !== agent) {
    roots.push({ agent: 'pi', path: flat, exists: existsSync(flat), flat: true });
    walks.push(walkSessions(flat, 0));
  }
  const found = await Promise.all(walks);
  return {
    roots,
    sources: found.flatMap(({ files }) => files.map(({ path, bytes, mtime_ms }) => sourceOf(path, bytes, mtime_ms))),
    warnings: found.flatMap(({ warnings }) => warnings),
  };
}

function walkSessions(root: string, maxDepth: number): ReturnType<typeof walkFiles> {
  return walkFiles(root, { maxDepth, file: (name) => name.endsWith('.jsonl') && !name.startsWith('.') });
}

function sourceOf(path: string, bytes: number, mtime_ms: number): NativeSource {
  return { agent: 'pi', path, native_id: idOfName(basename(path)), bytes, mtime_ms };
}

/** A file that the user points at, of any name. Errors: source_unreadable, not_a_session. */
export async function recogniseSession(path: string, _env: AgentEnv): Promise<Result<NativeSource>> {
  try {
    const info = await stat(path);
    if (info.isFile() && looksLikeSession(path)) return ok(sourceOf(path, info.size, info.mtimeMs));
  } catch (error) {
    return { ok: false, error: sourceError(path, error) };
  }
  return fail(
    'not_a_session',
    `${path} is no session of Pi: those are .jsonl files that begin with a session header.`,
    {
      path,
    },
  );
}

/** Lines that are looked at to tell whether a file without a header is a session. */
const LOOK = 50;

function looksLikeSession(path: string): boolean {
  if (!path.endsWith('.jsonl')) return false;
  let seen = 0;
  for (const batch of readJsonl(path, { redactor: null, chunkBytes: 64 * 1024 })) {
    for (const { records } of batch) {
      for (const record of records) if (isHeader(record) || isEntry(record, path)) return true;
      if (++seen > LOOK) return false;
    }
  }
  return false;
}

/** An entry of a file whose header was damaged: its shape is Pi's own, and so is the file's place or name. */
function isEntry(record: unknown, path: string): boolean {
  if (!isObject(record) || record.type !== 'message' || !isObject(record.message)) return false;
  return (
    'parentId' in record &&
    (/^--.*--$/.test(basename(dirname(path))) || idOfName(basename(path)) !== basename(path, '.jsonl'))
  );
}
