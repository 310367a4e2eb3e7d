import { AppFailure, ok, type Result } from '../../src/shared/errors.ts';
import type { ToolCall, ToolResult } from '../../src/shared/events.ts';
import type { MaterializeOptions, SessionSource, Written } from '../contract.ts';
import type { Step } from '../conversation/arrange.ts';
import { type ExpectedPart, expectedParts, type FoundPart, sameParts, stepsOf } from '../conversation/expected.ts';
import { toolName } from '../conversation/ids.ts';
import { json } from '../conversation/json.ts';
import { STANDING_IN } from '../conversation/stand-in.ts';
import { type Item, type ItemPart, imageOf, isObject, itemOf } from './read/item.ts';
import { modelLines } from './read/model-lines.ts';
import { CopyCheck, isLong, LARGEST_COPY } from './whole-outputs.ts';
import { ERROR_MARK } from './write/output.ts';
import { PREFACE_OPEN } from './write/rollout.ts';

/**
 * Reads the written rollout with the functions that capture uses and compares it, item by item, with the model view:
 * texts, calls with name and arguments, results, images and their order. What is expected is derived from the events
 * and not from the writer's own conversion.
 */
export async function readBackRollout(
  written: Pick<Written, 'temp' | 'final'>,
  session: SessionSource,
  options: MaterializeOptions,
  at: 'temp' | 'final',
): Promise<Result<{ items: number }>> {
  const path = at === 'temp' ? written.temp : written.final;
  try {
    const found = modelItems(path, options.nativeId);
    let items = 0;
    if (options.preface !== undefined) expectPreface(found.next(), options.preface);
    for await (const step of stepsOf(session)) {
      for (const expected of await expectedOf(step, session)) {
        compare(expected, found.next());
        items++;
      }
    }
    const extra = found.next();
    if (extra.done !== true)
      throw mismatch({ line: extra.value.line, expected: 'the end', found: itemName(extra.value.item) });
    return ok({ items });
  } catch (error) {
    if (error instanceof AppFailure)
      return { ok: false, error: { ...error.error, details: { ...error.error.details, path } } };
    throw error;
  }
}

interface Found {
  line: number;
  item: Item;
}

/**
 * The response items of the file in order; the header must name the session that was to be written. Where an output is
 * long, the line that repeats all items must stand behind them and say the same.
 */
function* modelItems(path: string, id: string): Generator<Found, undefined> {
  const copy = new CopyCheck();
  let missing = false;
  for (const { line, text, compaction } of modelLines(path)) {
    if (compaction !== undefined) {
      if (!copy.accepts(compaction)) throw mismatch({ line, expected: COPY, found: 'something else' });
      missing = false;
      continue;
    }
    const { type, payload } = soundRecord(line, text);
    if (line === 1 && (type !== 'session_meta' || payload.id !== id)) {
      throw mismatch({ line, expected: `the header of ${id}`, found: type });
    }
    if (type !== 'response_item') continue;
    copy.item(text!);
    const item = itemOf(payload);
    if (item === null) continue;
    missing ||= item.kind === 'output' && isLong(item.parts.map((part) => (part.kind === 'text' ? part.text : '')));
    yield { line, item };
  }
  if (missing && copy.size <= LARGEST_COPY) throw mismatch({ line: 0, expected: COPY, found: 'the end of the file' });
  return undefined;
}

const COPY = 'the same items once more, for long outputs';

function soundRecord(line: number, text: string | null): { type: string; payload: Record<string, unknown> } {
  const record = text === null ? null : parsed(text);
  if (isObject(record) && isObject(record.payload)) return { type: String(record.type), payload: record.payload };
  throw mismatch({ line, expected: 'one whole record', found: 'something else' });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What must stand in the file for a step; nothing for reasoning and for messages without content. */
type Expected =
  | { kind: 'message'; role: string; parts: ExpectedPart[] }
  | { kind: 'call'; id: string; name: string; arguments: string }
  | { kind: 'output'; id: string; parts: ExpectedPart[]; error: boolean };

async function expectedOf(step: Step, session: SessionSource): Promise<Expected[]> {
  switch (step.kind) {
    case 'thinking':
      return [];
    case 'call': {
      const { name, arguments: args } = step.event.payload as unknown as ToolCall;
      return [
        {
          kind: 'call',
          id: step.id,
          name: toolName(name),
          arguments: typeof args === 'string' ? args.toWellFormed() : json(args),
        },
      ];
    }
    case 'output': {
      const parts = step.result === null ? [] : await expectedParts(step.result, session);
      return [
        {
          kind: 'output',
          id: step.id,
          parts,
          error: (step.result?.payload as ToolResult | undefined)?.is_error === true,
        },
      ];
    }
    default: {
      const parts = await expectedParts(step.event, session);
      return parts.length === 0 ? [] : [{ kind: 'message', role: step.kind === 'reply' ? 'assistant' : 'user', parts }];
    }
  }
}

function compare(expected: Expected, next: IteratorResult<Found, undefined>): void {
  if (next.done === true) throw mismatch({ line: 0, expected: expectedName(expected), found: 'the end of the file' });
  const { line, item } = next.value;
  if (!matches(expected, item)) throw mismatch({ line, expected: expectedName(expected), found: itemName(item) });
}

function matches(expected: Expected, item: Item): boolean {
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
        (item.custom ? item.arguments : json(item.arguments)) === expected.arguments
      );
    case 'output':
      return item.kind === 'output' && item.id === expected.id && sameOutput(expected, item.parts);
  }
}

function sameOutput({ parts, error }: { parts: ExpectedPart[]; error: boolean }, found: ItemPart[]): boolean {
  if (sameParts(parts, found.map(partOf))) return true;
  const [first, ...rest] = found;
  if (first?.kind !== 'text') return false;
  if (parts.length === 0) return STANDING_IN.has(first.text) && rest.length === 0;
  if (!error || !first.text.startsWith(ERROR_MARK.trimEnd())) return false;
  const marked = first.text.slice(ERROR_MARK.length);
  const unmarked = rest.map(partOf);
  return sameParts(parts, marked === '' ? unmarked : [{ text: marked }, ...unmarked]);
}

function partOf(part: ItemPart): FoundPart {
  if (part.kind === 'text') return { text: part.text };
  const image = part.kind === 'image' ? imageOf(part.url) : null;
  return image === null ? null : { image: image.bytes };
}

function expectPreface(next: IteratorResult<Found, undefined>, preface: string): void {
  const found = next.done === true ? null : next.value;
  const text = found?.item.kind === 'message' && found.item.parts[0]?.kind === 'text' ? found.item.parts[0].text : '';
  if (text.startsWith(PREFACE_OPEN) && text.includes(preface.toWellFormed())) return;
  throw mismatch({
    line: found?.line ?? 0,
    expected: 'the context in front',
    found: found === null ? 'the end of the file' : itemName(found.item),
  });
}

function expectedName(expected: Expected): string {
  if (expected.kind === 'message') return `a message of ${expected.role}`;
  return expected.kind === 'call' ? `the call ${expected.id} of ${expected.name}` : `the output of ${expected.id}`;
}

function itemName(item: Item): string {
  if (item.kind === 'message') return `a message of ${item.role}`;
  if (item.kind === 'reasoning') return 'reasoning';
  return item.kind === 'call' ? `the call ${String(item.id)} of ${item.name}` : `the output of ${String(item.id)}`;
}

function mismatch(details: { line: number; expected: string; found: string }): AppFailure {
  const message = `The written Codex session differs from what was to be carried, at line ${details.line}: expected ${details.expected}, found ${details.found}. It was not put in place.`;
  return new AppFailure({ code: 'readback_mismatch', message, details });
}
