import { readFileSync } from 'node:fs';
import { AppFailure, type Result } from '../../../src/shared/errors.ts';
import type { MaterializeOptions, SessionSource, Written } from '../../contract.ts';
import type { Step } from '../../conversation/arrange.ts';
import { PREFACE_NOTE } from '../../conversation/carried.ts';
import { compareInOrder, mismatchOf } from '../../conversation/compare.ts';
import { type ExpectedPart, expectedParts, type FoundPart, sameParts, stepsOf } from '../../conversation/expected.ts';
import { json } from '../../conversation/json.ts';
import { failed, STANDING_IN } from '../../conversation/stand-in.ts';
import { readJsonl } from '../../io/jsonl.ts';
import { sourceError } from '../../io/source-error.ts';
import { projectHash } from '../home.ts';
import { inlineOf } from '../read/content.ts';
import { messagesIn, readDocument } from '../read/document.ts';
import { isObject, type Json, type Message, partsOf, recordOf } from '../read/record.ts';
import { callOf } from './messages.ts';
import { rootOf, shapeOf } from './place.ts';

/**
 * Reads the written session with the functions that capture uses and compares it, piece by piece, with the model view:
 * texts, calls with name and arguments, results with their error flag, images and their order. What is expected is derived
 * from the events and not from the writer's own conversion.
 */
export async function readBackMessages(
  written: Pick<Written, 'temp' | 'final'>,
  session: SessionSource,
  options: MaterializeOptions,
  at: 'temp' | 'final',
): Promise<Result<{ items: number }>> {
  const path = at === 'temp' ? written.temp : written.final;
  return compareInOrder({
    path,
    found: atomsOf(messagesOf(path, options)),
    expected: expectedAtoms(session, options),
    matches,
    nameOf,
    mismatch,
    counts: ({ kind }) => kind !== 'front',
  });
}

type Expected =
  | { kind: 'front'; text: string }
  | { kind: 'user'; parts: ExpectedPart[] }
  | { kind: 'reply'; part: ExpectedPart }
  | { kind: 'call'; id: string; name: string; args: string }
  | { kind: 'result'; id: string; parts: ExpectedPart[]; error: boolean };

type Atom = { line: number } & (
  | { kind: 'user'; parts: FoundPart[] }
  | { kind: 'reply'; parts: FoundPart[] }
  | { kind: 'call'; id: string; name: string; args: string }
  | { kind: 'result'; id: string; parts: FoundPart[]; error: boolean }
);

/** Where the shape is plain, the calls of an answer stand behind its texts. */
async function* expectedAtoms(
  session: SessionSource,
  { preface, version }: MaterializeOptions,
): AsyncGenerator<Expected> {
  const { plain } = shapeOf(version);
  if (preface !== undefined) yield { kind: 'front', text: `${PREFACE_NOTE}\n\n${preface.toWellFormed()}` };
  let calls: Expected[] = [];
  for await (const step of stepsOf(session)) {
    for (const atom of await expectedOf(step, session)) {
      if (plain && atom.kind === 'call') {
        calls.push(atom);
        continue;
      }
      if (atom.kind !== 'reply') {
        yield* calls;
        calls = [];
      }
      yield atom;
    }
  }
  yield* calls;
}

async function expectedOf(step: Step, session: SessionSource): Promise<Expected[]> {
  switch (step.kind) {
    case 'thinking':
      return [];
    case 'call': {
      const { name, args } = callOf(step.event, step.id);
      return [{ kind: 'call', id: step.id, name, args: json(args) }];
    }
    case 'output':
      return [await expectedResult(step, session)];
    case 'reply':
      return (await expectedParts(step.event, session)).map((part) => ({ kind: 'reply', part }));
    default: {
      const parts = await expectedParts(step.event, session);
      return parts.length === 0 ? [] : [{ kind: 'user', parts }];
    }
  }
}

/** Texts of a result stand in one, its pictures beside it. */
async function expectedResult(
  { id, result }: Extract<Step, { kind: 'output' }>,
  session: SessionSource,
): Promise<Expected> {
  const parts = result === null ? [] : await expectedParts(result, session);
  return { kind: 'result', id, parts, error: failed(result) };
}

function matches(expected: Expected, found: Atom): boolean {
  switch (expected.kind) {
    case 'front':
      return found.kind === 'user' && sameParts([{ text: expected.text }], found.parts);
    case 'user':
      return found.kind === 'user' && sameParts(expected.parts, found.parts);
    case 'reply':
      return found.kind === 'reply' && sameParts([expected.part], found.parts);
    case 'call':
      return (
        found.kind === 'call' &&
        found.id === expected.id &&
        found.name === expected.name &&
        found.args === expected.args
      );
    case 'result':
      return (
        found.kind === 'result' &&
        found.id === expected.id &&
        found.error === expected.error &&
        sameResult(expected.parts, found.parts)
      );
  }
}

function sameResult(expected: readonly ExpectedPart[], found: readonly FoundPart[]): boolean {
  const [text, ...pictures] = found;
  if (text === undefined || text === null || !('text' in text)) return false;
  const texts = expected.filter((part) => !('image' in part));
  const said = texts.flatMap((part) => ('text' in part ? [part.text] : []));
  const noted = texts.length > said.length;
  const same = noted
    ? said.every((one) => text.text.includes(one))
    : text.text === said.join('\n') || (said.length === 0 && (STANDING_IN.has(text.text) || text.text === ''));
  return (
    same &&
    sameParts(
      expected.filter((part) => 'image' in part),
      pictures,
    )
  );
}

// ---- the file

interface Found {
  message: Message;
  line: number;
}

/** The messages of the file; its header must name the session that was to be written. */
function* messagesOf(path: string, options: MaterializeOptions): Generator<Found, undefined> {
  if (!shapeOf(options.version).document) {
    yield* messagesOfLines(path, options);
    return undefined;
  }
  const { header, damage } = readDocument(textOf(path));
  if (damage[0] !== undefined) throw mismatch(damage[0].line, 'a whole document', 'something else');
  expectHeader(header, options);
  for (const [n, message] of messagesIn(header).entries()) yield { message, line: n + 1 };
  return undefined;
}

function* messagesOfLines(path: string, options: MaterializeOptions): Generator<Found, undefined> {
  let header = false;
  const lines = readJsonl(path, { redactor: null });
  for (let step = lines.next(); ; step = lines.next()) {
    if (step.done === true) {
      if (step.value.pending !== null || !header)
        throw mismatch(step.value.cursor.line + 1, 'a whole record', 'something else');
      return undefined;
    }
    for (const { records, damage, line } of step.value) {
      const [record] = records;
      const native = isObject(record) ? recordOf(record) : null;
      if (damage.length > 0 || records.length !== 1 || native === null)
        throw mismatch(line, 'one whole record', 'something else');
      if (native.kind === 'header' && line === 1) {
        expectHeader(native.header, options);
        header = true;
      } else if (native.kind === 'message') yield { message: native.message, line };
      else throw mismatch(line, 'a message', native.kind);
    }
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new AppFailure(sourceError(path, error));
  }
}

function expectHeader(header: Json, { nativeId, cwd }: MaterializeOptions): void {
  if (header.sessionId !== nativeId || header.projectHash !== projectHash(rootOf(cwd)))
    throw mismatch(1, `the header of ${nativeId}`, 'another one');
}

/** What the client makes of the messages when it resumes. */
function* atomsOf(messages: Iterable<Found>): Generator<Atom, undefined> {
  for (const { message, line } of messages) {
    const content = partsOf(message.content).filter((part) => part.thought !== true);
    if (message.type === 'user') {
      yield { kind: 'user', line, parts: content.map(foundPart) };
      continue;
    }
    const calls = Array.isArray(message.toolCalls) ? message.toolCalls.filter(isObject) : [];
    const inOrder = content.some((part) => part.functionCall !== undefined);
    for (const part of content)
      yield isObject(part.functionCall)
        ? callAtom(part.functionCall, line)
        : { kind: 'reply', line, parts: [foundPart(part)] };
    if (!inOrder) for (const call of calls) yield callAtom(call, line);
    for (const call of calls) yield resultAtom(call, line);
  }
  return undefined;
}

function foundPart(part: Json): FoundPart {
  if (typeof part.text === 'string') return { text: part.text };
  const data = inlineOf(part);
  return data === null ? null : { image: data.bytes };
}

function callAtom({ id, name, args }: Json, line: number): Atom {
  return { kind: 'call', line, id: String(id), name: String(name), args: json(args) };
}

function resultAtom({ id, result }: Json, line: number): Atom {
  const [first, ...beside] = Array.isArray(result) ? result.filter(isObject) : [];
  const own =
    isObject(first?.functionResponse) && first.functionResponse.id === id ? first.functionResponse.response : {};
  const { output, error } = isObject(own) ? own : {};
  const text = typeof error === 'string' ? error : output;
  const parts: FoundPart[] = [typeof text === 'string' ? { text } : null, ...beside.map(foundPart)];
  return { kind: 'result', line, id: String(id), parts, error: typeof error === 'string' };
}

function nameOf(atom: Expected | Atom): string {
  if (atom.kind === 'front') return 'the context in front';
  if (atom.kind === 'user') return 'a message of the user';
  if (atom.kind === 'reply') return 'a reply';
  return atom.kind === 'call' ? `the call ${atom.id} of ${atom.name}` : `the result of ${atom.id}`;
}

const mismatch = mismatchOf('Gemini CLI');
