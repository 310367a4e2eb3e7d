import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { fail, ok, type Result } from '../../src/shared/errors.ts';
import type { AgentEnv, Discovery, NativeSource } from '../contract.ts';
import { type FoundFile, walkFiles } from '../io/files.ts';
import { readJsonl } from '../io/jsonl.ts';
import { isChain } from './map-record.ts';
import { isObject } from './record.ts';
import { sideFolder } from './side-files.ts';
import { isAgentFile } from './subagents.ts';

/** Folder of settings and sessions: `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
export function configFolder({ home, env }: AgentEnv): string {
  const set = env.CLAUDE_CONFIG_DIR;
  return set === undefined || set === '' ? join(home, '.claude') : resolve(home, set);
}

/** Sessions lie two folders deep: projects/<dir>/<id>.jsonl, and projects/<dir>/<id>/subagents/agent-<id>.jsonl. */
const DEPTH = 3;

/**
 * Finds all session files by name and stat. Folder names are never decoded: the rule that made them loses information,
 * and the working directory stands in the records.
 */
export async function discover(env: AgentEnv): Promise<Discovery> {
  const root = join(configFolder(env), 'projects');
  const { files, warnings } = await walkFiles(root, {
    maxDepth: DEPTH,
    file: (name, relative) => isSession(name, relative) || isArchiveMark(name, relative),
    folder: (name, relative) => depth(relative) < DEPTH || name === 'subagents',
  });
  const archived = new Set(files.filter(({ path }) => basename(path) === ARCHIVED).map(({ path }) => dirname(path)));
  const sources = files.filter(({ path }) => basename(path) !== ARCHIVED).map(sourceOf);
  for (const source of sources) if (archived.has(sideFolder(source.path))) source.archived = true;
  return { roots: [{ agent: 'claude', path: root, exists: existsSync(root) }], sources, warnings };
}

function depth(relative: string): number {
  return relative.split(sep).length;
}

function isSession(name: string, relative: string): boolean {
  if (!name.endsWith('.jsonl')) return false;
  if (depth(relative) === 2) return true;
  return depth(relative) === 4 && isAgentFile(name);
}

/** The SDK's mark beside an archived session. What it says is read at capture. */
const ARCHIVED = 'archived.json';

function isArchiveMark(name: string, relative: string): boolean {
  return name === ARCHIVED && depth(relative) === 3;
}

function sourceOf({ path, bytes, mtime_ms }: Pick<FoundFile, 'path' | 'bytes' | 'mtime_ms'>): NativeSource {
  const folder = dirname(path);
  const source: NativeSource = { agent: 'claude', path, native_id: basename(path, '.jsonl'), bytes, mtime_ms };
  if (basename(folder) === 'subagents') source.parent = { kind: 'subagent', native_id: basename(dirname(folder)) };
  return source;
}

/** Lines that are looked at to tell whether a file is a session. */
const LOOK = 200;

/** A file that the user points at. Errors: source_unreadable, not_a_session. */
export async function recognise(path: string, _env: AgentEnv): Promise<Result<NativeSource>> {
  const { files, warnings } = await walkFiles(dirname(path), {
    maxDepth: 0,
    file: (name) => name === basename(path),
  });
  const [file] = files;
  if (file === undefined) {
    const reason = warnings[0]?.detail ?? 'It is not there, or it is no file.';
    return fail('source_unreadable', `Cannot read ${path}. ${reason}`, { path });
  }
  const source = sourceOf({ ...file, path });
  if (existsSync(join(sideFolder(path), ARCHIVED))) source.archived = true;
  if (looksLikeSession(path)) return ok(source);
  return fail('not_a_session', `${path} is no session of Claude Code: no line of it has the form of one.`, { path });
}

function looksLikeSession(path: string): boolean {
  if (!path.endsWith('.jsonl')) return false;
  let seen = 0;
  for (const batch of readJsonl(path, { redactor: null, chunkBytes: 64 * 1024 })) {
    for (const line of batch) {
      for (const record of line.records) {
        if (isObject(record) && isChain(record) && (isObject(record.message) || typeof record.sessionId === 'string'))
          return true;
      }
      if (++seen > LOOK) return false;
    }
  }
  return false;
}
