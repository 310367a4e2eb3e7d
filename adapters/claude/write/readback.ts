import type { Result } from '../../../src/shared/errors.ts';
import type { SessionEvent, ToolCall } from '../../../src/shared/events.ts';
import type { MaterializeOptions, SessionSource, Written } from '../../contract.ts';
import { responseOf, type Step } from '../../conversation/arrange.ts';
import { PREFACE_NOTE } from '../../conversation/carried.ts';
import { compareInOrder } from '../../conversation/compare.ts';
import { type ExpectedPart, expectedParts, sameParts, stepsOf } from '../../conversation/expected.ts';
import { toolName } from '../../conversation/ids.ts';
import { json } from '../../conversation/json.ts';
import { failed, STANDING_IN } from '../../conversation/stand-in.ts';
import { carriesContext, carriesThinking, signatureOf } from './carry.ts';
import { OPENING_NOTE } from './lines.ts';
import { type Atom, atomsOf, mismatch } from './read-chain.ts';

/**
 * Reads the written chain and compares it, piece by piece, with the model view: texts, calls with name and arguments,
 * results with their error flag, images, signed thinking and their order. What is expected is derived from the events
 * and not from the writer's own conversion.
 */
export async function readBackChain(
  written: Pick<Written, 'temp' | 'final'>,
  session: SessionSource,
  options: MaterializeOptions,
  at: 'temp' | 'final',
): Promise<Result<{ items: number }>> {
  const path = at === 'temp' ? written.temp : written.final;
  return compareInOrder({
    path,
    found: atomsOf(path, options.nativeId),
    expected: expectedAtoms(session, options.preface),
    matches,
    nameOf,
    mismatch,
    counts: ({ kind }) => kind !== 'front',
  });
}

type Expected =
  | { kind: 'front'; text: string }
  | { kind: 'user'; parts: ExpectedPart[] }
  | { kind: 'reply'; response: string; part: ExpectedPart }
  | { kind: 'thinking'; response: string; text: string; signature: string }
  | { kind: 'call'; response: string; id: string; name: string; input: string }
  | { kind: 'result'; id: string; parts: ExpectedPart[]; error: boolean };

/** What must stand in the file. Thinking counts only before something that the same response said or did. */
async function* expectedAtoms(session: SessionSource, preface: string | undefined): AsyncGenerator<Expected> {
  let first = preface === undefined;
  if (preface !== undefined) yield { kind: 'front', text: `${PREFACE_NOTE}\n\n${preface.toWellFormed()}` };
  let held: Expected[] = [];
  let heldFor = '';
  for await (const step of stepsOf(session)) {
    const response = step.kind === 'output' ? '' : responseOf(step.event);
    if (response !== heldFor) held = [];
    heldFor = response;
    for (const atom of await expectedOf(step, response, session)) {
      if (atom.kind === 'thinking') {
        held.push(atom);
        continue;
      }
      if (first && atom.kind !== 'user') yield { kind: 'front', text: OPENING_NOTE };
      first = false;
      yield* held;
      held = [];
      yield atom;
    }
  }
}

async function expectedOf(step: Step, response: string, session: SessionSource): Promise<Expected[]> {
  switch (step.kind) {
    case 'thinking':
      return carriesThinking(step.event) ? [thinkingOf(step.event, response)] : [];
    case 'call':
      return [callOf(step.event, response, step.id)];
    case 'output': {
      const parts = step.result === null ? [] : await expectedParts(step.result, session);
      return [{ kind: 'result', id: step.id, parts, error: failed(step.result) }];
    }
    case 'reply':
      return (await expectedParts(step.event, session)).map((part) => ({ kind: 'reply', response, part }));
    default: {
      if (step.kind === 'context' && !carriesContext(step.event)) return [];
      const parts = await expectedParts(step.event, session);
      return parts.length === 0 ? [] : [{ kind: 'user', parts }];
    }
  }
}

function thinkingOf(event: SessionEvent, response: string): Expected {
  const { text, opaque } = event.payload;
  return {
    kind: 'thinking',
    response,
    text: typeof text === 'string' ? text.toWellFormed() : '',
    signature: signatureOf(opaque),
  };
}

function callOf(event: SessionEvent, response: string, id: string): Expected {
  const { name, arguments: args } = event.payload as unknown as ToolCall;
  const input = typeof args === 'object' && args !== null && !Array.isArray(args) ? args : { input: args ?? null };
  return { kind: 'call', response, id, name: toolName(String(name)), input: json(input) };
}

function matches(expected: Expected, found: Atom): boolean {
  switch (expected.kind) {
    case 'front':
      return found.kind === 'user' && sameParts([{ text: expected.text }], found.parts);
    case 'user':
      return found.kind === 'user' && sameParts(expected.parts, found.parts);
    case 'reply':
      return found.kind === 'reply' && sameParts([expected.part], [found.part]);
    case 'thinking':
      return found.kind === 'thinking' && found.text === expected.text && found.signature === expected.signature;
    case 'call':
      return (
        found.kind === 'call' &&
        found.id === expected.id &&
        found.name === expected.name &&
        json(found.input) === expected.input
      );
    case 'result':
      return (
        found.kind === 'result' &&
        found.id === expected.id &&
        found.error === expected.error &&
        (sameParts(expected.parts, found.parts) || (expected.parts.length === 0 && standsIn(found)))
      );
  }
}

function standsIn({ parts }: Extract<Atom, { kind: 'result' }>): boolean {
  const [only] = parts;
  return parts.length === 1 && only !== null && only !== undefined && 'text' in only && STANDING_IN.has(only.text);
}

function nameOf(piece: Expected | Atom): string {
  if (piece.kind === 'front') return 'a note in front';
  if (piece.kind === 'user') return 'a message of the user';
  if (piece.kind === 'call') return `the call ${piece.id} of ${piece.name}`;
  if (piece.kind === 'result') return `the result of ${piece.id}`;
  return piece.kind === 'reply' ? 'a reply' : piece.kind;
}
