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

/** An item for which more than one thing may rightly stand in the file. */
type Loose = { expected: Expected } | { marked: string };

/** So many items, or UTF-16 units of them, are hashed together: a call for each would cost more than the hashing. */
const BATCH = 64;
const BATCH_UNITS = 1 << 20;

/** Items in a row as one text, hashed a batch at a time. */
class Digest {
  readonly hashes: string[] = [];
  #text = '';
  #items = 0;

  add(text: string): void {
    this.#text += text;
    if (++this.#items === BATCH || this.#text.length > BATCH_UNITS) this.end();
  }

  end(): void {
    if (this.#items === 0) return;
    this.hashes.push(short(this.#text));
    this.#text = '';
    this.#items = 0;
  }
}

/**
 * What a whole session must become, as hashes: gathered while the session is written, so that its events need not be read
 * and parsed a second time to check the file.
 */
export class Expectations {
  readonly #digest = new Digest();
  /** by place; few */
  readonly #loose = new Map<number, Loose>();
  length = 0;

  async add(step: Step, session: Pick<SessionSource, 'artifact'>): Promise<void> {
    const expected = await expectedOf(step, session);
    if (expected === null) return;
    const place = this.length++;
    const text = textOf(expected);
    if (text === null) this.#loose.set(place, { expected });
    else if (expected.kind === 'output' && expected.error) this.#loose.set(place, { marked: short(text) });
    else this.#digest.add(text);
  }

  /** Whether the items of a file are what was expected, all and in order. */
  metBy(items: Iterable<Item>): boolean {
    const digest = new Digest();
    let place = 0;
    for (const item of items) {
      const loose = this.#loose.get(place);
      if (loose !== undefined && !fits(loose, item)) return false;
      if (loose === undefined) digest.add(textOfItem(item));
      if (++place > this.length) return false;
    }
    digest.end();
    this.#digest.end();
    const { hashes } = this.#digest;
    return place === this.length && hashes.every((hash, i) => hash === digest.hashes[i]);
  }
}

function fits(loose: Loose, item: Item): boolean {
  if ('expected' in loose) return matches(loose.expected, item);
  if (short(textOfItem(item)) === loose.marked) return true;
  const unmarked = item.kind === 'output' ? withoutMark(item.parts) : null;
  return unmarked !== null && short(textOfItem({ ...(item as OutputItem), parts: unmarked })) === loose.marked;
}

type OutputItem = Extract<Item, { kind: 'output' }>;
type Carried = Exclude<ExpectedPart, { note: true }>;

/** null = several things may stand in its place. */
function textOf(expected: Expected): string | null {
  if (expected.kind === 'call') return callText(expected.id, expected.name, expected.arguments);
  const { parts } = expected;
  const carried = parts.filter((part): part is Carried => !('note' in part));
  if (carried.length < parts.length || parts.length === 0) return null;
  return partsText(expected.kind, expected.kind === 'message' ? expected.role : expected.id, carried);
}

/** What is never expected has a text that no expectation has. */
function textOfItem(item: Item): string {
  if (item.kind === 'reasoning') return UNEXPECTED;
  if (item.kind === 'call') {
    const args = argumentsText(item);
    return typeof args === 'string' ? callText(String(item.id), item.name, args) : UNEXPECTED;
  }
  const parts: Carried[] = [];
  for (const one of item.parts) {
    const part = partOf(one);
    if (part === null) return UNEXPECTED;
    parts.push(part);
  }
  return partsText(item.kind, item.kind === 'message' ? item.role : String(item.id), parts);
}

const UNEXPECTED = 'nothing ';

function callText(id: string, name: string, args: string): string {
  return `call ${id} ${name} ${args.length} ${args} `;
}

/** Lengths stand in front, so that no two lists of items have the same text. */
function partsText(kind: string, name: string, parts: readonly Carried[]): string {
  let text = `${kind} ${name} ${parts.length} `;
  for (const part of parts)
    text += 'text' in part ? `t${part.text.length} ${part.text} ` : `i${hash('sha256', part.image, 'hex')} `;
  return text;
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
