import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { Redactor } from '../../src/core/redact/redactor.ts';
import type { Warning } from '../../src/shared/events.ts';
import type { StoreArtifact } from '../io/cut-text.ts';
import { type CursorSession, type Item, isObject, type Json, type Part, parsed, textOf } from './session.ts';
import { callPart, resultPart, systemPart, textPart, thinkingPart } from './tools.ts';

/** What a `store.db` says of its session; null = it is no session of cursor-agent. */
export function storeMeta(db: Database): Json | null {
  const row = db.prepare(`SELECT value FROM meta WHERE key = '0'`).get() as { value: unknown } | undefined;
  const hex = typeof row?.value === 'string' ? row.value : '';
  const meta = parsed(/^[0-9a-f]+$/i.test(hex) ? Buffer.from(hex, 'hex') : hex);
  return isObject(meta) ? meta : null;
}

/** Ids of the messages that the newest root lists, in order. Older roots stay in the database and are not looked at. */
export function messageIds(db: Database, meta: Json): string[] {
  const root = blobOf(db, textOf(meta.latestRootBlobId) ?? '');
  return root === undefined ? [] : references(root);
}

function blobOf(db: Database, id: string): Buffer | undefined {
  const row = db.prepare('SELECT data FROM blobs WHERE id = ?').get(id) as { data: unknown } | undefined;
  return row?.data instanceof Uint8Array ? Buffer.from(row.data) : undefined;
}

/** Members of field 1 with 32 bytes each; other fields are passed over. */
const references = (root: Buffer): string[] =>
  fieldsIn(root).fields.flatMap(({ field, data }) => (field === 1 && data.length === 32 ? [data.toString('hex')] : []));

/** The fields of a protobuf message that hold bytes. `whole`: it was one to its end. */
function fieldsIn(bytes: Buffer): { fields: { field: number; data: Buffer }[]; whole: boolean } {
  const fields: { field: number; data: Buffer }[] = [];
  let at = 0;
  while (at < bytes.length) {
    const tag = varint(bytes, at);
    if (tag === null) break;
    const wire = tag.value & 7;
    const size = wire === 2 ? varint(bytes, tag.next) : null;
    const fixed = { 1: 8, 5: 4 }[wire];
    const end =
      size !== null ? size.next + size.value : wire === 0 ? varint(bytes, tag.next)?.next : fixed && tag.next + fixed;
    if (end === undefined || end > bytes.length) break;
    if (size !== null) fields.push({ field: tag.value >> 3, data: bytes.subarray(size.next, end) });
    at = end;
  }
  return { fields, whole: at === bytes.length };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * A message of an older client, in protobuf: of a person the text and an id, of the model the text inside of a message.
 * By public descriptions only, so what does not fit to the last byte is none. undefined = something else.
 */
function olderMessage(data: Buffer): Json | undefined {
  const { fields, whole } = fieldsIn(data);
  const of = (all: typeof fields, wanted: number) => all.find(({ field }) => field === wanted)?.data;
  const first = of(fields, 1);
  if (!whole || first === undefined) return undefined;
  const id = of(fields, 2)?.toString('latin1') ?? '';
  if (UUID.test(id)) return isUtf8(first) ? { role: 'user', content: first.toString('utf8'), id } : undefined;
  const inner = fieldsIn(first);
  const text = of(inner.fields, 1);
  if (!inner.whole || text === undefined || !isUtf8(text)) return undefined;
  return { role: 'assistant', content: text.toString('utf8') };
}

function varint(bytes: Buffer, from: number): { value: number; next: number } | null {
  let value = 0;
  for (let at = from, shift = 0; at < bytes.length && shift < 35; at++, shift += 7) {
    const byte = bytes[at]!;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, next: at + 1 };
  }
  return null;
}

/** Reads the session of a `store.db`. `folder`: name of the folder it lies in, the MD5 of the project's path. */
export function readStore(
  db: Database,
  { id, meta: raw, folder }: { id: string; meta: Json; folder: string },
  redactor: Redactor,
  store: StoreArtifact,
): CursorSession {
  const meta = redactor.record(raw);
  const calls = new Map<string, { id: string; name: string; args: unknown }>();
  const warnings: Warning[] = [];
  let missing = 0;
  const items: Item[] = [];
  for (const blob of messageIds(db, raw)) {
    const data = blobOf(db, blob);
    if (data === undefined) {
      missing++;
      continue;
    }
    const message = parsed(data) ?? olderMessage(data);
    items.push(
      isObject(message) ? itemOf(redactor.record(message), blob, calls, store) : otherItem(data, blob, redactor),
    );
  }
  if (missing > 0)
    warnings.push({
      about: 'history-missing',
      detail: 'Messages that the session lists are not in the database.',
      count: missing,
    });
  return {
    id,
    title: textOf(meta.name) ?? null,
    cwd: folderIn(items, folder),
    model: textOf(meta.lastUsedModel) ?? null,
    started: typeof meta.createdAt === 'number' ? meta.createdAt / 1000 : null,
    parent: null,
    native: meta,
    items,
    warnings,
    unreadable: 0,
  };
}

/** The folder that the client's own context names, where its MD5 is the one that the session lies under. */
function folderIn(items: readonly Item[], folder: string): string | null {
  for (const { payload } of items.flatMap(({ parts }) => parts.filter(({ type }) => type === 'message.system'))) {
    for (const { text } of payload.content as { text: string }[]) {
      const path = /^Workspace Path: (.+?)\s*$/m.exec(text)?.[1];
      if (path !== undefined && createHash('md5').update(path).digest('hex') === folder) return path;
    }
  }
  return null;
}

/** What is no message in any known form is kept as the text that is in it. */
function otherItem(data: Buffer, id: string, redactor: Redactor): Item {
  const value = { text: redactor.text(data.toString('utf8').replace(/\ufffd|[\0-\x08\x0e-\x1f]/g, ' ')) };
  return { id, ts: null, parts: [], unknown: { kind: 'blob that is no JSON', value } };
}

function itemOf(
  message: Json,
  blob: string,
  calls: Map<string, { id: string; name: string; args: unknown }>,
  store: StoreArtifact,
): Item {
  const { role, content, ...native } = message;
  const parts =
    typeof content === 'string'
      ? [{ type: 'text', text: content }]
      : Array.isArray(content)
        ? content.filter(isObject)
        : [];
  const found = parts.flatMap((part) => partsOf(String(role), part, calls, store));
  if (!ROLES.has(String(role)))
    return { id: blob, ts: null, parts: [], unknown: { kind: `role ${String(role)}`, value: message } };
  return { id: blob, ts: null, parts: found, native };
}

const ROLES: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'tool']);

function partsOf(
  role: string,
  part: Json,
  calls: Map<string, { id: string; name: string; args: unknown }>,
  store: StoreArtifact,
): Part[] {
  const text = textOf(part.text) ?? '';
  if (part.type === 'tool-call') {
    const call = { id: textOf(part.toolCallId) ?? '', name: textOf(part.toolName) ?? '', args: part.args };
    calls.set(call.id, call);
    return [callPart(call.id, call.name, call.args)];
  }
  if (part.type === 'tool-result') {
    const id = textOf(part.toolCallId) ?? '';
    const call = calls.get(id) ?? { id, name: textOf(part.toolName) ?? '', args: {} };
    const said = textOf(part.result) ?? (part.result === undefined ? '' : JSON.stringify(part.result));
    return [resultPart(call, said, { isError: part.isError === true, closed: 'ran' }, store)];
  }
  if (text === '') return [];
  if (part.type === 'reasoning') return [thinkingPart(text, textOf(part.signature))];
  if (role === 'system') return [systemPart(text, 'instructions', false)];
  if (role === 'assistant') return [textPart('message.assistant', text)];
  return role === 'user' ? [userPart(text)] : [];
}

/** The client wraps what was typed, and gives its own context in the same role. */
function userPart(text: string): Part {
  const typed = /^\s*<user_query>\n?([\s\S]*?)\n?<\/user_query>\s*$/.exec(text)?.[1];
  if (typed !== undefined) return textPart('message.user', typed);
  if (/^\s*<user_info>/.test(text)) return systemPart(text, 'environment', false);
  return /^\s*<(\w+)>[\s\S]*<\/\1>\s*$/.test(text)
    ? systemPart(text, 'reminder', true)
    : textPart('message.user', text);
}
