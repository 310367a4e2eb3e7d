import { createHash } from 'node:crypto';
import type { SessionEvent, ToolCall } from '../../../src/shared/events.ts';
import { responseOf, type Step } from '../../conversation/arrange.ts';
import { type Artifacts, partsOf, textsOf } from '../../conversation/blocks.ts';
import { PREFACE_NOTE } from '../../conversation/carried.ts';
import { toolName } from '../../conversation/ids.ts';
import { json } from '../../conversation/json.ts';
import { failed, standIn } from '../../conversation/stand-in.ts';
import type { LineWriter } from '../../conversation/write.ts';
import { isObject, type Json, text } from '../json.ts';
import { WrittenIds } from './call-ids.ts';
import { carriesContext, carriesThinking } from './carry.ts';

/** What the lines need beside the conversation. */
export interface LineOptions {
  sessionId: string;
  /** agent that the session comes from */
  from: string;
  /** absolute, links resolved */
  cwd: string;
  title: string;
  /** time of the handoff, seconds */
  at: number;
  /** model that the user's Pi starts with; null = its own choice */
  model: { provider: string; id: string } | null;
  /** size of the conversation, so that Pi compacts in time */
  tokens: number;
  preface?: string;
}

/** `customType` of what we put beside the conversation. */
const OURS = 'sessionctl';
const NO_TOKENS = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const NO_COST = { ...NO_TOKENS, total: 0 };

interface Reply {
  response: string;
  ts: number | null;
  origin: SessionEvent;
  blocks: Json[];
  calls: boolean;
}

/**
 * Turns steps into the lines of a Pi session, version 3: header, name, one chain of entries with unique ids, content as lists, a
 * whole `usage` on every reply (Pi stops without it), one result a line. Pure and deterministic.
 */
export class Lines implements LineWriter {
  readonly #o: LineOptions;
  readonly #emit: (line: string) => void;
  readonly #ids = new Set<string>();
  readonly #calls = new WrittenIds();
  #ms: number;
  #count = 0;
  #parent: string | null = null;
  #messages = 0;
  #reply: Reply | null = null;
  /** the last closed reply: only the very last one tells the size of the conversation, so it waits for the next line */
  #waiting: { entry: Json; message: Json }[] = [];

  constructor(options: LineOptions, first: number | null, emit: (line: string) => void) {
    this.#o = options;
    this.#emit = emit;
    this.#ms = this.#msOf(first ?? options.at);
    this.#line({ type: 'session', version: 3, id: options.sessionId, timestamp: this.#time(), cwd: options.cwd });
    this.#entry('session_info', { name: options.title.replace(/\s+/g, ' ').trim() }, null);
    if (options.preface !== undefined)
      this.#note([{ type: 'text', text: `${PREFACE_NOTE}\n\n${options.preface}` }], null);
  }

  step(step: Step, artifacts: Artifacts): void {
    switch (step.kind) {
      case 'reply':
      case 'thinking':
      case 'call':
        this.#part(step, artifacts);
        return;
      case 'output':
        this.#closeReply();
        this.#output(step, artifacts);
        return;
      default:
        this.#closeReply();
        this.#between(step.kind, step.event, artifacts);
    }
  }

  /** Closes the file. False = no line of a conversation came out. */
  finish(): boolean {
    this.#closeReply();
    const any = this.#messages > 0;
    this.#release(this.#o.tokens);
    const { model } = this.#o;
    // what stands last decides the model: the user's own, not the one that the other agent had
    if (any && model !== null && this.#o.from !== 'pi')
      this.#entry('model_change', { provider: model.provider, modelId: model.id }, null);
    return any;
  }

  #between(kind: 'prompt' | 'context' | 'summary', event: SessionEvent, artifacts: Artifacts): void {
    if (kind === 'context' && !carriesContext(event)) return;
    const blocks = contentOf(event, artifacts);
    if (blocks.length === 0) return;
    if (kind === 'prompt') this.#message({ role: 'user', content: blocks }, event.ts);
    else if (kind === 'context') this.#note(blocks, event.ts);
    else this.#summary(blocks, event);
  }

  /** In front a summary is a compaction, as Pi makes one; behind other messages that would put it before them. */
  #summary(blocks: Json[], event: SessionEvent): void {
    const words = blocks.map((block) => text(block.text) ?? '').join('\n\n');
    if (this.#messages > 0 || blocks.some((block) => block.type !== 'text')) {
      this.#note(blocks, event.ts);
      return;
    }
    const tokens = event.payload.tokens_before;
    const id = this.#nextId();
    const body = { summary: words, firstKeptEntryId: id, tokensBefore: typeof tokens === 'number' ? tokens : 0 };
    this.#entry('compaction', body, event.ts, id);
    this.#messages++;
  }

  #part(step: Extract<Step, { kind: 'reply' | 'thinking' | 'call' }>, artifacts: Artifacts): void {
    const { event } = step;
    const blocks =
      step.kind === 'call'
        ? [callBlock(event, this.#calls.of(event, step.id))]
        : step.kind === 'thinking'
          ? thinkingBlocks(event)
          : textsOf(event, artifacts).map((words) => ({
              type: 'text',
              text: words,
              ...extraOf(event, 'textSignature'),
            }));
    const response = responseOf(event);
    if (this.#reply?.response !== response) this.#closeReply();
    this.#reply ??= { response, ts: event.ts, origin: event, blocks: [], calls: false };
    this.#reply.blocks.push(...blocks);
    this.#reply.calls ||= step.kind === 'call';
  }

  #closeReply(): void {
    const reply = this.#reply;
    this.#reply = null;
    if (reply === null || reply.blocks.length === 0) return;
    const usage = { ...NO_TOKENS, totalTokens: 0, cost: NO_COST };
    const message = {
      role: 'assistant',
      content: reply.blocks,
      ...this.#speaker(reply.origin),
      usage,
      stopReason: reply.calls ? 'toolUse' : 'stop',
    };
    this.#message(message, reply.ts);
  }

  /** Who said it: Pi's own words for its own sessions, else the other agent and its model. */
  #speaker(event: SessionEvent): Json {
    const native = isObject(event.payload.native) ? event.payload.native.message : undefined;
    const model = text(event.payload.model) ?? 'unknown';
    if (
      event.agent === 'pi' &&
      isObject(native) &&
      typeof native.api === 'string' &&
      typeof native.provider === 'string'
    )
      return { api: native.api, provider: native.provider, model };
    return { api: this.#o.from, provider: this.#o.from, model };
  }

  #output({ call, id, result }: Extract<Step, { kind: 'output' }>, artifacts: Artifacts): void {
    const blocks = result === null ? [] : contentOf(result, artifacts);
    const said = blocks.length === 0 ? standIn(result) : '';
    const content = said === '' ? blocks : [{ type: 'text', text: said }];
    const name = toolName(String((call.payload as unknown as ToolCall).name));
    const toolCallId = this.#calls.of(call, id);
    const message = { role: 'toolResult', toolCallId, toolName: name, content, isError: failed(result) };
    this.#message(message, (result ?? call).ts);
  }

  /** What the model is told beside prompts: the user role of the request, and no prompt in Pi's own list. */
  #note(content: Json[], ts: number | null): void {
    this.#entry('custom_message', { customType: OURS, content, display: true }, ts);
    this.#messages++;
  }

  #message(message: Json, ts: number | null): void {
    this.#release(0);
    const entry = this.#entryOf('message', ts, this.#nextId());
    this.#waiting.push({ entry, message: { ...message, timestamp: this.#ms } });
    this.#messages++;
    if (message.role !== 'assistant') this.#release(0);
  }

  /** Writes the reply that waits. `tokens` > 0: it is the last one. */
  #release(tokens: number): void {
    for (const { entry, message } of this.#waiting.splice(0)) {
      if (tokens > 0 && isObject(message.usage)) message.usage = { ...message.usage, totalTokens: tokens };
      this.#line({ ...entry, message });
    }
  }

  #entry(type: string, body: Json, ts: number | null, id = this.#nextId()): void {
    this.#release(0);
    this.#line({ ...this.#entryOf(type, ts, id), ...body });
  }

  #entryOf(type: string, ts: number | null, id: string): Json {
    this.#ms = Math.max(this.#ms, ts === null ? 0 : this.#msOf(ts));
    const entry = { type, id, parentId: this.#parent, timestamp: this.#time() };
    this.#parent = id;
    return entry;
  }

  /** Nothing of the conversation is later than its handoff, whatever a clock said. */
  #msOf(ts: number): number {
    return Math.floor(Math.max(0, Math.min(ts, this.#o.at)) * 1000);
  }

  #time(): string {
    return new Date(this.#ms).toISOString();
  }

  /** Eight hexadecimal digits from session and position, so that a retry writes the same. */
  #nextId(): string {
    for (;;) {
      const id = createHash('sha256')
        .update(`${this.#o.sessionId}:entry:${this.#count++}`)
        .digest('hex')
        .slice(0, 8);
      if (this.#ids.has(id)) continue;
      this.#ids.add(id);
      return id;
    }
  }

  #line(record: Json): void {
    this.#emit(`${json(record)}\n`);
  }
}

function callBlock(event: SessionEvent, id: string): Json {
  const { name, arguments: args } = event.payload as unknown as ToolCall;
  const input = isObject(args) ? args : { input: args ?? null };
  return {
    type: 'toolCall',
    id,
    name: toolName(String(name)),
    arguments: input,
    ...extraOf(event, 'thoughtSignature'),
  };
}

function thinkingBlocks(event: SessionEvent): Json[] {
  if (!carriesThinking(event)) return [];
  const { text: words, opaque, form } = event.payload;
  const signature = typeof opaque === 'string' ? { thinkingSignature: opaque } : {};
  if (form === 'encrypted')
    return [{ type: 'thinking', thinking: '[Reasoning redacted]', ...signature, redacted: true }];
  return [{ type: 'thinking', thinking: text(words) ?? '', ...signature }];
}

/** A member of a block that only Pi itself has. */
function extraOf({ agent, payload }: SessionEvent, name: string): Json {
  const native = agent === 'pi' && isObject(payload.native) ? payload.native.$block : undefined;
  const value = isObject(native) ? native[name] : undefined;
  return typeof value === 'string' ? { [name]: value } : {};
}

/** Non-blank blocks in order. */
function contentOf(event: SessionEvent, artifacts: Artifacts): Json[] {
  return partsOf(event, artifacts).map((part) => {
    if ('text' in part) return { type: 'text', text: part.text };
    return { type: 'image', data: Buffer.from(part.image).toString('base64'), mimeType: part.mediaType };
  });
}
