import { mismatchOf } from '../../conversation/compare.ts';
import type { FoundPart } from '../../conversation/expected.ts';
import { type JsonlLine, readJsonl } from '../../io/jsonl.ts';
import { isObject, type Json } from '../json.ts';

/** A piece of the conversation as it lies in the file. `line` from 1. */
export type Atom = { line: number } & Piece;
export type Piece =
  | { kind: 'user' | 'note'; parts: FoundPart[] }
  | { kind: 'summary'; text: string }
  | { kind: 'reply'; part: FoundPart }
  | { kind: 'thinking'; text: string; signature: string | null }
  | { kind: 'call'; id: string; name: string; input: unknown }
  | { kind: 'result'; id: string; name: string; parts: FoundPart[]; error: boolean }
  | { kind: 'something else' };

/**
 * The pieces of a written file in order. On the way it checks what Pi needs to open it: a header first, one sound record a line,
 * one chain without a gap, ids of their own, a whole usage on each reply, content in lists.
 * @throws AppFailure `readback_mismatch`, `source_unreadable`
 */
export function* atomsOf(path: string, sessionId: string): Generator<Atom, undefined> {
  const chain = new Chain(sessionId);
  const lines = readJsonl(path, { redactor: null });
  for (let step = lines.next(); ; step = lines.next()) {
    if (step.done === true) {
      const { pending } = step.value;
      if (pending !== null) throw mismatch(pending.line, 'a whole record', pending.detail);
      return undefined;
    }
    for (const line of step.value) {
      const record = soundRecord(line);
      if (chain.takes(record, line.line))
        for (const piece of piecesOf(record, line.line)) yield { line: line.line, ...piece };
    }
  }
}

function soundRecord({ records, damage, line }: JsonlLine): Json {
  const record = records[0];
  if (damage.length === 0 && records.length === 1 && isObject(record)) return record;
  throw mismatch(line, 'one sound record', damage[0]?.detail ?? 'something else');
}

class Chain {
  readonly #sessionId: string;
  readonly #ids = new Set<string>();
  #last: string | null = null;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  /** Whether the record is an entry. */
  takes(record: Json, line: number): boolean {
    if (line === 1) {
      const { type, version, id } = record;
      if (type === 'session' && version === 3 && id === this.#sessionId) return false;
      throw mismatch(line, `the header of ${this.#sessionId}`, String(id));
    }
    const { id, parentId } = record;
    if (parentId !== this.#last) throw mismatch(line, `an entry after ${String(this.#last)}`, String(parentId));
    if (typeof id !== 'string' || this.#ids.has(id)) throw mismatch(line, 'an id of its own', String(id));
    this.#ids.add(id);
    this.#last = id;
    return true;
  }
}

function piecesOf(record: Json, line: number): Piece[] {
  const { type } = record;
  if (type === 'custom_message') return [{ kind: 'note', parts: partsOf(record.content, line) }];
  if (type === 'compaction') {
    if (record.firstKeptEntryId !== record.id) throw mismatch(line, 'a compaction that keeps nothing', 'another one');
    return [{ kind: 'summary', text: String(record.summary) }];
  }
  if (type !== 'message') return [];
  const message = isObject(record.message) ? record.message : {};
  if (message.role === 'user') return [{ kind: 'user', parts: partsOf(message.content, line) }];
  if (message.role === 'toolResult')
    return [
      {
        kind: 'result',
        id: String(message.toolCallId),
        name: String(message.toolName),
        parts: partsOf(message.content, line),
        error: message.isError === true,
      },
    ];
  if (message.role !== 'assistant') return [{ kind: 'something else' }];
  const { usage } = message;
  if (!isObject(usage) || typeof usage.totalTokens !== 'number' || !isObject(usage.cost))
    throw mismatch(line, 'a reply with usage', 'none');
  return listOf(message.content, line).map(pieceOf);
}

function listOf(content: unknown, line: number): Json[] {
  if (!Array.isArray(content)) throw mismatch(line, 'content in a list', typeof content);
  return content.filter(isObject);
}

function partsOf(content: unknown, line: number): FoundPart[] {
  return listOf(content, line).map(partOf);
}

function pieceOf(block: Json): Piece {
  switch (block.type) {
    case 'text':
      return { kind: 'reply', part: partOf(block) };
    case 'thinking': {
      const { thinking, thinkingSignature: signature } = block;
      return { kind: 'thinking', text: String(thinking), signature: typeof signature === 'string' ? signature : null };
    }
    case 'toolCall':
      return { kind: 'call', id: String(block.id), name: String(block.name), input: block.arguments };
    default:
      return { kind: 'something else' };
  }
}

function partOf(block: Json): FoundPart {
  if (block.type === 'text' && typeof block.text === 'string') return { text: block.text };
  return block.type === 'image' && typeof block.data === 'string' && typeof block.mimeType === 'string'
    ? { image: Buffer.from(block.data, 'base64') }
    : null;
}

export const mismatch = mismatchOf('Pi');
