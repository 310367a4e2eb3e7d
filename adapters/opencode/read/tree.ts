import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fail, ok, type Result } from '../../../src/shared/errors.ts';
import type { CaptureOptions, CaptureOutcome, CaptureSink, Cursor, NativeSource } from '../../contract.ts';
import { readText } from '../../io/open-file.ts';
import { sourceError } from '../../io/source-error.ts';
import { isObject, type Json, numberOf, objectOf, parsedObject, textOf } from '../json.ts';
import { captureSession } from './capture.ts';
import type { ForkOf, NativeRecord, NativeSession, SessionHead } from './session.ts';
import { type TreePlace, treePlace } from './tree-files.ts';

/** Reads a session that is kept as JSON files. See `SessionAdapter.capture`. */
export async function captureTree(
  source: NativeSource,
  cursor: Cursor | null,
  sink: CaptureSink,
  options: CaptureOptions,
): Promise<Result<CaptureOutcome>> {
  const session = treeSession(source.path);
  if (!session.ok) return session;
  const pathOf = (id: string): string => join(dirname(source.path), `${id}.json`);
  return captureSession({ session: session.value, source, cursor, sink, options, pathOf });
}

/** The session of a file. Errors: not_a_session, source_unreadable. */
export function treeSession(path: string): Result<NativeSession> {
  const place = treePlace(path);
  if (place === null) return fail('not_a_session', `${path} is no session of OpenCode.`, { path });
  let record: Json | null;
  try {
    record = parsedObject(readText(path));
  } catch (thrown) {
    return { ok: false, error: sourceError(path, thrown) };
  }
  if (record === null) return fail('not_a_session', `${path} holds no session: it is no JSON object.`, { path });
  return ok(new TreeSession(basename(path, '.json'), record, place));
}

/** A session in a tree of JSON files: 0.5 (one tree a project) or 1.0 to 1.1 (one tree for all). */
class TreeSession implements NativeSession {
  readonly id: string;
  readonly record: Json;
  readonly head: SessionHead;
  readonly callId: string | null = null;
  readonly #place: TreePlace;

  constructor(id: string, record: Json, place: TreePlace) {
    this.id = id;
    this.record = record;
    this.#place = place;
    this.head = this.#head();
  }

  messages(): NativeRecord[] {
    return recordsIn(this.#place.messages).sort(
      (a, b) => (a.created ?? 0) - (b.created ?? 0) || (a.id < b.id ? -1 : 1),
    );
  }

  parts(messageId: string): NativeRecord[] {
    return recordsIn(this.#place.parts(messageId));
  }

  todos(): Json[] {
    if (this.#place.todos === null) return [];
    try {
      const list: unknown = JSON.parse(readText(this.#place.todos));
      return Array.isArray(list) ? list.filter(isObject) : [];
    } catch {
      return [];
    }
  }

  /** Before 1.2 a fork had times of its own: nothing tells it from a session that says the same. */
  fork(): ForkOf | null {
    return null;
  }

  #head(): SessionHead {
    const { record } = this;
    const time = objectOf(record.time);
    const revert = objectOf(record.revert);
    const messageId = textOf(revert.messageID);
    const answer = this.messages().find(({ data }) => data?.role === 'assistant')?.data;
    return {
      directory: textOf(record.directory) ?? textOf(objectOf(answer?.path).cwd),
      title: textOf(record.title),
      version: textOf(record.version),
      parent: textOf(record.parentID),
      created: numberOf(time.created),
      archived: numberOf(time.archived) !== null,
      model: null,
      revert: messageId === null ? null : { messageId, partId: textOf(revert.partID) },
    };
  }
}

/** Records of a folder by name. A file that cannot be read is a record without data. */
function recordsIn(folder: string): NativeRecord[] {
  return namesIn(folder).map((name) => {
    const text = contentOf(join(folder, name));
    const data = parsedObject(text);
    return { id: basename(name, '.json'), created: numberOf(objectOf(data?.time).created), text, data };
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort();
  } catch {
    return [];
  }
}

function contentOf(path: string): string {
  try {
    return readText(path);
  } catch {
    return '';
  }
}
