import type Database from 'better-sqlite3';
import type { Redactor } from '../../src/core/redact/redactor.ts';
import type { ToolResult, Warning } from '../../src/shared/events.ts';
import type { NativeParent } from '../contract.ts';
import type { StoreArtifact } from '../io/cut-text.ts';
import { type CursorSession, type Item, isObject, type Json, type Part, parsed, textOf } from './session.ts';
import { callPart, resultPart, textPart, thinkingPart } from './tools.ts';

const COMPOSER = 'composerData:';

/** A conversation of the editor, by its row alone. */
export interface ComposerRow {
  id: string;
  composer: Json;
  /** text of the row, for telling changes */
  raw: string;
}

/** All conversations of a `state.vscdb` that hold anything. */
export function* composersOf(db: Database): Generator<ComposerRow> {
  const rows = db.prepare(
    `SELECT CAST(key AS TEXT) AS key, CAST(value AS BLOB) AS value FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY 1`,
  );
  for (const { key, value } of rows.iterate(COMPOSER, `${COMPOSER.slice(0, -1)};`) as IterableIterator<{
    key: string;
    value: unknown;
  }>) {
    const composer = parsed(value);
    if (!isObject(composer) || (headersOf(composer).length === 0 && inlineOf(composer).length === 0)) continue;
    yield { id: key.slice(COMPOSER.length), composer, raw: Buffer.from(value as Uint8Array).toString('utf8') };
  }
}

/** Order of the bubbles; their texts are rows of their own. */
function headersOf({ fullConversationHeadersOnly: headers }: Json): Json[] {
  return Array.isArray(headers) ? headers.filter(isObject) : [];
}

/** Old versions keep the bubbles inside. */
function inlineOf({ conversation }: Json): Json[] {
  return Array.isArray(conversation) ? conversation.filter(isObject) : [];
}

/** Rows of a conversation's bubbles, as text by bubble id. */
export function bubblesOf(db: Database, composer: string): Map<string, string> {
  const prefix = `bubbleId:${composer}:`;
  const rows = db.prepare(
    'SELECT CAST(key AS TEXT) AS key, CAST(value AS BLOB) AS value FROM cursorDiskKV WHERE key >= ? AND key < ?',
  );
  const bubbles = new Map<string, string>();
  for (const { key, value } of rows.iterate(prefix, `${prefix.slice(0, -1)};`) as IterableIterator<{
    key: string;
    value: unknown;
  }>)
    if (value instanceof Uint8Array) bubbles.set(key.slice(prefix.length), Buffer.from(value).toString('utf8'));
  return bubbles;
}

/** The project's folder, as far as the conversation or one of its bubbles names it. */
function folderOf(composer: Json, bubbles: readonly Json[]): string | null {
  const workspace = isObject(composer.workspaceIdentifier) ? composer.workspaceIdentifier : {};
  const uri = isObject(workspace.uri) ? workspace.uri : {};
  if (typeof uri.fsPath === 'string') return uri.fsPath;
  for (const { workspaceUris } of bubbles) {
    const first: unknown = Array.isArray(workspaceUris) ? workspaceUris[0] : undefined;
    if (typeof first === 'string') return pathOf(first);
  }
  return null;
}

/** Path of a `file:` address; null for remote ones. */
export function pathOf(uri: string): string | null {
  if (!uri.startsWith('file:///')) return null;
  try {
    return decodeURIComponent(new URL(uri).pathname);
  } catch {
    return null;
  }
}

/** Reads a conversation of the editor. `parents`: the conversation that started another one. */
export function readComposer(
  db: Database,
  { id, composer: raw }: ComposerRow,
  parents: ReadonlyMap<string, string>,
  redactor: Redactor,
  store: StoreArtifact,
): CursorSession {
  const composer = redactor.record(raw);
  const rows = bubblesOf(db, id);
  const warnings: Warning[] = [];
  let missing = 0;
  let unreadable = 0;
  const bubbles = [...inlineOf(composer)];
  for (const { bubbleId } of headersOf(composer)) {
    const row = typeof bubbleId === 'string' ? rows.get(bubbleId) : undefined;
    const bubble = row === undefined ? undefined : parsed(row);
    if (isObject(bubble)) bubbles.push(redactor.record({ bubbleId, ...bubble }));
    else if (row === undefined) missing++;
    else unreadable++;
  }
  if (missing > 0)
    warnings.push({
      about: 'history-missing',
      detail: 'Messages that the conversation lists are not in the database.',
      count: missing,
    });
  if (unreadable > 0)
    warnings.push({
      about: 'malformed-line',
      detail: 'Messages of the conversation cannot be read: they are no JSON.',
      count: unreadable,
    });
  const { conversation: _, conversationMap: __, fullConversationHeadersOnly: ___, ...native } = composer;
  const parent = parents.get(id);
  return {
    id,
    title: textOf(composer.name) ?? null,
    cwd: folderOf(composer, bubbles),
    model: modelOf(composer),
    started: secondsOf(composer.createdAt),
    parent: parent === undefined ? null : ({ kind: 'subagent', native_id: parent } satisfies NativeParent),
    native,
    items: bubbles.map((bubble, n) => itemOf(bubble, n, redactor, store)),
    warnings,
    unreadable,
  };
}

function modelOf({ modelConfig }: Json): string | null {
  return (isObject(modelConfig) ? textOf(modelConfig.modelName) : undefined) ?? null;
}

/** Milliseconds or ISO text. */
function secondsOf(time: unknown): number | null {
  if (typeof time === 'number' && Number.isFinite(time) && time > 1e11) return time / 1000;
  const ms = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(ms) ? null : ms / 1000;
}

function itemOf(bubble: Json, n: number, redactor: Redactor, store: StoreArtifact): Item {
  const { text: said, richText: _, thinking, toolFormerData, timingInfo, ...native } = bubble;
  const id = textOf(bubble.bubbleId) ?? `bubble-${n}`;
  const timing = isObject(timingInfo) ? timingInfo : {};
  const ts = secondsOf(bubble.createdAt) ?? secondsOf(timing.clientRpcSendTime);
  const text = textOf(said) ?? '';
  if (bubble.type !== 1 && bubble.type !== 2)
    return { id, ts, parts: [], unknown: { kind: `bubble type ${String(bubble.type)}`, value: bubble } };
  const parts: Part[] = [];
  if (bubble.type === 1) parts.push(textPart('message.user', text));
  else {
    const thought = isObject(thinking) ? (textOf(thinking.text) ?? '') : '';
    if (thought !== '') parts.push(thinkingPart(thought));
    if (text !== '') parts.push(textPart('message.assistant', text));
    if (isObject(toolFormerData)) parts.push(...toolParts(toolFormerData, id, redactor, store));
  }
  const item: Item = { id, ts, parts, native: { ...native, ...(isObject(timingInfo) ? { timingInfo } : {}) } };
  const tokens = isObject(bubble.tokenCount) ? bubble.tokenCount : {};
  const [input, output] = [tokens.inputTokens, tokens.outputTokens].map((one) =>
    typeof one === 'number' && one > 0 ? one : 0,
  );
  if (input! + output! > 0) item.usage = { input: input!, output: output! };
  return item;
}

/** A call and, once it has ended, its result. Arguments and results are JSON texts. */
function toolParts(tool: Json, bubble: string, redactor: Redactor, store: StoreArtifact): Part[] {
  const id = textOf(tool.toolCallId) ?? bubble;
  const name = textOf(tool.name) ?? 'unknown';
  const raw = textOf(tool.rawArgs) ?? textOf(tool.params) ?? '';
  const args: unknown = redactor.record(parsed(raw) ?? raw);
  const call = callPart(id, name, args);
  const { error, result, status, userDecision } = tool;
  const failed = status === 'error' || textOf(error) !== undefined;
  const text = textOf(error) ?? textOf(result);
  const closed: ToolResult['closed'] =
    userDecision === 'rejected' || status === 'rejected' ? 'denied' : status === 'cancelled' ? 'interrupted' : 'ran';
  if (text === undefined && closed === 'ran' && status !== 'completed' && !failed) return [call];
  return [call, resultPart({ id, name, args }, text ?? '', { isError: failed || closed !== 'ran', closed }, store)];
}
