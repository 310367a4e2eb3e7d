import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppFailure } from '../../../src/shared/errors.ts';
import type { FileMark } from '../../io/files.ts';
import { readJsonl } from '../../io/jsonl.ts';
import { placeOf, projectHash } from '../home.ts';
import { projectOf } from '../project.ts';
import { DOCUMENT_LIMIT } from './document.ts';
import { isObject, type Json, partsOf, recordOf } from './record.ts';

/**
 * The project's folder: the mark of the folder that the session lies in, else what the session itself says, where the hash
 * in its header proves it. null = not known.
 */
export function folderOf(path: string, header: Json | null, records: readonly { record: Json }[]): string | null {
  const place = placeOf(path);
  const known = place === null ? null : projectOf(place.project);
  if (known !== null) return known;
  const told = Array.isArray(header?.directories) ? header.directories : [];
  const said = records.flatMap(({ record }) => foldersIn(record));
  const found = [...told, ...said].find((one) => typeof one === 'string' && projectHash(one) === header?.projectHash);
  return typeof found === 'string' ? found : null;
}

/** Folders that the client's context names, the project's own first. */
function foldersIn(record: Json): string[] {
  const native = recordOf(record);
  const messages = native.kind === 'message' ? [native.message] : native.kind === 'set' ? (native.messages ?? []) : [];
  return messages
    .flatMap(({ content }) => partsOf(content))
    .flatMap(({ text }) => (typeof text === 'string' && text.includes('<session_context>') ? text.split('\n') : []))
    .flatMap((line) => /^\s+- (\/.+|[A-Za-z]:\\.+)$/.exec(line)?.[1] ?? []);
}

/** The file that holds the session now: a document is continued in lines beside it. */
export function currentFile(path: string): string {
  return path.endsWith('.json') && existsSync(`${path}l`) ? `${path}l` : path;
}

/** Text of a file that is one document; null = it holds lines. */
export function documentText(path: string, { size }: FileMark): string | null {
  if (size > DOCUMENT_LIMIT)
    throw new AppFailure({
      code: 'source_unreadable',
      message: `${path} has ${size} bytes; a session in one document is read up to ${DOCUMENT_LIMIT}.`,
      details: { path },
    });
  const text = readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  const [first = '', second] = text.split('\n', 2);
  const lines = first.trimEnd().endsWith('}') && second !== undefined && second.trim() !== '';
  return lines ? null : text;
}

/** File of a sub-agent. */
export function childPath(path: string, session: string, child: string): string {
  const chats = placeOf(path)?.chats ?? join(path, '..');
  return join(chats, session.replace(/[^A-Za-z0-9-_]/g, '_'), `${child}.jsonl`);
}

/** Sessions larger than this are not searched for the call of a sub-agent. */
const MAX_SEARCH = 1 << 26;

/** The call of a session that started a sub-agent. */
export function callOf(chats: string, session: string, agent: string): string | undefined {
  try {
    const names = readdirSync(chats).filter((name) => name.includes(session.slice(0, 8)) && name.endsWith('.jsonl'));
    for (const name of names)
      for (const batch of readJsonl(join(chats, name), { redactor: null, maxLineBytes: MAX_SEARCH }))
        for (const record of batch.flatMap(({ records }) => records)) {
          const calls = isObject(record) && Array.isArray(record.toolCalls) ? record.toolCalls.filter(isObject) : [];
          const call = calls.find(({ agentId }) => agentId === agent);
          if (typeof call?.id === 'string') return call.id;
        }
  } catch {
    // a parent that is gone or cannot be read only means that the call stays unknown
  }
  return undefined;
}
