import { basename, dirname, join } from 'node:path';
import { ok, type Result } from '../../../src/shared/errors.ts';
import type { SessionEvent } from '../../../src/shared/events.ts';
import type { MaterializeOptions, WholeSession } from '../../contract.ts';
import { requireCwd } from '../../conversation/write.ts';
import { jsonlHome, type NativeRecord } from '../../home/jsonl.ts';
import type { Move } from '../../home/move.ts';
import { CHATS, projectHash } from '../home.ts';
import type { ReadArtifact } from '../native.ts';
import { isObject, type Json } from '../read/record.ts';
import { rebuildRecords } from '../rebuild.ts';
import { projectFolder, rootOf, sessionPath } from './place.ts';
import { registerProject } from './register.ts';

/** Sessions of Gemini CLI as they were: lines, or the one document of an old version. */
export const geminiHome = jsonlHome({
  label: 'Gemini CLI',
  final,
  records: currentRecords,
  moved,
  placed: registerProject,
});

async function final(session: WholeSession, options: MaterializeOptions): Promise<Result<string>> {
  const { row, within } = session;
  if (within !== undefined) return ok(join(dirname(within.path), within.native_id, `${row.native_id}.jsonl`));
  const { env, version, nativeId, at } = options;
  const cwd = requireCwd(options.cwd);
  if (!cwd.ok) return cwd;
  const extension = (await isDocument(session)) ? '.json' : '.jsonl';
  const own = nativeId === row.native_id ? row.source : null;
  const path = sessionPath(env, version, cwd.value, nativeId, at);
  const name = basename(own ?? path).replace(/\.jsonl?$/, extension);
  return ok(join(projectFolder(env, version, cwd.value), CHATS, name));
}

async function isDocument(session: WholeSession): Promise<boolean> {
  for await (const { record } of currentRecords(session.logs()[0]!, session.artifact)) return hasMessages(record);
  return false;
}

/** The records of the file that holds the session now: a document is written anew each time, and continued in lines. */
async function* currentRecords(log: AsyncIterable<SessionEvent>, read: ReadArtifact): AsyncGenerator<NativeRecord> {
  let document: NativeRecord | null = null;
  let lines = false;
  for await (const record of rebuildRecords(log, read)) {
    if (!lines && hasMessages(record.record)) {
      document = record;
      continue;
    }
    lines = true;
    yield record;
  }
  if (!lines && document !== null) yield document;
}

const hasMessages = (record: unknown): boolean => isObject(record) && Array.isArray(record.messages);

/** Only headers and updates name the session and its project; what was said about a folder stays as it was said. */
function moved(record: unknown, move: Move): unknown {
  if (!isObject(record)) return record;
  if (isObject(record.$set)) return { ...record, $set: moved(record.$set, move) };
  const copy: Json = { ...record };
  if ('sessionId' in copy) copy.sessionId = move.id(copy.sessionId);
  if (typeof copy.projectHash === 'string' && move.cwd !== null) copy.projectHash = projectHash(rootOf(move.cwd));
  if (Array.isArray(copy.directories)) copy.directories = copy.directories.map((folder) => move.folder(folder));
  return copy;
}
