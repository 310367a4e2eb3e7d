import type { ContentBlock, ToolKind, ToolResult } from '../../../src/shared/events.ts';
import { cutText, type StoreArtifact } from '../../io/cut-text.ts';
import { blocksOf } from './content.ts';
import { isObject, type Json, textOf } from './record.ts';

/** A result of a call, from the parts of a `functionResponse` and what follows it. */
export interface Result {
  callId: string;
  /** the whole text that the model sees */
  text: string;
  isError: boolean;
  payload: ToolResult;
}

export interface CallFacts {
  id: string;
  name: string;
  kind: ToolKind;
  args: Json;
}

/** A call and what came of it; `display` is the client's own form of the result. */
export interface Outcome {
  call: CallFacts;
  result: Result;
  display: unknown;
}

/**
 * The results among parts, one a `functionResponse`. Parts behind it (pictures, texts of several files) belong to it: the
 * client puts what a tool returns beside text there.
 */
export function responsesOf(parts: readonly Json[], store: StoreArtifact): Result[] {
  const groups: { response: Json; beside: Json[] }[] = [];
  for (const part of parts) {
    if (isObject(part.functionResponse)) groups.push({ response: part.functionResponse, beside: nestedParts(part) });
    else groups.at(-1)?.beside.push(part);
  }
  return groups.map(({ response, beside }) => resultOf(textOf(response.id) ?? '', response.response, beside, store));
}

/** Newer models get pictures inside the response. */
function nestedParts({ functionResponse }: Json): Json[] {
  const { parts } = functionResponse as Json;
  return Array.isArray(parts) ? parts.filter(isObject) : [];
}

/** The result that stands with its call. It may list those of the calls beside it as well. */
export function resultOfCall(call: Json, store: StoreArtifact): Result | null {
  const { result } = call;
  const id = textOf(call.id) ?? '';
  const found = typeof result === 'string' ? resultOf(id, { output: result }, [], store) : ofParts(id, result, store);
  if (found === null) return null;
  const isError = found.isError || call.status === 'error' || call.status === 'cancelled';
  const closed = call.status === 'cancelled' ? cancelled(found.text) : 'ran';
  return { ...found, isError, payload: { ...found.payload, is_error: isError, closed } };
}

function ofParts(id: string, result: unknown, store: StoreArtifact): Result | null {
  const parts = Array.isArray(result) ? result.filter(isObject) : isObject(result) ? [result] : [];
  if (parts.length === 0) return null;
  const own = responsesOf(parts, store);
  if (own.length === 0) return resultOf(id, {}, parts, store);
  const one = own.find(({ callId }) => callId === id) ?? (own.length === 1 ? own[0]! : null);
  return one === null ? null : { ...one, callId: id, payload: { ...one.payload, call_id: id } };
}

function cancelled(text: string): ToolResult['closed'] {
  return /did not allow|declin|den(y|ied)|reject/i.test(text) ? 'denied' : 'interrupted';
}

function resultOf(callId: string, response: unknown, beside: readonly Json[], store: StoreArtifact): Result {
  const { text, isError } = saidBy(response);
  const cut = cutText(text, store);
  const content: ContentBlock[] = text === '' ? [] : [{ kind: 'text', text: cut.text }];
  content.push(...blocksOf(beside, store));
  const payload: ToolResult = { call_id: callId, content, is_error: isError, closed: 'ran' };
  if (cut.truncated !== undefined) payload.truncated = cut.truncated;
  return { callId, text, isError, payload };
}

/** `output` or `error`; anything else is shown as the model gets it. */
function saidBy(response: unknown): { text: string; isError: boolean } {
  if (!isObject(response)) return { text: '', isError: false };
  const { output, error } = response;
  if (typeof error === 'string') return { text: error, isError: true };
  if (typeof output === 'string') return { text: output, isError: false };
  return { text: Object.keys(response).length === 0 ? '' : JSON.stringify(response), isError: error !== undefined };
}
