import { createHash } from 'node:crypto';
import { shorten } from '../../../src/core/text.ts';
import type { MessageThinking, SessionEvent, ToolCall } from '../../../src/shared/events.ts';
import { responseOf, type Step } from '../../conversation/arrange.ts';
import { type Artifacts, partsOf, textsOf } from '../../conversation/blocks.ts';
import { PREFACE_NOTE } from '../../conversation/carried.ts';
import { toolName } from '../../conversation/ids.ts';
import { json } from '../../conversation/json.ts';
import { failed, standIn } from '../../conversation/stand-in.ts';
import type { LineWriter } from '../../conversation/write.ts';
import { carriesContext, carriesThinking, signatureOf } from './carry.ts';

/** What the lines need beside the conversation. */
export interface LineOptions {
  sessionId: string;
  /** agent that the session comes from */
  from: string;
  /** absolute, links resolved */
  cwd: string;
  gitBranch: string | null;
  version: string;
  title: string;
  /** time of the handoff, seconds */
  at: number;
  preface?: string;
}

type Block = Record<string, unknown>;
/** How a message in the user role is told from a prompt. */
/** Hidden from the person. What a note is about the client's own mark does not say: the next handoff carries it again. */
const NOTE = { isMeta: true, carriedAbout: 'notice' };
/** Claude Code's own lines hold as much of a prompt. */
const LAST_PROMPT = 201;
const NOTHING = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
/** In front of a session that begins with a reply: the API wants a message of the user first. */
export const OPENING_NOTE = 'This session was carried over by sessionctl. It begins with a reply.';

/**
 * Turns steps into the lines of a Claude Code session by the recipe that all tried clients resume (FORMAT.md): one chain,
 * unique ids, strictly rising times, a message envelope on every reply, one result a line, the title first and last.
 * Pure and deterministic.
 */
export class Lines implements LineWriter {
  readonly #o: LineOptions;
  readonly #emit: (line: string) => void;
  #ms: number;
  #count = 0;
  #parent: string | null = null;
  #lastPrompt: string | null = null;
  #reply: { response: string; ts: number | null; blocks: Block[]; calls: boolean } | null = null;

  constructor(options: LineOptions, first: number | null, emit: (line: string) => void) {
    this.#o = options;
    this.#emit = emit;
    this.#ms = this.#msOf(first ?? options.at) - 1;
    this.#title();
    if (options.preface !== undefined)
      this.#user([{ type: 'text', text: `${PREFACE_NOTE}\n\n${options.preface}` }], null, NOTE);
  }

  step(step: Step, artifacts: Artifacts): void {
    switch (step.kind) {
      case 'reply':
      case 'thinking':
      case 'call':
        this.#part(step, artifacts);
        break;
      case 'output':
        this.#closeReply();
        this.#output(step, artifacts);
        break;
      default:
        this.#closeReply();
        this.#message(step.kind, step.event, artifacts);
    }
  }

  /** Closes the file. False = no line of a conversation came out. */
  finish(): boolean {
    this.#closeReply();
    if (this.#parent === null) return false;
    this.#title();
    const lastPrompt = shorten((this.#lastPrompt ?? this.#o.title).replace(/\s+/g, ' '), LAST_PROMPT);
    this.#line({ type: 'last-prompt', lastPrompt, leafUuid: this.#parent, sessionId: this.#o.sessionId });
    return true;
  }

  #message(kind: 'prompt' | 'context' | 'summary', event: SessionEvent, artifacts: Artifacts): void {
    if (kind === 'context' && !carriesContext(event)) return;
    const blocks = contentOf(event, artifacts);
    if (blocks.length === 0) return;
    if (kind === 'prompt') this.#lastPrompt = textsOf(event, artifacts).join(' ');
    this.#user(blocks, event.ts, this.#marks(kind, event));
  }

  /** A summary hides what stands before it, so behind a preface it is a note. */
  #marks(kind: 'prompt' | 'context' | 'summary', event: SessionEvent): Block {
    if (kind === 'prompt') return {};
    if (kind === 'summary') return this.#parent === null ? { isCompactSummary: true } : NOTE;
    return { ...NOTE, carriedAbout: event.payload.about };
  }

  #part(step: Extract<Step, { kind: 'reply' | 'thinking' | 'call' }>, artifacts: Artifacts): void {
    const { event } = step;
    const blocks =
      step.kind === 'call'
        ? [callBlock(event, step.id)]
        : step.kind === 'thinking'
          ? thinkingBlocks(event)
          : replyBlocks(event, artifacts);
    if (blocks.length === 0) return;
    const response = responseOf(event);
    if (this.#reply?.response !== response) this.#closeReply();
    this.#reply ??= { response, ts: event.ts, blocks: [], calls: false };
    this.#reply.blocks.push(...blocks);
    this.#reply.calls ||= step.kind === 'call';
  }

  #closeReply(): void {
    const reply = this.#reply;
    this.#reply = null;
    // the API refuses a message that ends with thinking
    while (reply?.blocks.at(-1)?.type === 'thinking') reply.blocks.pop();
    if (reply === null || reply.blocks.length === 0) return;
    const id = `msg_${digest(`${this.#o.sessionId}:${reply.response}:${this.#count}`).slice(0, 24)}`;
    const stop_reason = reply.calls ? 'tool_use' : 'end_turn';
    // `<synthetic>` keeps imported tokens out of usage counters and makes the client choose its own model
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model: '<synthetic>',
      content: reply.blocks,
      stop_reason,
      stop_sequence: null,
      usage: NOTHING,
    };
    if (this.#parent === null) this.#user([{ type: 'text', text: OPENING_NOTE }], reply.ts, { isMeta: true });
    this.#chain('assistant', message, reply.ts, { carriedFrom: this.#o.from });
  }

  #output({ call, id, result }: Extract<Step, { kind: 'output' }>, artifacts: Artifacts): void {
    const blocks = result === null ? [] : contentOf(result, artifacts);
    const only = blocks.length === 1 && blocks[0]?.type === 'text' ? blocks[0].text : undefined;
    const content = blocks.length === 0 ? standIn(result) : (only ?? blocks);
    this.#user(
      [{ type: 'tool_result', tool_use_id: id, content, ...(failed(result) ? { is_error: true } : {}) }],
      (result ?? call).ts,
    );
  }

  #user(content: Block[], ts: number | null, extra: Block = {}): void {
    this.#chain('user', { role: 'user', content }, ts, extra);
  }

  #chain(type: 'user' | 'assistant', message: Block, ts: number | null, extra: Block): void {
    this.#ms = Math.max(this.#ms + 1, this.#msOf(ts ?? 0));
    const uuid = this.#uuid();
    const { cwd, sessionId, version, gitBranch } = this.#o;
    const envelope = {
      parentUuid: this.#parent,
      isSidechain: false,
      userType: 'external',
      entrypoint: 'cli',
      cwd,
      sessionId,
      version,
      gitBranch: gitBranch ?? '',
    };
    this.#line({ ...envelope, type, message, ...extra, uuid, timestamp: new Date(this.#ms).toISOString() });
    this.#parent = uuid;
  }

  /** Nothing of the conversation is later than its handoff, whatever a clock said. */
  #msOf(ts: number): number {
    return Math.floor(Math.max(0, Math.min(ts, this.#o.at)) * 1000);
  }

  #title(): void {
    this.#line({ type: 'custom-title', customTitle: this.#o.title, sessionId: this.#o.sessionId });
  }

  #line(record: Block): void {
    this.#emit(`${json(record)}\n`);
  }

  /** A UUID of version 8 from session and position, so that a retry writes the same. */
  #uuid(): string {
    const hex = digest(`${this.#o.sessionId}:line:${this.#count++}`);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

function callBlock(event: SessionEvent, id: string): Block {
  const { name, arguments: args } = event.payload as unknown as ToolCall;
  const input = typeof args === 'object' && args !== null && !Array.isArray(args) ? args : { input: args ?? null };
  return { type: 'tool_use', id, name: toolName(String(name)), input };
}

function thinkingBlocks(event: SessionEvent): Block[] {
  if (!carriesThinking(event)) return [];
  const { text, opaque } = event.payload as unknown as MessageThinking;
  return [{ type: 'thinking', thinking: text ?? '', signature: signatureOf(opaque) }];
}

function replyBlocks(event: SessionEvent, artifacts: Artifacts): Block[] {
  return textsOf(event, artifacts).map((text) => ({ type: 'text', text }));
}

/** Non-blank blocks in order. */
function contentOf(event: SessionEvent, artifacts: Artifacts): Block[] {
  return partsOf(event, artifacts).map((part) => {
    if ('text' in part) return { type: 'text', text: part.text };
    const data = Buffer.from(part.image).toString('base64');
    return { type: 'image', source: { type: 'base64', media_type: part.mediaType, data } };
  });
}
