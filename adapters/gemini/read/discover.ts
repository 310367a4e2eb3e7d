import { existsSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { fail, ok, type Result, toAppError } from '../../../src/shared/errors.ts';
import type { AgentEnv, Discovery, NativeSource } from '../../contract.ts';
import { type FoundFile, readSmallFile, walkFiles } from '../../io/files.ts';
import { readJsonl } from '../../io/jsonl.ts';
import { CHATS, geminiHome, isHashFolder, placeOf, projectsFolder } from '../home.ts';
import { DOCUMENT_LIMIT, readDocument } from './document.ts';
import { isObject, recordOf } from './record.ts';

/** Sessions lie in <project>/chats, those of sub-agents one folder deeper. */
const DEPTH = 3;

/** Finds the sessions of all projects by name and stat alone. */
export async function discoverSessions(env: AgentEnv): Promise<Discovery> {
  const root = projectsFolder(geminiHome(env));
  const { files, warnings } = await walkFiles(root, {
    maxDepth: DEPTH,
    file: (_, relative) => placeOf(join(root, relative)) !== null,
    folder: (name, relative) => {
      const depth = relative.split(sep).length;
      return depth === 1 || (depth === 2 ? name === CHATS : relative.split(sep)[1] === CHATS);
    },
  });
  return {
    roots: [{ agent: 'gemini', path: root, exists: existsSync(root) }],
    sources: withoutTwins(files).map(sourceOf),
    warnings,
  };
}

/**
 * One session can lie in several files: the .json of an old version beside the .jsonl that goes on with it, and the
 * folder of an old version, which the client copies whole into the project's new folder.
 */
function withoutTwins(files: readonly FoundFile[]): FoundFile[] {
  const documents = new Map(files.filter(({ path }) => path.endsWith('.json')).map((file) => [file.path, file]));
  const whole = files.flatMap((file): FoundFile[] => {
    if (documents.has(documentOf(file.path)) && file.path.endsWith('.jsonl')) return [];
    const lines = files.find(({ path }) => path === `${file.path}l`);
    return [lines === undefined ? file : { ...lines, path: file.path }];
  });
  const current = new Set(whole.filter(({ path }) => !isOld(path)).map(nameOf));
  return whole.filter((file) => !isOld(file.path) || !current.has(nameOf(file)));
}

/** The document that a file of lines goes on with, where there is one. It is the session's path for ever. */
export const documentOf = (path: string): string => path.replace(/\.jsonl$/, '.json');

const nameOf = ({ path }: FoundFile): string => basename(documentOf(path));

function isOld(path: string): boolean {
  const place = placeOf(path);
  return place !== null && isHashFolder(basename(place.project));
}

function sourceOf({ path, bytes, mtime_ms }: Pick<FoundFile, 'path' | 'bytes' | 'mtime_ms'>): NativeSource {
  const place = placeOf(path);
  const native_id = place?.id ?? basename(path).replace(/\.jsonl?$/, '');
  const source: NativeSource = { agent: 'gemini', path, native_id, bytes, mtime_ms };
  if (place !== null && place.parent !== null) source.parent = { kind: 'subagent', native_id: place.parent };
  return source;
}

/** A file that the user points at, wherever it lies. Errors: source_unreadable, not_a_session. */
export async function recogniseSession(path: string): Promise<Result<NativeSource>> {
  const { files, warnings } = await walkFiles(dirname(path), { maxDepth: 0, file: (name) => name === basename(path) });
  const [file] = files;
  if (file === undefined) {
    const reason = warnings[0]?.detail ?? 'It is not there, or it is no file.';
    return fail('source_unreadable', `Cannot read ${path}. ${reason}`, { path });
  }
  const document = documentOf(path);
  const first = document !== path && existsSync(document) ? document : path;
  if (looksLikeSession(path)) return ok(sourceOf({ ...file, path: first }));
  return fail('not_a_session', `${path} is no session of Gemini CLI: it does not begin with the header of one.`, {
    path,
  });
}

/** Records that are looked at to tell whether a file is a session. */
const LOOK = 20;

function looksLikeSession(path: string): boolean {
  if (!/\.jsonl?$/.test(path)) return false;
  try {
    // the lines of a document can be records by themselves, but never its header
    if (isDocument(path)) return true;
    let seen = 0;
    for (const batch of readJsonl(path, { redactor: null, chunkBytes: 64 * 1024 })) {
      for (const record of batch.flatMap(({ records }) => records).filter(isObject)) {
        if (recordOf(record).kind === 'header') return true;
        if (++seen > LOOK) return false;
      }
      if (seen === 0) break;
    }
    return false;
  } catch (thrown) {
    return toAppError(thrown).code === 'source_unreadable' && placeOf(path) !== null;
  }
}

function isDocument(path: string): boolean {
  const text = path.endsWith('.json') ? readSmallFile(path, DOCUMENT_LIMIT) : null;
  return text?.ok === true && recordOf(readDocument(Buffer.from(text.value).toString()).header).kind === 'header';
}
