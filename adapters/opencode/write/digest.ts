import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type Database from 'better-sqlite3';
import { canonicalJson } from '../../../src/core/log/canonical-json.ts';
import { isObject, type Json, parsedObject } from '../json.ts';

/** A message of a session as it is kept: what is in its row and in those of its parts, ids apart. */
export interface Kept {
  id: string;
  data: Json;
  parts: { id: string; data: Json }[];
}

/** Messages of a file that export.ts wrote, one a line. */
export async function* messagesOfFile(path: string): AsyncGenerator<Kept> {
  const lines = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
  let head = true;
  for await (const line of lines) {
    if (head || line === '' || line === ']}') {
      head = false;
      continue;
    }
    const message = parsedObject(line.endsWith(',') ? line.slice(0, -1) : line);
    if (message === null || !isObject(message.info) || !Array.isArray(message.parts)) return;
    const { id, sessionID: _, ...data } = message.info;
    yield { id: String(id), data, parts: (message.parts as Json[]).map(partOf) };
  }
}

function partOf({ id, sessionID: _, messageID: __, ...data }: Json): Kept['parts'][number] {
  return { id: String(id), data };
}

/** The session record at the head of such a file. */
export async function headOfFile(path: string): Promise<Json | null> {
  const lines = createInterface({ input: createReadStream(path, 'utf8') });
  for await (const line of lines) {
    lines.close();
    const head = parsedObject(`${line.replace(/,"messages":\[$/, '')}}`);
    return isObject(head?.info) ? head.info : null;
  }
  return null;
}

/** Messages of a session in a database, in the order in which OpenCode reads them. */
export function* messagesOfDatabase(db: Database, sessionId: string): Generator<Kept> {
  const messages = db.prepare('SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id');
  const parts = db.prepare('SELECT id, data FROM part WHERE message_id = ? ORDER BY id');
  for (const { id, data } of messages.all(sessionId) as { id: string; data: string }[]) {
    const own = (parts.all(id) as { id: string; data: string }[]).map((part) => ({
      id: part.id,
      data: parsedObject(part.data) ?? {},
    }));
    yield { id, data: parsedObject(data) ?? {}, parts: own };
  }
}

/** SHA-256 (hex) over all messages with their ids: the same for the file and for what OpenCode made of it. */
export async function digestOf(messages: AsyncIterable<Kept> | Iterable<Kept>): Promise<string> {
  const hash = createHash('sha256');
  for await (const message of messages) hash.update(canonicalJson(message)).update('\n');
  return hash.digest('hex');
}
