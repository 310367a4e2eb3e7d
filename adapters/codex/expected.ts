import { hash } from 'node:crypto';
import type { ToolCall, ToolResult } from '../../src/shared/events.ts';
import type { SessionSource, Written } from '../contract.ts';
import type { Step } from '../conversation/arrange.ts';
import { type ExpectedPart, expectedParts, type FoundPart, sameParts } from '../conversation/expected.ts';
import { toolName } from '../conversation/ids.ts';
import { json } from '../conversation/json.ts';
import { STANDING_IN } from '../conversation/stand-in.ts';
import { type Item, type ItemPart, imageOf } from './read/item.ts';
import { ERROR_MARK } from './write/output.ts';

/** What must stand in the file for a step. It is derived from the events and not from the writer's own conversion. */
export type Expected =
  | { kind: 'message'; role: string; parts: ExpectedPart[] }
  | { kind: 'call'; id: string; name: string; arguments: string }
  | { kind: 'output'; id: string; parts: ExpectedPart[]; error: boolean };

/** null for reasoning and for messages without content. */
export async function expectedOf(step: Step, session: Pick<SessionSource, 'artifact'>): Promise<Expected | null> {
  switch (step.kind) {
    case 'thinking':
      return null;
    case 'call': {
      const { name, arguments: args } = step.event.payload as unknown as ToolCall;
      const text = typeof args === 'string' ? args.toWellFormed() : json(args);
      return { kind: 'call', id: step.id, name: toolName(name), arguments: text };
    }
    case 'output': {
      const parts = step.result === null ? [] : await expectedParts(step.result, session);
      const error = (step.result?.payload as ToolResult | undefined)?.is_error === true;
      return { kind: 'output', id: step.id, parts, error };
    }
    default: {
      const parts = await expectedParts(step.event, session);
      return parts.length === 0 ? null : { kind: 'message', role: step.kind === 'reply' ? 'assistant' : 'user', parts };
    }
  }
}

export function matches(expected: Expected, item: Item): boolean {
  switch (expected.kind) {
    case 'message':
      return (
        item.kind === 'message' && item.role === expected.role && sameParts(expected.parts, item.parts.map(partOf))
      );
    case 'call':
      return (
        item.kind === 'call' &&
        item.id === expected.id &&
        item.name === expected.name &&
        argumentsText(item) === expected.arguments
      );
    case 'output':
      return item.kind === 'output' && item.id === expected.id && sameOutput(expected, item.parts);
  }
}

type CallItem = Extract<Item, { kind: 'call' }>;

function argumentsText(item: CallItem): unknown {
  return item.custom ? item.arguments : json(item.arguments);
}

function sameOutput({ parts, error }: { parts: ExpectedPart[]; error: boolean }, found: ItemPart[]): boolean {
  if (sameParts(parts, found.map(partOf))) return true;
  if (parts.length === 0) return found.length === 1 && found[0]?.kind === 'text' && STANDING_IN.has(found[0].text);
  const unmarked = error ? withoutMark(found) : null;
  return unmarked !== null && sameParts(parts, unmarked.map(partOf));
}

/** The parts behind the line that says of an output that it is an error; null where there is no such line. */
function withoutMark([first, ...rest]: ItemPart[]): ItemPart[] | null {
  if (first?.kind !== 'text' || !first.text.startsWith(ERROR_MARK.trimEnd())) return null;
  const text = first.text.slice(ERROR_MARK.length);
  return text === '' ? rest : [{ kind: 'text', text }, ...rest];
}

function partOf(part: ItemPart): FoundPart {
  if (part.kind === 'text') return { text: part.text };
  const image = part.kind === 'image' ? imageOf(part.url) : null;
  return image === null ? null : { image: image.bytes };
}

/** The hash of an item, or the item where several things may rightly stand in its place. */
type Entry = string | { marked: string } | Expected;

/**
 * What a whole session must become, in 32 bytes an item: gathered while the session is written, so that its events need
 * not be read and parsed a second time to check the file.
 */
export class Expectations {
  readonly #entries: Entry[] = [];

  get length(): number {
    return this.#entries.length;
  }

  async add(step: Step, session: Pick<SessionSource, 'artifact'>): Promise<void> {
    const expected = await expectedOf(step, session);
    if (expected !== null) this.#entries.push(entryOf(expected));
  }

  /** Whether an item of the file is what was expected at its place. */
  met(place: number, item: Item): boolean {
    const entry = this.#entries[place];
    if (entry === undefined) return false;
    if (typeof entry === 'string') return hashOfItem(item) === entry;
    if (!('marked' in entry)) return matches(entry, item);
    if (item.kind !== 'output') return false;
    const unmarked = withoutMark(item.parts);
    return (
      hashOfItem(item) === entry.marked ||
      (unmarked !== null && hashOfItem({ ...item, parts: unmarked }) === entry.marked)
    );
  }
}

function entryOf(expected: Expected): Entry {
  if (expected.kind === 'call') return hashOfCall(expected.id, expected.name, expected.arguments);
  const { parts } = expected;
  const carried = parts.filter((part): part is Exclude<ExpectedPart, { note: true }> => !('note' in part));
  if (carried.length < parts.length || parts.length === 0) return expected;
  if (expected.kind === 'message') return hashOfParts('message', expected.role, carried);
  const hashed = hashOfParts('output', expected.id, carried);
  return expected.error ? { marked: hashed } : hashed;
}

/** '' for what is never expected. */
function hashOfItem(item: Item): string {
  if (item.kind === 'reasoning') return '';
  if (item.kind === 'call') {
    const args = argumentsText(item);
    return typeof args === 'string' ? hashOfCall(String(item.id), item.name, args) : '';
  }
  const parts: Exclude<FoundPart, null>[] = [];
  for (const one of item.parts) {
    const part = partOf(one);
    if (part === null) return '';
    parts.push(part);
  }
  return item.kind === 'message'
    ? hashOfParts('message', item.role, parts)
    : hashOfParts('output', String(item.id), parts);
}

function hashOfCall(id: string, name: string, args: string): string {
  return short(`call ${id} ${name} ${args}`);
}

/** Lengths stand in front, so that no two lists of parts have the same text. */
function hashOfParts(kind: string, name: string, parts: readonly Exclude<FoundPart, null>[]): string {
  let text = `${kind} ${name}`;
  for (const part of parts)
    text += 'text' in part ? ` t${part.text.length} ${part.text}` : ` i${hash('sha256', part.image, 'hex')}`;
  return short(text);
}

/** SHA-256 as 32 characters of one byte, the smallest form a string has. */
function short(text: string): string {
  return hash('sha256', text, 'latin1' as 'binary');
}

const gathered = new WeakMap<object, Expectations>();

/** Keeps what a session that was just written must hold, for the read-back of this very object. */
export function remember(written: Pick<Written, 'temp'>, expectations: Expectations): void {
  gathered.set(written, expectations);
}

export function rememberedOf(written: object): Expectations | undefined {
  return gathered.get(written);
}
