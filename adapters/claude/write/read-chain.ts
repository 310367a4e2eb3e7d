import { mismatchOf } from '../../conversation/compare.ts';
import type { FoundPart } from '../../conversation/expected.ts';
import { type JsonlLine, readJsonl } from '../../io/jsonl.ts';
import { isObject, type Json } from '../record.ts';

/** A piece of the conversation as it lies in the file. `line` from 1. */
export type Atom = { line: number } & (
  | { kind: 'user'; parts: FoundPart[] }
  | { kind: 'reply'; part: FoundPart }
  | { kind: 'thinking'; text: string; signature: string }
  | { kind: 'call'; id: string; name: string; input: unknown }
  | { kind: 'result'; id: string; parts: FoundPart[]; error: boolean }
  | { kind: 'something else' }
);

/**
 * The pieces of a written file in order. On the way it checks what a client needs to find them: one sound record a line,
 * one chain without a gap, times that rise, and the head pointer on the last message.
 * @throws AppFailure `readback_mismatch`, `source_unreadable`
 */
export function* atomsOf(path: string, sessionId: string): Generator<Atom, undefined> {
  const chain = new Chain(sessionId);
  const lines = readJsonl(path, { redactor: null });
  for (let step = lines.next(); ; step = lines.next()) {
    if (step.done === true) {
      const { pending } = step.value;
      if (pending !== null) throw mismatch(pending.line, 'a whole record', pending.detail);
      chain.end();
      return undefined;
    }
    for (const line of step.value) {
      const record = soundRecord(line);
      if (chain.takes(record, line.line)) yield* piecesOf(record, line.line);
    }
  }
}

function soundRecord({ records, damage, line }: JsonlLine): Json {
  const record = records[0];
  if (damage.length === 0 && records.length === 1 && isObject(record)) return record;
  throw mismatch(line, 'one sound record', damage[0]?.detail ?? 'something else');
}

class Chain {
  readonly #id: string;
  readonly #uuids = new Set<unknown>();
  #last: unknown = null;
  #time = '';
  #head: unknown = null;

  constructor(id: string) {
    this.#id = id;
  }

  /** Whether the record is a message. */
  takes(record: Json, line: number): boolean {
    if (record.sessionId !== this.#id) throw mismatch(line, `a record of ${this.#id}`, String(record.sessionId));
    if (record.type === 'last-prompt') this.#head = record.leafUuid;
    if (record.type !== 'user' && record.type !== 'assistant') return false;
    const { uuid, parentUuid, timestamp } = record;
    if (parentUuid !== this.#last) throw mismatch(line, `a record after ${String(this.#last)}`, String(parentUuid));
    if (typeof uuid !== 'string' || this.#uuids.has(uuid)) throw mismatch(line, 'an id of its own', String(uuid));
    if (typeof timestamp !== 'string' || timestamp <= this.#time)
      throw mismatch(line, `a time after ${this.#time}`, String(timestamp));
    this.#uuids.add(uuid);
    this.#last = uuid;
    this.#time = timestamp;
    return true;
  }

  end(): void {
    if (this.#head !== this.#last) throw mismatch(0, `the head at ${String(this.#last)}`, String(this.#head));
  }
}

function* piecesOf({ type, message }: Json, line: number): Generator<Atom> {
  const content = isObject(message) && Array.isArray(message.content) ? (message.content as unknown[]) : [];
  const blocks = content.filter(isObject);
  if (type === 'user' && !blocks.some((block) => block.type === 'tool_result')) {
    yield { line, kind: 'user', parts: blocks.map(partOf) };
    return;
  }
  for (const block of blocks) yield { line, ...pieceOf(block) };
}

type Piece = Atom extends infer A ? (A extends Atom ? Omit<A, 'line'> : never) : never;

function pieceOf(block: Json): Piece {
  switch (block.type) {
    case 'text':
    case 'image':
      return { kind: 'reply', part: partOf(block) };
    case 'thinking':
      return { kind: 'thinking', text: String(block.thinking), signature: String(block.signature) };
    case 'tool_use':
      return { kind: 'call', id: String(block.id), name: String(block.name), input: block.input };
    case 'tool_result':
      return {
        kind: 'result',
        id: String(block.tool_use_id),
        parts: resultParts(block.content),
        error: block.is_error === true,
      };
    default:
      return { kind: 'something else' };
  }
}

function resultParts(content: unknown): FoundPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  return Array.isArray(content) ? content.map((block) => (isObject(block) ? partOf(block) : null)) : [];
}

function partOf(block: Json): FoundPart {
  if (block.type === 'text' && typeof block.text === 'string') return { text: block.text };
  const { source } = block;
  return block.type === 'image' && isObject(source) && typeof source.data === 'string'
    ? { image: Buffer.from(source.data, 'base64') }
    : null;
}

export const mismatch = mismatchOf('Claude Code');
