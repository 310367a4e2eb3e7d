import { AppFailure, ok, type Result } from '../../src/shared/errors.ts';
import type { MaterializeOptions, SessionSource, Written } from '../contract.ts';
import { stepsOf } from '../conversation/expected.ts';
import { type Expectations, type Expected, expectedOf, matches, rememberedOf } from './expected.ts';
import { type Item, isObject, itemOf } from './read/item.ts';
import { modelLines } from './read/model-lines.ts';
import { copySize, isLong, isTrueCopy, LARGEST_COPY } from './whole-outputs.ts';
import { PREFACE_OPEN } from './write/rollout.ts';

/**
 * Reads the written rollout with the functions that capture uses and compares it, item by item, with the model view:
 * texts, calls with name and arguments, results, images and their order. What is expected was gathered while `written` was
 * written; where it was not, or where something differs, the session is read again, which also tells what and where.
 */
export async function readBackRollout(
  written: Pick<Written, 'temp' | 'final'>,
  session: SessionSource,
  options: MaterializeOptions,
  at: 'temp' | 'final',
): Promise<Result<{ items: number }>> {
  const path = at === 'temp' ? written.temp : written.final;
  try {
    const expectations = rememberedOf(written);
    if (expectations !== undefined && isAsExpected(modelItems(path, options.nativeId), expectations, options))
      return ok({ items: expectations.length });
    return ok({ items: await compareAll(modelItems(path, options.nativeId), session, options) });
  } catch (error) {
    if (error instanceof AppFailure)
      return { ok: false, error: { ...error.error, details: { ...error.error.details, path } } };
    throw error;
  }
}

function isAsExpected(found: Items, expectations: Expectations, { preface }: MaterializeOptions): boolean {
  if (preface !== undefined) expectPreface(found.next(), preface);
  return expectations.metBy(found.map(({ item }) => item));
}

/** Returns the number of items. */
async function compareAll(found: Items, session: SessionSource, { preface }: MaterializeOptions): Promise<number> {
  let items = 0;
  if (preface !== undefined) expectPreface(found.next(), preface);
  for await (const step of stepsOf(session)) {
    const expected = await expectedOf(step, session);
    if (expected === null) continue;
    compare(expected, found.next());
    items++;
  }
  const extra = found.next();
  if (extra.done !== true)
    throw mismatch({ line: extra.value.line, expected: 'the end', found: itemName(extra.value.item) });
  return items;
}

type Items = Generator<Found, undefined>;

interface Found {
  line: number;
  item: Item;
}

/**
 * The response items of the file in order; the header must name the session that was to be written. Where an output is
 * long, the line that repeats all items must stand behind them and say the same.
 */
function* modelItems(path: string, id: string): Items {
  let size = 0;
  let missing = false;
  for (const { line, text, compaction } of modelLines(path)) {
    if (compaction !== undefined) {
      if (!isTrueCopy(path, { line, ...compaction })) throw mismatch({ line, expected: COPY, found: 'something else' });
      missing = false;
      continue;
    }
    const { type, payload } = soundRecord(line, text);
    if (line === 1 && (type !== 'session_meta' || payload.id !== id)) {
      throw mismatch({ line, expected: `the header of ${id}`, found: type });
    }
    if (type !== 'response_item') continue;
    size += copySize(text!);
    const item = itemOf(payload);
    if (item === null) continue;
    missing ||= item.kind === 'output' && isLong(item.parts.map((part) => (part.kind === 'text' ? part.text : '')));
    yield { line, item };
  }
  if (missing && size <= LARGEST_COPY) throw mismatch({ line: 0, expected: COPY, found: 'the end of the file' });
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

function compare(expected: Expected, next: IteratorResult<Found, undefined>): void {
  if (next.done === true) throw mismatch({ line: 0, expected: expectedName(expected), found: 'the end of the file' });
  const { line, item } = next.value;
  if (!matches(expected, item)) throw mismatch({ line, expected: expectedName(expected), found: itemName(item) });
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
