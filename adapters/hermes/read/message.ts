import type { Redactor } from '../../../src/core/redact/redactor.ts';
import type { StoreArtifact } from '../../io/cut-text.ts';
import { isObject, type Json, parsed, pythonJson, word } from '../json.ts';
import { type Content, decodeContent, type Part } from './content.ts';

/** One call of an assistant row. */
export interface Call {
  id: string;
  name: string;
  /** an object; a string where the arguments are no JSON object */
  arguments: Json | string;
}

export interface Reasoning {
  text: string | null;
  /** provider data that is only good as a whole: `reasoning_details`, `codex_reasoning_items` */
  opaque: Json | null;
  /** what of the columns the text does not give back */
  native: Json;
}

/** A row of `messages` (or a message of a legacy file), decoded: plain JSON, its pictures put aside. */
export interface Message {
  role: string;
  content: Content;
  calls: Call[];
  /** of a tool row: the call it answers */
  callId: string | null;
  reasoning: Reasoning | null;
  /** the exact text sent to the model, where it is not the content */
  sent: string | null;
  /** columns that nothing else gives back (rebuild.ts) */
  row: Json;
  /** columns that could not be read, with the reason */
  unreadable: { field: string; detail: string }[];
}

/** Columns with a place of their own in the event, or in its origin. */
const PLACED: ReadonlySet<string> = new Set([
  'id',
  'session_id',
  'role',
  'content',
  'timestamp',
  'tool_calls',
  'tool_call_id',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'codex_reasoning_items',
  'codex_message_items',
]);
const USUAL: Record<string, unknown> = { active: 1, compacted: 0, observed: 0, _compressed_summary: 0 };

/** Decodes a row. `unmarked` = a legacy file, whose values are JSON already. */
export function decodeMessage(native: Json, store: StoreArtifact): Message {
  const unreadable: Message['unreadable'] = [];
  const row = restOf(native);
  const role = typeof native.role === 'string' ? native.role : '';
  const content = contentOf(native.content, row, unreadable, store);
  const sent = word(native.api_content);
  if (role === 'assistant' && sent !== null && content.shape === 'text' && typeof native.content === 'string')
    replySent(native.content, sent, content, row);
  const calls = role === 'assistant' ? callsOf(native.tool_calls, row, unreadable) : [];
  if (role !== 'assistant' && given(native.tool_calls)) row.tool_calls = native.tool_calls;
  const callId = word(native.tool_call_id);
  if (role !== 'tool' && given(native.tool_call_id)) row.tool_call_id = native.tool_call_id;
  const items = given(native.codex_message_items) ? json(native.codex_message_items, 'codex_message_items', row) : null;
  if (items !== null) fillFromItems(items, content, row);
  return {
    role,
    content,
    calls,
    callId,
    reasoning: reasoningOf(native, row),
    sent,
    row,
    unreadable,
  };
}

/** A reply is what its model reads again; where the person was shown another text, that one is kept beside it. */
function replySent(shown: string, sent: string, content: Content, row: Json): void {
  if (shown === sent) return;
  row.content = shown;
  content.parts = [{ kind: 'text', text: sent }];
}

const given = (value: unknown): boolean => value !== null && value !== undefined;

function restOf(native: Json): Json {
  const row: Json = {};
  for (const name in native) {
    const value = native[name];
    if (value === null || value === undefined || PLACED.has(name) || USUAL[name] === value) continue;
    row[name] = value instanceof Uint8Array ? { $blob: Buffer.from(value).toString('hex') } : value;
  }
  return row;
}

function contentOf(value: unknown, row: Json, unreadable: Message['unreadable'], store: StoreArtifact): Content {
  const content = decodeContent(value, store);
  if (content !== null) {
    if (content.shape === 'list') {
      row.list = true;
      if (content.parts.some((part) => part.kind !== 'opaque' && part.native !== undefined))
        row.parts = content.parts.map((part) => (part.kind === 'opaque' ? null : (part.native ?? null)));
    }
    return content;
  }
  unreadable.push({ field: 'content', detail: 'The content of this message is not the text that Hermes writes.' });
  if (value instanceof Uint8Array) {
    row.content = { $blob: Buffer.from(value).toString('hex') };
    return { shape: 'text', parts: [{ kind: 'text', text: Buffer.from(value).toString('utf8') }] };
  }
  row.content = value;
  const text = typeof value === 'string' ? value.replace('\0', '') : JSON.stringify(value);
  return { shape: 'text', parts: [{ kind: 'text', text }] };
}

function callsOf(value: unknown, row: Json, unreadable: Message['unreadable']): Call[] {
  if (!given(value)) return [];
  const list = typeof value === 'string' ? parsed(value) : value;
  if (!Array.isArray(list)) {
    unreadable.push({
      field: 'tool_calls',
      detail: 'The tool calls of this message are damaged; Hermes itself leaves them out.',
    });
    row.tool_calls = value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value;
    return [];
  }
  const calls = list.flatMap((entry: unknown, i): Call[] => (isObject(entry) ? [callOf(entry, i)] : []));
  if (!list.every((entry: unknown, i) => isObject(entry) && isUsual(entry, calls[i]!))) row.tool_calls = value;
  return calls;
}

/** Nested as Hermes writes it, or flat as older and foreign rows have it. */
function callOf(entry: Json, at: number): Call {
  const inner = isObject(entry.function) ? entry.function : entry;
  const id = word(entry.call_id) ?? word(entry.id) ?? `call-${at + 1}`;
  const name = word(inner.name) ?? '';
  const raw = inner.arguments;
  if (isObject(raw)) return { id, name, arguments: raw };
  if (typeof raw !== 'string') return { id, name, arguments: {} };
  const args = parsed(raw);
  return { id, name, arguments: isObject(args) ? args : raw };
}

/** Whether an entry has the members that the live agent writes, and no others. */
function isUsual(entry: Json, { id, name }: Call): boolean {
  const { function: called, ...usual } = entryOf({ id, name, arguments: {} });
  const inner = entry.function;
  return (
    isObject(called) &&
    isObject(inner) &&
    Object.keys(inner).length === 2 &&
    inner.name === name &&
    typeof inner.arguments === 'string' &&
    Object.keys(entry).length === 5 &&
    Object.entries(usual).every(([member, value]) => entry[member] === value)
  );
}

/** A call as the live agent writes it. */
export function entryOf(call: Call): Json {
  const { id, name } = call;
  const item = `fc_${id.replace(/^call_/, '')}`;
  return {
    id,
    call_id: id,
    response_item_id: item,
    type: 'function',
    function: { name, arguments: argumentsText(call) },
  };
}

/** Arguments as the text that the column holds. */
export function argumentsText({ arguments: args }: Pick<Call, 'arguments'>): string {
  return typeof args === 'string' ? args : JSON.stringify(args);
}

function reasoningOf(native: Json, row: Json): Reasoning | null {
  const { reasoning, reasoning_content: content } = native;
  const opaque: Json = {};
  for (const name of ['reasoning_details', 'codex_reasoning_items']) {
    const value = given(native[name]) ? json(native[name], name, row) : null;
    if (value !== null) opaque[name] = value;
  }
  const some = Object.keys(opaque).length > 0;
  const text = word(reasoning) ?? word(content) ?? (some ? readable(opaque) : null);
  const columns: Json = {};
  if (given(reasoning) && reasoning !== text) columns.reasoning = reasoning;
  if (!given(reasoning) && text !== null) columns.reasoning = null;
  if (given(content)) columns.reasoning_content = content === text ? true : content;
  if (text === null && !some) {
    Object.assign(row, columns);
    return null;
  }
  return { text, opaque: some ? opaque : null, native: columns };
}

/** The words in provider data, where the row has none beside it. */
function readable({ reasoning_details: details, codex_reasoning_items: items }: Json): string | null {
  const texts: string[] = [];
  if (Array.isArray(details))
    for (const one of details as unknown[])
      if (isObject(one)) texts.push(...[one.text, one.summary].filter((t) => typeof t === 'string'));
  if (texts.length === 0 && Array.isArray(items))
    for (const one of items as unknown[])
      if (isObject(one) && Array.isArray(one.summary))
        for (const part of one.summary as unknown[])
          if (isObject(part) && typeof part.text === 'string') texts.push(part.text);
  return word(texts.join('\n\n'));
}

/** A JSON column; kept as it is in `row` where it is damaged or was not written by Python. */
function json(value: unknown, name: string, row: Json): unknown {
  if (typeof value !== 'string') return value instanceof Uint8Array ? null : value;
  const read = parsed(value);
  if (read === undefined || pythonJson(read) !== value) row[name] = value;
  return read ?? null;
}

/** A final reply may live in the items of the Responses API alone. */
function fillFromItems(items: unknown, content: Content, row: Json): void {
  row.codex_message_items ??= items;
  const empty = content.parts.every((part) => part.kind === 'text' && part.text === '');
  if (!empty || !Array.isArray(items)) return;
  const parts = items.flatMap((item: unknown): Part[] => {
    if (!isObject(item) || !Array.isArray(item.content)) return [];
    return item.content.flatMap((part: unknown): Part[] =>
      isObject(part) && typeof part.text === 'string' && part.text !== '' ? [{ kind: 'text', text: part.text }] : [],
    );
  });
  if (parts.length === 0) return;
  row.content = content.shape === 'null' ? null : '';
  content.parts = parts;
}

/**
 * Redacts a decoded message in place. Provider data is kept whole or removed whole. True = something was replaced.
 */
export function redactMessage(message: Message, redactor: Redactor): boolean {
  const before = redactor.replaced;
  const { reasoning } = message;
  if (reasoning?.opaque) {
    const copy = structuredClone(reasoning.opaque);
    const untouched = redactor.replaced;
    redactor.record(copy);
    if (redactor.replaced > untouched) {
      reasoning.opaque = null;
      for (const name of Object.keys(copy)) delete message.row[name];
    }
  }
  const opaque = reasoning?.opaque ?? null;
  if (reasoning) reasoning.opaque = null;
  redactor.record(message);
  if (reasoning) reasoning.opaque = opaque;
  return redactor.replaced > before;
}
