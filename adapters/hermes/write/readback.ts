import { type AppError, AppFailure, ok, type Result } from '../../../src/shared/errors.ts';
import type { SessionEvent, ToolCall, ToolResult } from '../../../src/shared/events.ts';
import type { MaterializeOptions, SessionSource, Written } from '../../contract.ts';
import { responseOf } from '../../conversation/arrange.ts';
import { type ExpectedPart, expectedParts, type FoundPart, sameParts, stepsOf } from '../../conversation/expected.ts';
import { toolName } from '../../conversation/ids.ts';
import { json } from '../../conversation/json.ts';
import { STANDING_IN } from '../../conversation/stand-in.ts';
import { databasePath } from '../../io/database-path.ts';
import { openSqliteSnapshot } from '../../io/sqlite-snapshot.ts';
import type { Json } from '../json.ts';
import { decodeMessage, type Message, argumentsText as textOfCall } from '../read/message.ts';
import { readRows } from '../read/rows.ts';
import { readLines } from './lines.ts';
import { ERROR_MARK } from './output.ts';
import { isRecalled } from './recalled.ts';
import { argumentsText, PREFACE_OPEN, SUMMARY_OPEN } from './rows.ts';

/**
 * Reads the written rows with the functions that capture uses and compares them, item by item, with the model view: texts,
 * calls with name and arguments, results, images and their order. What is expected is derived from the events.
 */
export async function readBackRows(
  { temp, final }: Pick<Written, 'temp' | 'final'>,
  session: SessionSource,
  options: MaterializeOptions,
  at: 'temp' | 'final',
): Promise<Result<{ items: number }>> {
  try {
    const found = at === 'temp' ? itemsOf(rowsOf(temp)) : itemsOf(await rowsIn(final));
    let items = 0;
    if (options.preface !== undefined) expectPreface(found.next(), options.preface);
    for await (const expected of expectedOf(session)) {
      compare(expected, found.next());
      items++;
    }
    const extra = found.next();
    if (extra.done !== true) throw mismatch({ row: extra.value.row, expected: 'the end', found: nameOf(extra.value) });
    return ok({ items });
  } catch (thrown) {
    if (thrown instanceof AppFailure) return { ok: false, error: thrown.error };
    throw thrown;
  }
}

type Item =
  | { kind: 'message'; row: number; role: string; parts: FoundPart[] }
  | { kind: 'call'; row: number; id: string; name: string; arguments: string }
  | { kind: 'output'; row: number; id: string; parts: FoundPart[] };

function* rowsOf(temp: string): Generator<Json> {
  for (const { table, row } of readLines(temp)) if (table === 'messages') yield row;
}

async function rowsIn(final: string): Promise<Json[]> {
  const place = databasePath(final);
  const snapshot = await openSqliteSnapshot(place?.file ?? final);
  if (!snapshot.ok) throw new AppFailure(snapshot.error);
  try {
    const { rows, damage } = readRows(snapshot.value.db, place?.id ?? '');
    if (damage !== null) throw mismatch({ row: 0, expected: 'whole rows', found: damage });
    return rows;
  } finally {
    await snapshot.value.close();
  }
}

/** The items of live rows in order. */
function* itemsOf(rows: Iterable<Json>): Generator<Item, undefined> {
  let at = 0;
  for (const native of rows) {
    const row = ++at;
    const images = new Map<string, Uint8Array>();
    const message = decodeMessage(native, (bytes) => {
      const name = `image-${images.size}`;
      images.set(name, bytes);
      return name;
    });
    if (message.unreadable.length > 0 || native.active === 0)
      throw mismatch({ row, expected: 'a readable row', found: 'something else' });
    yield* itemsOfRow(row, message, images);
  }
  return undefined;
}

function* itemsOfRow(row: number, message: Message, images: ReadonlyMap<string, Uint8Array>): Generator<Item> {
  const parts = message.content.parts.flatMap((part): FoundPart[] => {
    if (part.kind === 'text') return part.text === '' ? [] : [{ text: part.text }];
    return [part.kind === 'image' ? { image: images.get(part.artifact)! } : null];
  });
  if (message.role === 'tool') {
    yield { kind: 'output', row, id: message.callId ?? '', parts };
    return;
  }
  if (parts.length > 0) yield { kind: 'message', row, role: message.role, parts };
  for (const call of message.calls)
    yield { kind: 'call', row, id: call.id, name: call.name, arguments: textOfCall(call) };
}

type Expected =
  | { kind: 'message'; role: string; parts: ExpectedPart[]; summary?: true }
  | { kind: 'call'; id: string; name: string; arguments: string }
  | { kind: 'output'; id: string; parts: ExpectedPart[]; error: boolean };

/** An answer stands in one row: its texts together, then its calls. */
async function* expectedOf(session: SessionSource): AsyncGenerator<Expected> {
  let answer: { response: string; texts: string[]; calls: Expected[] } | null = null;
  const flush = function* (): Generator<Expected> {
    if (answer === null) return;
    const { texts, calls } = answer;
    answer = null;
    if (texts.length > 0) yield { kind: 'message', role: 'assistant', parts: [{ text: texts.join('\n') }] };
    yield* calls;
  };
  for await (const step of stepsOf(session)) {
    if (step.kind === 'reply' || step.kind === 'thinking' || step.kind === 'call') {
      if (answer?.response !== responseOf(step.event)) yield* flush();
      answer ??= { response: responseOf(step.event), texts: [], calls: [] };
      if (step.kind === 'reply') answer.texts.push(...(await replyTexts(step.event, session)));
      if (step.kind === 'call') answer.calls.push(callOf(step.event, step.id));
      continue;
    }
    yield* flush();
    if (step.kind === 'output') {
      const parts = step.result === null ? [] : await expectedParts(step.result, session);
      const error = (step.result?.payload as ToolResult | undefined)?.is_error === true;
      yield { kind: 'output', id: step.id, parts, error };
      continue;
    }
    const parts = isRecalled(step.event) ? [] : await expectedParts(step.event, session);
    if (parts.length > 0)
      yield { kind: 'message', role: 'user', parts, ...(step.kind === 'summary' ? { summary: true } : {}) };
  }
  yield* flush();
}

/** A reply takes text alone; what else it had is named in a text. */
async function replyTexts(event: SessionEvent, session: SessionSource): Promise<string[]> {
  const parts = await expectedParts(event, session);
  return parts.map((part) => ('text' in part ? part.text : NOTE));
}

const NOTE = '\0note';

function callOf(event: SessionEvent, id: string): Expected {
  const { name, arguments: args } = event.payload as unknown as ToolCall;
  return { kind: 'call', id, name: toolName(String(name)), arguments: argumentsText(args) };
}

function compare(expected: Expected, next: IteratorResult<Item, undefined>): void {
  if (next.done === true) throw mismatch({ row: 0, expected: nameOf(expected), found: 'the end' });
  if (!matches(expected, next.value))
    throw mismatch({ row: next.value.row, expected: nameOf(expected), found: nameOf(next.value) });
}

function matches(expected: Expected, item: Item): boolean {
  if (expected.kind === 'message')
    return item.kind === 'message' && item.role === expected.role && sameMessage(expected, item.parts);
  if (expected.kind === 'call')
    return (
      item.kind === 'call' &&
      item.id === expected.id &&
      item.name === expected.name &&
      sameJson(item.arguments, expected.arguments)
    );
  return item.kind === 'output' && item.id === expected.id && sameOutput(expected, item.parts);
}

const sameJson = (a: string, b: string): boolean => a === b || json(JSON.parse(a)) === json(JSON.parse(b));

function sameMessage({ parts, summary }: Extract<Expected, { kind: 'message' }>, found: FoundPart[]): boolean {
  if (sameParts(parts, found) || sameNoted(parts, found)) return true;
  const [first, ...rest] = found;
  if (summary !== true || first === undefined || first === null || !('text' in first)) return false;
  if (!first.text.startsWith(SUMMARY_OPEN)) return false;
  const text = first.text.slice(SUMMARY_OPEN.length);
  return sameParts(parts, text === '' ? rest : [{ text }, ...rest]);
}

/** A joined reply of which some lines are notes in the place of what could not be carried. */
function sameNoted(parts: readonly ExpectedPart[], found: readonly FoundPart[]): boolean {
  const [part] = parts;
  const [one] = found;
  if (parts.length !== 1 || found.length !== 1 || part === undefined || !('text' in part)) return false;
  if (one === null || one === undefined || !('text' in one) || !part.text.includes(NOTE)) return false;
  let from = 0;
  for (const piece of part.text.split(NOTE)) {
    const at = one.text.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return true;
}

function sameOutput({ parts, error }: { parts: ExpectedPart[]; error: boolean }, found: FoundPart[]): boolean {
  if (sameParts(parts, found)) return true;
  const [first, ...rest] = found;
  if (first === undefined || first === null || !('text' in first)) return false;
  if (parts.length === 0) return STANDING_IN.has(first.text) && rest.length === 0;
  if (!error || !first.text.startsWith(ERROR_MARK.trimEnd())) return false;
  const marked = first.text.slice(ERROR_MARK.length);
  return sameParts(parts, marked === '' ? rest : [{ text: marked }, ...rest]);
}

function expectPreface(next: IteratorResult<Item, undefined>, preface: string): void {
  const item = next.done === true ? null : next.value;
  const first = item?.kind === 'message' ? item.parts[0] : null;
  const text = first !== null && first !== undefined && 'text' in first ? first.text : '';
  if (text.startsWith(PREFACE_OPEN) && text.includes(preface.toWellFormed())) return;
  throw mismatch({ row: 1, expected: 'the context in front', found: item === null ? 'the end' : nameOf(item) });
}

function nameOf(item: Item | Expected): string {
  if (item.kind === 'message') return `a message of ${item.role}`;
  return item.kind === 'call' ? `the call ${item.id} of ${item.name}` : `the result of ${item.id}`;
}

function mismatch(details: { row: number; expected: string; found: string }): AppFailure {
  const error: AppError = {
    code: 'readback_mismatch',
    message: `The written Hermes session differs from what was to be carried, at message ${details.row}: expected ${details.expected}, found ${details.found}. It was not put in place.`,
    details,
  };
  return new AppFailure(error);
}
