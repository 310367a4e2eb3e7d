import { sha256Hex } from '../../../src/core/hash.ts';
import type { ContentBlock, EventType, MessageSystem, MessageUser, ToolCall } from '../../../src/shared/events.ts';
import { CARRIED, carriedAbout } from '../../conversation/carried.ts';
import type { StoreArtifact } from '../../io/cut-text.ts';
import { toolOf } from '../tools.ts';
import { blocksOf } from './content.ts';
import { exitCodeOf } from './derive.ts';
import { isInjected, isObject, type Json, type Message, partsOf, textOf } from './record.ts';
import { type CallFacts, type Outcome, type Result, responsesOf, resultOfCall } from './results.ts';

export const ACTOR = 'agent:gemini';

/** One event that a message says, before it has a number. */
export interface Part {
  /** what it says, in short: two versions of a message are compared by it */
  fact: string;
  type: EventType;
  actor: string;
  payload: Json;
  /** time of its own, as written */
  time?: unknown;
  /** of a result: its text, uncut */
  whole?: string;
  /** of a result: the call and what came out, for the events that follow from it */
  outcome?: Outcome;
}

/**
 * turn: has a place in the conversation. responses: results that stand with their calls as well. aside: has no place.
 */
export interface Mapped {
  kind: 'turn' | 'responses' | 'aside';
  parts: Part[];
  /** what was said, for telling summaries */
  text: string;
}

/** What a message says. Pure; `childOf` gives the canonical id of a sub-agent's session. */
export function mapMessage(message: Message, store: StoreArtifact, childOf: (id: string) => string): Mapped {
  if (message.type === 'user') return userMessage(message, store);
  if (message.type === 'gemini') return { kind: 'turn', parts: answer(message, store, childOf), text: said(message) };
  return { kind: 'aside', parts: notice(message, store), text: '' };
}

function said({ content }: Message): string {
  return partsOf(content)
    .map((part) => textOf(part.text) ?? '')
    .join('');
}

function userMessage(message: Message, store: StoreArtifact): Mapped {
  const all = partsOf(message.content).filter((part) => part.thought !== true);
  if (all.some((part) => part.functionResponse !== undefined)) {
    const parts = responsesOf(all, store).map((result) => resultPart(result));
    return { kind: 'responses', parts, text: '' };
  }
  const own = all.filter((part) => !isInjected(part));
  const injected = all.filter(isInjected).map((part) => injectedPart(part, own.length > 0, store));
  if (own.length === 0) return { kind: 'aside', parts: injected, text: '' };
  return { kind: 'turn', parts: [...injected, ...userParts(message, own, store)], text: said(message) };
}

/** The client gives its context afresh when it resumes, and leaves out a message that begins with it. */
function injectedPart(part: Json, sent: boolean, store: StoreArtifact): Part {
  const hook = String(part.text).trimStart().startsWith('<hook_context>');
  return systemPart([part], hook ? 'hook' : 'environment', hook && sent, store);
}

/** The editor's state, which the client tells in the user's name. */
const EDITOR =
  /^\s*Here is (the user's editor context as a JSON object|a summary of changes in the user's editor context)/;

function userParts(message: Message, own: Json[], store: StoreArtifact): Part[] {
  const carried = carriedAbout(message[CARRIED]);
  if (carried !== null) return [systemPart(own, carried, true, store)];
  const [first] = own;
  const text = textOf(first?.text) ?? '';
  if (own.length === 1 && EDITOR.test(text)) return [systemPart(own, 'environment', true, store)];
  // Files that the prompt names with @ follow it; what was typed is said again beside it.
  const typed = partsOf(message.displayContent);
  const named = typed.length === 1 && own.length > 1 && typed[0]?.text === first?.text;
  const prompt = named ? own.filter((part, i) => i === 0 || part.text === undefined) : own;
  const files = named ? own.filter((part, i) => i > 0 && part.text !== undefined) : [];
  const payload: MessageUser = {
    content: blocksOf(prompt, store),
    via: text.trimStart().startsWith('/') ? 'command' : 'prompt',
  };
  const parts: Part[] = [
    { fact: `u${short(said(message))}`, type: 'message.user', actor: 'user', payload: { ...payload } },
  ];
  if (files.length > 0) parts.push(systemPart(files, 'file', true, store));
  return parts;
}

function systemPart(parts: Json[], about: MessageSystem['about'], toModel: boolean, store: StoreArtifact): Part {
  const payload: MessageSystem = { content: blocksOf(parts, store), role: 'user', about };
  if (toModel) payload.to_model = true;
  const text = parts.map((part) => textOf(part.text) ?? '').join('');
  return { fact: `s${short(text)}`, type: 'message.system', actor: 'system', payload: { ...payload } };
}

function notice(message: Message, store: StoreArtifact): Part[] {
  const { type } = message;
  if (type !== 'info' && type !== 'warning' && type !== 'error') return [];
  const parts = partsOf(message.content);
  if (parts.every((part) => part.text === '')) return [];
  return [systemPart(parts, 'notice', false, store)];
}

/** Thoughts, texts and calls in the order in which the model gets them, then the results. */
function answer(message: Message, store: StoreArtifact, childOf: (id: string) => string): Part[] {
  const content = partsOf(message.content);
  const calls = callsOf(message);
  const parts: Part[] = [];
  if (!content.some((part) => part.thought === true)) parts.push(...thoughts(message));
  const seen = new Set<string>();
  const fact = `r${short(replied(content))}`;
  for (const part of content) {
    const { functionCall } = part;
    if (part.thought === true) parts.push(thinking(textOf(part.text) ?? '', textOf(part.thoughtSignature)));
    else if (isObject(functionCall)) {
      const id = textOf(functionCall.id) ?? `${message.id}/${seen.size}`;
      seen.add(id);
      parts.push(callPart(calls.find((call) => call.id === id) ?? { ...functionCall, id }, childOf));
    } else if (part.text !== '') parts.push(reply(part, message, fact, store));
  }
  const rest = calls.filter((call) => !seen.has(String(call.id)));
  parts.push(...rest.map((call) => callPart(call, childOf)));
  for (const call of calls) {
    const result = resultOfCall(call, store);
    if (result !== null) parts.push(resultPart(result, call));
  }
  return parts;
}

function callsOf({ toolCalls, id }: Message): Json[] {
  if (!Array.isArray(toolCalls)) return [];
  return toolCalls
    .filter(isObject)
    .map((call, n) => (typeof call.id === 'string' ? call : { ...call, id: `${id}/${n}` }));
}

function thoughts({ thoughts: list }: Message): Part[] {
  if (!Array.isArray(list)) return [];
  return list.filter(isObject).flatMap(({ subject, description, timestamp }) => {
    // This is how the client itself joins them when it resumes.
    const body = textOf(description) ?? '';
    const text = typeof subject === 'string' && subject !== '' ? `**${subject}** ${body}` : body;
    return text === '' ? [] : [{ ...thinking(text, undefined), time: timestamp }];
  });
}

function thinking(text: string, signature: string | undefined): Part {
  const signed = signature === undefined ? {} : { opaque: signature, provider: 'google' };
  const payload = { text, form: signature === undefined ? 'summary' : 'signed', ...signed };
  return { fact: `t${short(text)}`, type: 'message.thinking', actor: ACTOR, payload };
}

/** The texts of an answer may be cut into other pieces when the client writes them again. */
function replied(content: readonly Json[]): string {
  const texts = content.filter((part) => part.thought !== true && part.functionCall === undefined);
  return texts.map((part) => textOf(part.text) ?? JSON.stringify(part)).join('');
}

function reply(part: Json, { model }: Message, fact: string, store: StoreArtifact): Part {
  const content: ContentBlock[] = blocksOf([part], store);
  const payload = { content, ...(typeof model === 'string' ? { model } : {}) };
  return { fact, type: 'message.assistant', actor: ACTOR, payload };
}

function callPart(call: Json, childOf: (id: string) => string): Part {
  const { id, name, args } = factsOf(call);
  const { kind, server } = toolOf(name);
  const payload: Omit<ToolCall, 'response'> = { call_id: id, name, arguments: args, tool: kind };
  if (server !== undefined) payload.server = server;
  if (typeof call.agentId === 'string') payload.child_session = childOf(call.agentId);
  return { fact: `c${short(id)}`, type: 'tool.call', actor: ACTOR, payload: { ...payload } };
}

function factsOf(call: Json): CallFacts {
  const name = textOf(call.name) ?? '';
  return { id: textOf(call.id) ?? '', name, kind: toolOf(name).kind, args: isObject(call.args) ? call.args : {} };
}

function resultPart(result: Result, call?: Json): Part {
  const payload: Json = { ...result.payload };
  const part: Part = {
    fact: `x${short(result.callId)}`,
    type: 'tool.result',
    actor: 'system',
    payload,
    whole: result.text,
  };
  if (call === undefined) return part;
  const { resultDisplay } = call;
  if (isObject(resultDisplay)) payload.structured = resultDisplay;
  const outcome = { call: factsOf(call), result, display: resultDisplay };
  const exitCode = exitCodeOf(outcome);
  if (exitCode !== undefined) payload.exit_code = exitCode;
  return { ...part, time: call.timestamp, outcome };
}

/** Enough of a hash to compare the versions of one message. */
export function short(text: string): string {
  return sha256Hex(text).slice(0, 10);
}
