import { createHash } from 'node:crypto';
import type { SessionEvent, ToolCall } from '../../../src/shared/events.ts';
import { responseOf, type Step } from '../../conversation/arrange.ts';
import { type Artifacts, type Part, partsOf, textsOf } from '../../conversation/blocks.ts';
import { CARRIED, carriedAs, PREFACE_NOTE } from '../../conversation/carried.ts';
import { toolName } from '../../conversation/ids.ts';
import { json } from '../../conversation/json.ts';
import { FAILED, failed, standIn } from '../../conversation/stand-in.ts';
import type { LineWriter } from '../../conversation/write.ts';
import type { Shape } from './place.ts';

/** What the file needs beside the conversation. */
export interface MessageOptions {
  sessionId: string;
  projectHash: string;
  title: string;
  /** time of the handoff, seconds */
  at: number;
  shape: Pick<Shape, 'document' | 'plain'>;
  preface?: string;
}

type Json = Record<string, unknown>;

/** The client shows this in place of a message's text: nothing. */
const HIDDEN = [{ text: '<hook_context>' }];
/** A prompt that the client takes for a command of its own is left out when it resumes. */
const TAKEN_FOR_COMMAND = /^\s*(?:[/?]|<(?:session|hook)_context>)/;
/** Parts marked as a thought are never sent, but count as text when the client looks for commands. */
const GUARD = { text: 'carried over', thought: true };

/** One answer that is being put together. */
interface Answer {
  response: string;
  ts: number | null;
  content: Json[];
  thoughts: Json[];
  calls: Json[];
}

/**
 * Turns steps into the messages of a Gemini CLI session: prompts and answers, each call with its result in the answer that
 * made it. Pure and deterministic.
 */
export class Messages implements LineWriter {
  readonly #o: MessageOptions;
  readonly #emit: (line: string) => void;
  #ms: number;
  #count = 0;
  #answer: Answer | null = null;
  /** something is there that the model gets: thoughts are shown alone */
  #said = false;

  constructor(options: MessageOptions, first: number | null, emit: (line: string) => void) {
    this.#o = options;
    this.#emit = emit;
    this.#ms = this.#msOf(first ?? options.at);
    this.#header();
    if (options.preface !== undefined)
      this.#user([{ text: `${PREFACE_NOTE}\n\n${options.preface}` }], null, carriedAs(null));
  }

  step(step: Step, artifacts: Artifacts): void {
    switch (step.kind) {
      case 'reply':
      case 'thinking':
      case 'call':
        this.#part(step, artifacts);
        break;
      case 'output':
        this.#output(step, artifacts);
        break;
      default:
        this.#close();
        this.#message(step.kind, step.event, artifacts);
    }
  }

  /** Closes the file. False = nothing came out that the model gets. */
  finish(): boolean {
    this.#close();
    if (this.#o.shape.document) this.#emit('\n  ]\n}\n');
    return this.#said;
  }

  /** The session begins in Gemini CLI now: what is older than a month by this time would be deleted at its next start. */
  #header(): void {
    const { sessionId, projectHash, title, at, shape } = this.#o;
    const time = new Date(at * 1000).toISOString();
    const header = { sessionId, projectHash, startTime: time, lastUpdated: time, kind: 'main', summary: title };
    if (!shape.document) this.#emit(`${json(header)}\n`);
    else this.#emit(`${JSON.stringify(JSON.parse(json(header)), null, 2).slice(0, -2)},\n  "messages": [`);
  }

  #message(kind: 'prompt' | 'context' | 'summary', event: SessionEvent, artifacts: Artifacts): void {
    const parts = nativeParts(partsOf(event, artifacts));
    if (parts.length > 0) this.#user(parts, event.ts, kind === 'prompt' ? null : carriedAs(event));
  }

  #part(step: Extract<Step, { kind: 'reply' | 'thinking' | 'call' }>, artifacts: Artifacts): void {
    const { event } = step;
    const response = responseOf(event);
    if (this.#answer?.response !== response) this.#close();
    this.#answer ??= { response, ts: event.ts, content: [], thoughts: [], calls: [] };
    const { content, thoughts, calls } = this.#answer;
    if (step.kind === 'call') {
      const call = callOf(event, step.id);
      content.push({ functionCall: call });
      calls.push({ ...call, status: 'error', timestamp: this.#time(event.ts) });
    } else if (step.kind === 'reply') content.push(...textsOf(event, artifacts).map((text) => ({ text })));
    else {
      const { text } = event.payload;
      if (!this.#o.shape.plain && typeof text === 'string' && text.trim() !== '')
        thoughts.push({ subject: '', description: text, timestamp: this.#time(event.ts) });
    }
  }

  #output({ call, id, result }: Extract<Step, { kind: 'output' }>, artifacts: Artifacts): void {
    const open = this.#answer?.calls.find((one) => one.id === id);
    if (open === undefined) return;
    const parts = result === null ? [] : partsOf(result, artifacts);
    const error = failed(result);
    const text = parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
    const said = text === '' && (error || parts.length === 0) ? standIn(result) : text;
    const response = error ? { error: said === '' ? FAILED : said } : { output: said };
    const pictures = nativeParts(parts.filter((part) => 'image' in part));
    open.result = [{ functionResponse: { id, name: open.name, response } }, ...pictures];
    open.status = error ? 'error' : 'success';
    open.timestamp = this.#time((result ?? call).ts);
    open.resultDisplay = said;
  }

  #close(): void {
    const answer = this.#answer;
    this.#answer = null;
    if (answer === null) return;
    const { content, thoughts, calls, ts } = answer;
    if (content.length === 0 && thoughts.length === 0) return;
    this.#said ||= content.length > 0;
    const record: Json = { content: simple(this.#o.shape.plain ? content.filter((part) => 'text' in part) : content) };
    if (thoughts.length > 0) record.thoughts = thoughts;
    if (calls.length > 0) record.toolCalls = calls;
    this.#put('gemini', ts, record);
  }

  /** `mark`: what a note is about. It is no prompt, so the client does not show it. */
  #user(parts: Json[], ts: number | null, mark: string | null): void {
    this.#said = true;
    const text = parts.map((part) => ('text' in part ? String(part.text) : '[picture]')).join('');
    const content = TAKEN_FOR_COMMAND.test(text) ? [GUARD, ...parts] : parts;
    const shown = mark !== null ? HIDDEN : content === parts ? null : parts;
    this.#put('user', ts, {
      content,
      ...(shown === null ? {} : { displayContent: shown }),
      ...(mark === null ? {} : { [CARRIED]: mark }),
    });
  }

  #put(type: 'user' | 'gemini', ts: number | null, more: Json): void {
    const record = { id: this.#uuid(), timestamp: this.#time(ts), type, ...more };
    if (!this.#o.shape.document) this.#emit(`${json(record)}\n`);
    else this.#emit(`${this.#count === 1 ? '' : ','}\n    ${json(record)}`);
  }

  /** Times never go back; a missing one is its neighbour's. */
  #time(ts: number | null): string {
    if (ts !== null) this.#ms = Math.max(this.#ms, this.#msOf(ts));
    return new Date(this.#ms).toISOString();
  }

  /** Nothing of the conversation is later than its handoff, whatever a clock said. */
  #msOf(ts: number): number {
    return Math.floor(Math.max(0, Math.min(ts, this.#o.at)) * 1000);
  }

  /** A UUID of version 8 from session and position, so that a retry writes the same. */
  #uuid(): string {
    const hex = createHash('sha256')
      .update(`${this.#o.sessionId}:message:${this.#count++}`)
      .digest('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }
}

/** Arguments are always an object; free text stands in `input`. */
export function callOf(event: SessionEvent, id: string): { id: string; name: string; args: unknown } {
  const { name, arguments: args } = event.payload as unknown as ToolCall;
  const object = typeof args === 'object' && args !== null && !Array.isArray(args);
  return { id, name: toolName(String(name)), args: object ? args : { input: args ?? null } };
}

/** The client's own form is one text, and calls beside it. Parts are needed where that would lose their order. */
function simple(content: readonly Json[]): unknown {
  const texts = content.filter((part) => 'text' in part);
  const first = content.findIndex((part) => 'functionCall' in part);
  const inOrder = first < 0 || content.slice(first).every((part) => 'functionCall' in part);
  if (texts.length > 1 || !inOrder) return content;
  return texts.length === 0 ? '' : texts[0]!.text;
}

function nativeParts(parts: readonly Part[]): Json[] {
  return parts.map((part) =>
    'text' in part
      ? { text: part.text }
      : { inlineData: { mimeType: part.mediaType, data: Buffer.from(part.image).toString('base64') } },
  );
}
