import type { ContentBlock, Usage } from '../../src/shared/events.ts';
import { mapBlock } from './content.ts';
import { EVENT } from './graph.ts';
import { extras, leftOver, Usual } from './native.ts';
import { placeOf, settle } from './place.ts';
import { isObject, type Json, type NativeRecord, text } from './record.ts';
import { ACTOR, type Draft } from './session-log.ts';
import type { SessionState } from './state.ts';
import { toolOf } from './tools.ts';
import { mapUsage } from './usage.ts';

const HANDLED: ReadonlySet<string> = new Set(['type', 'uuid', 'parentUuid', 'timestamp', 'message']);
const MESSAGE = new Usual(['content', 'id', 'model', 'stop_reason', 'usage'], {
  role: 'assistant',
  stop_sequence: null,
  type: 'message',
});
const THINKING_KEYS: ReadonlySet<string> = new Set(['type', 'thinking', 'signature']);
const REDACTED_KEYS: ReadonlySet<string> = new Set(['type', 'data']);
const CALL_KEYS: ReadonlySet<string> = new Set(['type', 'id', 'name', 'input']);
const TEXT_KEYS: ReadonlySet<string> = new Set(['type', 'text']);

const PROVIDER = 'anthropic';

/** Name of an answer whose record has no id: it is an answer of its own, never joined with another. */
export const OWN_RESPONSE = 'record:';

/** The model that the client names for what no model wrote. */
export const SYNTHETIC = '<synthetic>';

/** Facts of the record that its events share. */
interface Answer {
  response: string;
  model: string | undefined;
  stop: string | undefined;
  synthetic: boolean;
  /** why a request failed, where the client says so in place of an answer */
  error: string | undefined;
  usage: Usage | undefined;
}

/**
 * A line of an answer: one event a block (one block a line since 1.0), joined by `response` = message.id.
 * Returns why not, where it was not mapped.
 */
export function mapAssistant(state: SessionState, record: NativeRecord): true | string {
  const { message } = record;
  if (!isObject(message)) return 'assistant';
  const { log } = state;
  const id = text(message.id);
  const response = id ?? `${OWN_RESPONSE}${log.current.uuid ?? log.current.line}`;
  const role = { kind: 'answer', response } as const;
  const place = placeOf(log, record, role);
  log.current.parent = place.parent;
  // replies that sessionctl carried here were written by a model, of another agent (write/lines.ts)
  const carried = message.model === SYNTHETIC && record.carriedFrom !== undefined;
  const answer: Answer = {
    response,
    model: carried ? undefined : text(message.model),
    stop: text(message.stop_reason),
    synthetic: (message.model === SYNTHETIC && !carried) || record.isApiErrorMessage === true,
    error: record.isApiErrorMessage === true ? (text(record.error) ?? 'unknown') : undefined,
    usage: undefined,
  };
  const inner = mapMessage(state, message, answer);
  const more = inner === undefined ? undefined : { message: inner };
  const native = leftOver(record, HANDLED, log, place.exact, more);
  mapBlocks(state, message.content, answer, native);
  settle(log, place, role, log.current.last);
  state.calls.passBy(response);
  if (!answer.synthetic) state.model = answer.model ?? state.model;
  return true;
}

/** What of the message the events do not give back. Usage that was told already is only marked. */
function mapMessage(state: SessionState, message: Json, answer: Answer): Json | undefined {
  const { id, model, stop_reason, usage } = message;
  let inner = MESSAGE.rest(message);
  if (id !== undefined && id !== answer.response) inner = { ...inner, id };
  if (model !== undefined && answer.model === undefined) inner = { ...inner, model };
  if (stop_reason !== undefined && answer.stop === undefined) inner = { ...inner, stop_reason };
  if (usage === undefined) return inner;
  if (!isObject(usage) || answer.synthetic || state.setting.replayed.has(answer.response)) return { ...inner, usage };
  if (state.usage.repeats(answer.response, usage)) return { ...inner, $usage: 'same' };
  const mapped = mapUsage(usage);
  answer.usage = mapped.usage;
  if (mapped.rest === undefined) return inner;
  return inner === undefined ? { usage: mapped.rest } : { ...inner, usage: mapped.rest };
}

function mapBlocks(state: SessionState, content: unknown, answer: Answer, native: Json | undefined): void {
  const { log } = state;
  if (!Array.isArray(content) || content.length === 0) {
    const blocks: ContentBlock[] = typeof content === 'string' ? [{ kind: 'text', text: content }] : [];
    let marked = native;
    if (typeof content === 'string') marked = { ...native, $string: true };
    else if (!Array.isArray(content)) marked = { ...native, $content: content === undefined ? 'absent' : [content] };
    log.put(said(answer, blocks, marked, true));
    return;
  }
  for (let i = 0; i < content.length; i++) {
    const first = i === 0;
    const block: unknown = content[i];
    const draft = mapOne(state, block, answer, first ? native : undefined, first);
    const seq = log.put(draft);
    if (draft.type === 'tool.call') state.calls.made(seq, draft.payload, answer.response);
  }
}

function mapOne(state: SessionState, block: unknown, answer: Answer, native: Json | undefined, first: boolean): Draft {
  if (isObject(block)) {
    if (block.type === 'text' && typeof block.text === 'string')
      return said(answer, [{ kind: 'text', text: block.text }], withBlock(native, extras(block, TEXT_KEYS)), first);
    if (block.type === 'tool_use' && text(block.id) !== undefined && typeof block.name === 'string')
      return called(state, block, answer, native, first);
    if (block.type === 'thinking' && typeof block.thinking === 'string') return thought(block, answer, native, first);
    if (block.type === 'redacted_thinking' && typeof block.data === 'string')
      return hidden(block, answer, native, first);
  }
  const [mapped, rest] = mapBlock(block, state.store);
  return said(answer, [mapped], withBlock(native, rest), first);
}

function said(answer: Answer, content: ContentBlock[], native: Json | undefined, first: boolean): Draft {
  const payload: Json = { content };
  if (answer.error !== undefined) payload.error = answer.error;
  if (answer.model !== undefined) payload.model = answer.model;
  if (native !== undefined) payload.native = native;
  payload.response = answer.response;
  if (answer.stop !== undefined) payload.stop_reason = answer.stop;
  if (answer.synthetic) payload.synthetic = true;
  if (first && answer.usage !== undefined) payload.usage = answer.usage;
  return { type: 'message.assistant', actor: ACTOR, level: 2, payload, kind: EVENT.ASSISTANT };
}

function thought(block: Json, answer: Answer, native: Json | undefined, first: boolean): Draft {
  const signature = text(block.signature);
  let rest = extras(block, THINKING_KEYS);
  if (signature === undefined && block.signature !== undefined) rest = { ...rest, signature: block.signature };
  const kept = closed(withBlock(native, rest), answer, first);
  const payload: Json = { form: signature === undefined ? 'plain' : 'signed' };
  if (kept !== undefined) payload.native = kept;
  if (signature !== undefined) payload.opaque = signature;
  payload.provider = PROVIDER;
  payload.response = answer.response;
  payload.text = block.thinking;
  return told('message.thinking', 0, payload, answer, first);
}

function hidden(block: Json, answer: Answer, native: Json | undefined, first: boolean): Draft {
  const kept = closed(withBlock(native, extras(block, REDACTED_KEYS)), answer, first);
  const payload: Json = { form: 'encrypted' };
  if (kept !== undefined) payload.native = kept;
  payload.opaque = block.data;
  payload.provider = PROVIDER;
  payload.response = answer.response;
  return told('message.thinking', 0, payload, answer, first);
}

function called(state: SessionState, block: Json, answer: Answer, native: Json | undefined, first: boolean): Draft {
  const id = block.id as string;
  const name = block.name as string;
  const { kind, server } = toolOf(name);
  const { input } = block;
  const usable = isObject(input) || typeof input === 'string';
  let rest = extras(block, CALL_KEYS);
  if (!usable) rest = { ...rest, $input: input === undefined ? 'absent' : [input] };
  const child = kind === 'agent' ? state.childOf(id) : undefined;
  const kept = closed(withBlock(native, rest), answer, first);
  const payload: Json = { arguments: usable ? input : {}, call_id: id };
  if (child !== undefined) payload.child_session = child;
  payload.name = name;
  if (kept !== undefined) payload.native = kept;
  payload.response = answer.response;
  if (server !== undefined) payload.server = server;
  payload.tool = kind;
  return told('tool.call', 2, payload, answer, first);
}

/** Model and end of an answer stand on its text; for a record that begins without text they go to `native`. */
function closed(native: Json | undefined, answer: Answer, first: boolean): Json | undefined {
  if (!first || (answer.model === undefined && answer.stop === undefined)) return native;
  const message: Json = {};
  if (answer.model !== undefined) message.model = answer.model;
  if (answer.stop !== undefined) message.stop_reason = answer.stop;
  return { ...native, message: { ...message, ...(native?.message as Json | undefined) } };
}

function told(type: string, level: 0 | 2, payload: Json, answer: Answer, first: boolean): Draft {
  if (first && answer.usage !== undefined) payload.usage = answer.usage;
  return { type, actor: ACTOR, level, payload, kind: EVENT.ASSISTANT };
}

function withBlock(native: Json | undefined, rest: Json | undefined): Json | undefined {
  return rest === undefined ? native : { ...native, $block: rest };
}
