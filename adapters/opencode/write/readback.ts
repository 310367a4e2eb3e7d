import { AppFailure, fail, ok, type Result, toAppError } from '../../../src/shared/errors.ts';
import type { ToolCall } from '../../../src/shared/events.ts';
import type { MaterializeOptions, SessionSource, Written } from '../../contract.ts';
import type { Step } from '../../conversation/arrange.ts';
import { type ExpectedPart, expectedParts, type FoundPart, sameParts, stepsOf } from '../../conversation/expected.ts';
import { toolName } from '../../conversation/ids.ts';
import { json } from '../../conversation/json.ts';
import { STANDING_IN } from '../../conversation/stand-in.ts';
import { openSqliteSnapshot } from '../../io/sqlite-snapshot.ts';
import { type Json, objectOf } from '../json.ts';
import { dataUrl } from '../read/shrink.ts';
import { carriesThinking, isErrorState } from './carry.ts';
import { type Kept, messagesOfDatabase, messagesOfFile } from './digest.ts';
import { PREFACE_OPEN } from './export.ts';
import { databaseOf } from './place.ts';

/**
 * Reads what was written, from the private file or from OpenCode's database, and compares it item by item with the model
 * view: texts, calls with name and arguments, results, images and their order. What is expected is derived from the events
 * and not from the writer's own conversion.
 */
export async function readBackSession(
  written: Pick<Written, 'temp' | 'final'>,
  session: SessionSource,
  options: MaterializeOptions,
  at: 'temp' | 'final',
): Promise<Result<{ items: number }>> {
  if (at === 'temp') return compareAll(messagesOfFile(written.temp), session, options, written.temp);
  const snapshot = await openSqliteSnapshot(databaseOf(written.final));
  if (!snapshot.ok) return snapshot;
  try {
    const messages = messagesOfDatabase(snapshot.value.db, options.nativeId);
    return await compareAll(messages, session, options, written.final);
  } finally {
    await snapshot.value.close();
  }
}

type Item =
  | { kind: 'said'; by: 'user' | 'assistant'; parts: FoundPart[] }
  | { kind: 'reasoning'; text: string }
  | { kind: 'call'; id: string; name: string; arguments: string }
  | { kind: 'output'; id: string; parts: FoundPart[]; error: boolean };

type Expected =
  | { kind: 'said'; by: 'user' | 'assistant'; parts: ExpectedPart[] }
  | { kind: 'reasoning'; text: string }
  | { kind: 'call'; id: string; name: string; arguments: string }
  | { kind: 'output'; id: string; parts: ExpectedPart[]; error: boolean };

async function compareAll(
  messages: AsyncIterable<Kept> | Iterable<Kept>,
  session: SessionSource,
  options: MaterializeOptions,
  path: string,
): Promise<Result<{ items: number }>> {
  const found = itemsOf(messages);
  let items = 0;
  try {
    if (options.preface !== undefined) expectPreface((await found.next()).value, options.preface);
    for await (const step of stepsOf(session)) {
      for (const expected of await expectedOf(step, session, items > 0 || options.preface !== undefined)) {
        const next = (await found.next()).value;
        if (next === undefined || !matches(expected, next)) throw mismatch(++items, nameOf(expected), next);
        items++;
      }
    }
    const extra = (await found.next()).value;
    if (extra !== undefined) throw mismatch(items + 1, 'the end', extra);
    return ok({ items });
  } catch (error) {
    const { code, message, details } = toAppError(error);
    return fail(code, message, { ...details, path });
  } finally {
    await found.return(undefined);
  }
}

/** What a model would be sent of the messages, calls before the outputs of one answer. */
async function* itemsOf(messages: AsyncIterable<Kept> | Iterable<Kept>): AsyncGenerator<Item, undefined> {
  for await (const { data, parts } of messages) {
    if (data.role === 'user') {
      const said = parts.filter((part) => part.data.type === 'text' || part.data.type === 'file');
      if (said.length > 0) yield { kind: 'said', by: 'user', parts: said.map((part) => partOf(part.data)) };
      continue;
    }
    const outputs: Item[] = [];
    for (const { data: part } of parts) {
      const last = part.type === 'text' || part.type === 'reasoning' ? String(part.text) : '';
      if (part.type === 'text') yield { kind: 'said', by: 'assistant', parts: [{ text: last }] };
      if (part.type === 'reasoning') yield { kind: 'reasoning', text: last };
      if (part.type !== 'tool') continue;
      const { input } = objectOf(part.state);
      const id = String(part.callID);
      yield { kind: 'call', id, name: String(part.tool), arguments: json(input) };
      outputs.push(outputOf(id, objectOf(part.state)));
    }
    yield* outputs;
  }
  return undefined;
}

function outputOf(id: string, state: Json): Item {
  const error = state.status === 'error';
  const text = String(error ? state.error : state.output);
  const files = Array.isArray(state.attachments) ? (state.attachments as Json[]) : [];
  return { kind: 'output', id, parts: [{ text }, ...files.map(partOf)], error };
}

function partOf(part: Json): FoundPart {
  if (part.type === 'text') return { text: String(part.text) };
  const data = dataUrl(String(part.url));
  return data === null ? null : { image: data.bytes };
}

/** `behind`: something stands before the step, so that a summary is a note and no compaction. */
async function expectedOf(step: Step, session: SessionSource, behind: boolean): Promise<Expected[]> {
  switch (step.kind) {
    case 'thinking':
      return carriesThinking(step.event)
        ? [{ kind: 'reasoning', text: String(step.event.payload.text ?? '').toWellFormed() }]
        : [];
    case 'call': {
      const { name, arguments: args } = step.event.payload as unknown as ToolCall;
      const input = typeof args === 'string' ? { input: args } : args;
      return [{ kind: 'call', id: step.id, name: toolName(name), arguments: json(input) }];
    }
    case 'output': {
      const parts = step.result === null ? [] : await expectedParts(step.result, session);
      return [{ kind: 'output', id: step.id, parts, error: isErrorState(step.result) }];
    }
    default: {
      const parts = await expectedParts(step.event, session);
      if (step.kind === 'prompt' || step.kind === 'context')
        return parts.length === 0 ? [] : [{ kind: 'said', by: 'user', parts }];
      const texts = parts.map((part): ExpectedPart => ('image' in part ? { note: true } : part));
      if (step.kind === 'summary' && behind)
        return texts.length === 0 ? [] : [{ kind: 'said', by: 'user', parts: texts }];
      return texts.map((part): Expected => ({ kind: 'said', by: 'assistant', parts: [part] }));
    }
  }
}

function matches(expected: Expected, item: Item): boolean {
  if (expected.kind === 'said')
    return item.kind === 'said' && item.by === expected.by && sameParts(expected.parts, item.parts);
  if (expected.kind === 'output') return item.kind === 'output' && sameOutput(expected, item);
  if (expected.kind === 'reasoning') return item.kind === 'reasoning' && item.text === expected.text;
  return (
    item.kind === 'call' &&
    item.id === expected.id &&
    item.name === expected.name &&
    item.arguments === expected.arguments
  );
}

type Output<T extends { kind: string }> = Extract<T, { kind: 'output' }>;

/** One text holds all texts of a result; its pictures stand behind. */
function sameOutput(expected: Output<Expected>, item: Output<Item>): boolean {
  if (item.id !== expected.id || item.error !== expected.error) return false;
  const [first, ...files] = item.parts;
  const text = first !== undefined && first !== null && 'text' in first ? first.text : '';
  if (expected.parts.length === 0) return files.length === 0 && (text === '' || STANDING_IN.has(text));
  const images = expected.error ? [] : expected.parts.filter((part) => 'image' in part);
  const texts = expected.parts.filter((part) => expected.error || !('image' in part));
  return sameParts(images, files) && holdsInOrder(text, texts);
}

/** The texts one after the other, a line each; what is only noted can be any. */
function holdsInOrder(text: string, parts: readonly ExpectedPart[]): boolean {
  let left = text;
  for (const [index, part] of parts.entries()) {
    const end = index === parts.length - 1 ? '' : '\n';
    if ('text' in part) {
      if (!left.startsWith(part.text + end)) return false;
      left = left.slice(part.text.length + end.length);
    } else {
      const note = /^\[[^\n]*\]/.exec(left)?.[0];
      if (note === undefined) return false;
      left = left.slice(note.length + end.length);
    }
  }
  return left === '';
}

function expectPreface(next: Item | undefined, preface: string): void {
  const first = next?.kind === 'said' && next.by === 'user' ? next.parts[0] : null;
  const text = first !== null && first !== undefined && 'text' in first ? first.text : '';
  if (!text.startsWith(PREFACE_OPEN) || !text.includes(preface.toWellFormed()))
    throw mismatch(1, 'the context in front', next);
}

function nameOf(item: Expected | Item): string {
  if (item.kind === 'said') return `a message of ${item.by}`;
  if (item.kind === 'reasoning') return 'reasoning';
  return item.kind === 'call' ? `the call ${item.id} of ${item.name}` : `the output of ${item.id}`;
}

function mismatch(place: number, expected: string, item: Item | undefined): AppFailure {
  const found = item === undefined ? 'the end' : nameOf(item);
  const message = `The written OpenCode session differs from what was to be carried, at item ${place}: expected ${expected}, found ${found}. It was not put in place.`;
  return new AppFailure({ code: 'readback_mismatch', message, details: { item: place, expected, found } });
}
