import type { Result } from '../../../src/shared/errors.ts';
import type { SessionEvent, ToolCall } from '../../../src/shared/events.ts';
import type { MaterializeOptions, SessionSource, Written } from '../../contract.ts';
import type { Step } from '../../conversation/arrange.ts';
import { PREFACE_NOTE } from '../../conversation/carried.ts';
import { compareInOrder } from '../../conversation/compare.ts';
import { type ExpectedPart, expectedParts, sameParts, stepsOf } from '../../conversation/expected.ts';
import { toolName } from '../../conversation/ids.ts';
import { json } from '../../conversation/json.ts';
import { failed, STANDING_IN } from '../../conversation/stand-in.ts';
import { WrittenIds } from './call-ids.ts';
import { carriesContext, carriesThinking } from './carry.ts';
import { type Atom, atomsOf, mismatch } from './read-chain.ts';

/**
 * Reads the written chain and compares it, piece by piece, with the model view: texts, calls with name and arguments,
 * results with their error flag, images, Pi's own reasoning and their order. What is expected is derived from the events
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
  | { kind: 'user' | 'note' | 'summary'; parts: ExpectedPart[] }
  | { kind: 'reply'; part: ExpectedPart }
  | { kind: 'thinking'; text: string | null; signature: string | null }
  | { kind: 'call'; id: string; name: string; input: string }
  | { kind: 'result'; id: string; name: string; parts: ExpectedPart[]; error: boolean };

/** What must stand in the file. */
async function* expectedAtoms(session: SessionSource, preface: string | undefined): AsyncGenerator<Expected> {
  if (preface !== undefined) yield { kind: 'front', text: `${PREFACE_NOTE}\n\n${preface.toWellFormed()}` };
  const ids = new WrittenIds();
  for await (const step of stepsOf(session)) yield* await expectedOf(step, session, ids);
}

const KINDS = { prompt: 'user', context: 'note', summary: 'summary' } as const;

async function expectedOf(step: Step, session: SessionSource, ids: WrittenIds): Promise<Expected[]> {
  switch (step.kind) {
    case 'thinking':
      return carriesThinking(step.event) ? [thinkingOf(step.event)] : [];
    case 'call':
      return [{ kind: 'call', id: ids.of(step.event, step.id), ...callOf(step.event) }];
    case 'output': {
      const parts = step.result === null ? [] : await expectedParts(step.result, session);
      return [
        {
          kind: 'result',
          id: ids.of(step.call, step.id),
          name: callOf(step.call).name,
          parts,
          error: failed(step.result),
        },
      ];
    }
    case 'reply':
      return (await expectedParts(step.event, session)).map((part) => ({ kind: 'reply', part }));
    default: {
      if (step.kind === 'context' && !carriesContext(step.event)) return [];
      const parts = await expectedParts(step.event, session);
      return parts.length === 0 ? [] : [{ kind: KINDS[step.kind], parts }];
    }
  }
}

function thinkingOf({ payload: { text, opaque, form } }: SessionEvent): Expected {
  const words = form === 'encrypted' ? null : typeof text === 'string' ? text.toWellFormed() : '';
  return { kind: 'thinking', text: words, signature: typeof opaque === 'string' ? opaque.toWellFormed() : null };
}

function callOf(event: SessionEvent): { name: string; input: string } {
  const { name, arguments: args } = event.payload as unknown as ToolCall;
  const input = typeof args === 'object' && args !== null && !Array.isArray(args) ? args : { input: args ?? null };
  return { name: toolName(String(name)), input: json(input) };
}

function matches(expected: Expected, found: Atom): boolean {
  switch (expected.kind) {
    case 'front':
      return found.kind === 'note' && sameParts([{ text: expected.text }], found.parts);
    case 'user':
    case 'note':
      return found.kind === expected.kind && sameParts(expected.parts, found.parts);
    case 'summary':
      if (found.kind === 'summary') return found.text === summaryText(expected.parts);
      return found.kind === 'note' && sameParts(expected.parts, found.parts);
    case 'reply':
      return found.kind === 'reply' && sameParts([expected.part], [found.part]);
    case 'thinking':
      return (
        found.kind === 'thinking' &&
        (expected.text === null || found.text === expected.text) &&
        found.signature === expected.signature
      );
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
        found.name === expected.name &&
        found.error === expected.error &&
        (sameParts(expected.parts, found.parts) || (expected.parts.length === 0 && standsIn(found)))
      );
  }
}

/** null = it cannot be text alone. */
function summaryText(parts: readonly ExpectedPart[]): string | null {
  const texts = parts.flatMap((part) => ('text' in part ? [part.text] : []));
  return texts.length === parts.length ? texts.join('\n\n') : null;
}

function standsIn({ parts }: Extract<Atom, { kind: 'result' }>): boolean {
  const [only] = parts;
  return parts.length === 1 && only !== null && only !== undefined && 'text' in only && STANDING_IN.has(only.text);
}

function nameOf(piece: Expected | Atom): string {
  switch (piece.kind) {
    case 'front':
      return 'a note in front';
    case 'user':
      return 'a message of the user';
    case 'call':
      return `the call ${piece.id} of ${piece.name}`;
    case 'result':
      return `the result of ${piece.id}`;
    default:
      return piece.kind === 'something else' ? piece.kind : `a ${piece.kind}`;
  }
}
