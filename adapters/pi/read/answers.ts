import type { ContentBlock, MessageAssistant, MessageThinking, ToolCall, Usage } from '../../../src/shared/events.ts';
import type { StoreArtifact } from '../../io/cut-text.ts';
import { mapBlock, mapContent } from '../content.ts';
import { isObject, type Json, text } from '../json.ts';
import { leftOver, pack } from '../pack.ts';
import { toolOf } from '../tools.ts';
import { nativeMessage } from './envelope.ts';
import { ACTOR } from './log.ts';
import type { Reading } from './state.ts';
import { usage as tokens, usageOf } from './usage.ts';

/** An answer: an event for each block, all of one response. One that broke off is never sent again (`synthetic`). */
export function assistant(r: Reading, record: Json, body: Json): void {
  const { log, store } = r;
  const response = log.place.id ?? `line-${log.place.line + 1}`;
  const model = text(body.model);
  const stop = text(body.stopReason);
  const broken = stop === 'error' || stop === 'aborted';
  const usage = broken ? undefined : usageOf(body.usage);
  const native = nativeMessage(record, log, ['role', 'content', ...(model === undefined ? [] : ['model'])]);
  const base: Base = {
    response,
    ...(model === undefined ? {} : { model }),
    ...(broken ? { synthetic: true } : {}),
    provider: text(body.provider),
    stop,
  };
  const first = { native, ...(usage === undefined ? {} : { usage }) };
  const blocks = Array.isArray(body.content) ? (body.content as unknown[]) : [];
  if (blocks.length > 0) for (const [i, block] of blocks.entries()) answerPart(r, block, base, i === 0 ? first : {});
  else answerWithout(r, body, base, first, store);
  // what is not sent is not counted by itself
  if (broken) tokens(r, body.usage, response);
  if (model !== undefined) log.sink.facts({ model });
}

/** The blocks that an edit of the context put into an answer's place, an event each. */
export function answerAgain(r: Reading, blocks: readonly unknown[]): void {
  const response = r.log.place.id ?? `line-${r.log.place.line + 1}`;
  for (const block of blocks) answerPart(r, block, { response, provider: undefined, stop: undefined }, {});
}

interface Base {
  response: string;
  model?: string;
  synthetic?: boolean;
  provider: string | undefined;
  stop: string | undefined;
}
interface First {
  native?: Json;
  usage?: Usage;
}

/** An answer without blocks, which says why; or one whose content is no list. */
function answerWithout({ log }: Reading, body: Json, base: Base, first: First, store: StoreArtifact): void {
  const { content, native } = Array.isArray(body.content)
    ? { content: [] as ContentBlock[], native: { $content: [[]] } }
    : mapContent(body.content, store);
  const reason = text(body.errorMessage);
  const told: ContentBlock[] =
    content.length === 0 && reason !== undefined ? [{ kind: 'text', text: reason }] : content;
  log.put('message.assistant', ACTOR, { ...reply(base, told), ...first, native: { ...first.native, ...native } });
}

function reply({ response, model, synthetic, stop }: Base, content: ContentBlock[]): MessageAssistant {
  return {
    response,
    content,
    ...(model === undefined ? {} : { model }),
    ...(stop === undefined ? {} : { stop_reason: stop }),
    ...(synthetic ? { synthetic } : {}),
  };
}

const THINKING: ReadonlySet<string> = new Set(['type', 'thinking', 'thinkingSignature', 'redacted']);
const CALL: ReadonlySet<string> = new Set(['type', 'id', 'name', 'arguments']);

function answerPart(r: Reading, block: unknown, base: Base, first: First): void {
  const { log, store } = r;
  const kind = isObject(block) ? block.type : undefined;
  const more = (extra: Json | undefined): object =>
    extra === undefined ? first : { ...first, native: { ...first.native, $block: extra } };
  if (isObject(block) && kind === 'thinking' && typeof block.thinking === 'string') {
    log.put('message.thinking', ACTOR, { ...thinking(r, block, base), ...more(thinkingExtra(r, block)) });
  } else if (isObject(block) && kind === 'toolCall' && typeof block.id === 'string' && typeof block.name === 'string') {
    const { synthetic, response, model } = base;
    const call: ToolCall = {
      response,
      call_id: block.id,
      name: block.name,
      arguments: argumentsOf(block),
      ...toolOf(block.name),
    };
    const extra = {
      ...leftOver(block, CALL),
      ...(isObject(block.arguments) ? {} : { $arguments: argumentsKept(block, store) }),
    };
    const marks = { ...(model === undefined ? {} : { model }), ...(synthetic ? { synthetic } : {}) };
    log.put('tool.call', ACTOR, { ...call, ...marks, ...more(Object.keys(extra).length > 0 ? extra : undefined) });
  } else {
    const { mapped, extra } = mapBlock(block, store);
    log.put('message.assistant', ACTOR, { ...reply(base, [mapped]), ...more(extra) });
  }
}

const argumentsOf = ({ arguments: args }: Json): ToolCall['arguments'] => (isObject(args) ? args : (text(args) ?? {}));
/** Arguments that are no object; absent = []. */
const argumentsKept = ({ arguments: args }: Json, store: StoreArtifact): unknown[] =>
  args === undefined ? [] : [pack(args, store)];

/** Forms of reasoning, told by the signature: Pi puts a field's name, a signature or a whole item there (FORMAT.md). */
function thinking(r: Reading, block: Json, { response, model, synthetic, provider }: Base): MessageThinking & Json {
  const signature = signatureOf(r, block);
  const words = String(block.thinking);
  const form =
    block.redacted === true
      ? 'encrypted'
      : signature === undefined || (/^\w{1,40}$/.test(signature) && signature.includes('reasoning'))
        ? 'plain'
        : signature.startsWith('{')
          ? 'summary'
          : 'signed';
  return {
    response,
    ...(block.redacted === true ? {} : { text: words }),
    form,
    ...(signature === undefined ? {} : { opaque: signature }),
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(synthetic ? { synthetic } : {}),
  };
}

function thinkingExtra(r: Reading, block: Json): Json | undefined {
  const extra: Json = { ...leftOver(block, THINKING) };
  if (block.redacted !== undefined) extra.redacted = block.redacted;
  if (block.redacted === true) extra.thinking = block.thinking;
  if (
    signatureOf(r, block) === undefined &&
    block.thinkingSignature !== undefined &&
    typeof block.thinkingSignature !== 'string'
  )
    extra.thinkingSignature = block.thinkingSignature;
  return Object.keys(extra).length > 0 ? extra : undefined;
}

/** A signature is whole or absent: one that holds readable text (OpenAI's item as JSON) goes when a secret stands in it. */
function signatureOf({ redact }: Reading, { thinkingSignature: signature }: Json): string | undefined {
  if (typeof signature !== 'string') return undefined;
  return signature.startsWith('{') && redact(signature) !== signature ? undefined : signature;
}
