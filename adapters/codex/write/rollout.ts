import type { SessionEvent, ToolCall, Warning } from '../../../src/shared/events.ts';
import type { Step } from '../../conversation/arrange.ts';
import { type Artifacts, partsOf, textsOf } from '../../conversation/blocks.ts';
import { PREFACE_NOTE } from '../../conversation/carried.ts';
import { toolName } from '../../conversation/ids.ts';
import { json } from '../../conversation/json.ts';
import type { LineWriter } from '../../conversation/write.ts';
import { copyPieces, isLong, LARGEST_COPY, NOT_WHOLE } from '../whole-outputs.ts';
import { displayItem } from './display.ts';
import { turnId } from './ids.ts';
import { type InputPart, inputParts } from './input.ts';
import { type RolloutOptions, sessionMeta } from './meta.ts';
import { outputOf, shownText } from './output.ts';

export const PREFACE_OPEN = '<handed_over_context>';

/**
 * Turns steps into the lines of a rollout: turn frames, a response item for the model, and what the person sees
 * (items in a paginated file, events in a legacy one). Pure and deterministic; lines go to `emit` with their newline.
 */
export class Rollout implements LineWriter {
  readonly #o: RolloutOptions;
  readonly #emit: (line: string) => void;
  readonly #warn: (warning: Warning) => void;
  #ordinal = 0;
  #ms: number;
  #iso = '';
  #isoMs = Number.NaN;
  #items = 0;
  #turn: { id: string; started: number; last: string | null } | null = null;
  #turns = 0;
  #shown = false;
  #long = false;
  /** UTF-16 units of all response items */
  #size = 0;
  #unshown: string | null = null;

  /** `first`: time of the first event, seconds, or null where the source gives none. */
  constructor(
    options: RolloutOptions,
    first: number | null,
    emit: (line: string) => void,
    warn: (warning: Warning) => void,
  ) {
    this.#o = options;
    this.#emit = emit;
    this.#warn = warn;
    this.#ms = Math.floor((first ?? options.at) * 1000);
    this.#line('session_meta', json(sessionMeta(options)));
    if (options.preface !== undefined) this.#preface(options.preface);
  }

  step(step: Step, artifacts: Artifacts): void {
    const event = step.kind === 'output' ? (step.result ?? step.call) : step.event;
    this.#clock(event.ts);
    switch (step.kind) {
      case 'prompt':
        this.#prompt(event, artifacts);
        break;
      case 'context':
        this.#context(event, artifacts);
        break;
      case 'summary':
        this.#summary(event, artifacts);
        break;
      case 'reply':
        this.#reply(event, step.more, artifacts);
        break;
      case 'thinking':
        this.#thinking(event);
        break;
      case 'call':
        this.#call(event, step.id);
        break;
      case 'output':
        this.#output(step, artifacts);
    }
  }

  /** The line by which Codex takes long outputs whole. */
  replay(temp: string): Iterable<string> | null {
    if (!this.#long) return null;
    if (this.#size <= LARGEST_COPY) return copyPieces(this.#head('compacted'), temp);
    this.#warn(NOT_WHOLE);
    return null;
  }

  /** Writes the token count and closes the last turn. False = nothing was written that a model could go on with. */
  finish(): boolean {
    if (this.#size === 0) return false;
    const none = {
      input_tokens: 0,
      cached_input_tokens: 0,
      output_tokens: 0,
      reasoning_output_tokens: 0,
      total_tokens: 0,
    };
    // Codex compacts by the last usage alone (measured); the total stays 0 because nothing was used in this thread yet.
    const info = {
      total_token_usage: none,
      last_token_usage: { ...none, input_tokens: this.#o.tokens, total_tokens: this.#o.tokens },
      model_context_window: this.#o.contextWindow,
    };
    this.#event({ type: 'token_count', info, rate_limits: null });
    // Codex lists a thread by what its person said; a session without that is listed by its first context.
    if (!this.#shown && this.#unshown !== null) this.#show(json(this.#unshown));
    this.#closeTurn();
    return true;
  }

  #preface(preface: string): void {
    this.#openTurn();
    const text = json(`${PREFACE_OPEN}\n${PREFACE_NOTE}\n\n${preface}\n</handed_over_context>`);
    this.#response(`{"type":"message","role":"user","content":[{"type":"input_text","text":${text}}]}`);
    this.#show(text);
  }

  #prompt(event: SessionEvent, artifacts: Artifacts): void {
    const parts = inputParts(partsOf(event, artifacts));
    if (parts.length === 0) return;
    const { via } = event.payload;
    if (via !== 'queued' && via !== 'steer') this.#closeTurn();
    this.#openTurn();
    const only = parts.length === 1 ? parts[0] : undefined;
    if (only?.type === 'input_text') {
      const text = json(only.text);
      this.#response(`{"type":"message","role":"user","content":[{"type":"input_text","text":${text}}]}`);
      this.#show(text);
    } else {
      this.#userMessage(parts);
      this.#show(json(shownText(event)));
    }
  }

  #context(event: SessionEvent, artifacts: Artifacts): void {
    const parts = inputParts(partsOf(event, artifacts));
    if (parts.length === 0) return;
    this.#openTurn();
    this.#userMessage(parts);
    this.#unshown ??= shownText(event);
  }

  #summary(event: SessionEvent, artifacts: Artifacts): void {
    if (partsOf(event, artifacts).length === 0) return;
    this.#openTurn();
    this.#context(event, artifacts);
    this.#item({ type: 'ContextCompaction', id: this.#itemId() });
  }

  #reply(event: SessionEvent, more: boolean, artifacts: Artifacts): void {
    const texts = textsOf(event, artifacts);
    if (texts.length === 0) return;
    this.#openTurn();
    const parts = texts.map((text) => json(text));
    const whole = parts.length === 1 ? parts[0]! : json(texts.join('\n'));
    const phase = `"phase":"${more ? 'commentary' : 'final_answer'}"`;
    this.#turn!.last = whole;
    if (this.#o.paginated)
      this.#itemJson(
        `{"type":"AgentMessage","id":"${this.#itemId()}","content":[{"type":"Text","text":${whole}}],${phase}}`,
      );
    this.#line('event_msg', `{"type":"agent_message","message":${whole},${phase},"memory_citation":null}`);
    const content = parts.map((text) => `{"type":"output_text","text":${text}}`).join(',');
    this.#response(`{"type":"message","role":"assistant","content":[${content}],${phase}}`);
  }

  /** Reasoning of another provider must not reach this one's model: readable text is shown to the person only. */
  #thinking(event: SessionEvent): void {
    const { text } = event.payload;
    if (typeof text !== 'string' || text.trim() === '') return;
    this.#openTurn();
    if (this.#o.paginated) this.#item({ type: 'Reasoning', id: this.#itemId(), summary_text: [text], raw_content: [] });
    else this.#event({ type: 'agent_reasoning', text });
  }

  #call(event: SessionEvent, id: string): void {
    this.#openTurn();
    const { name, arguments: args } = event.payload as unknown as ToolCall;
    const tool = toolName(String(name));
    if (typeof args === 'string')
      this.#response(json({ type: 'custom_tool_call', name: tool, input: args, call_id: id }));
    else this.#response(json({ type: 'function_call', name: tool, arguments: argumentsJson(args), call_id: id }));
  }

  #output({ call, id, result }: Extract<Step, { kind: 'output' }>, artifacts: Artifacts): void {
    const { name, arguments: args } = call.payload as unknown as ToolCall;
    if (this.#o.paginated) this.#item(displayItem(id, toolName(String(name)), call, result, this.#o.cwd));
    const type = typeof args === 'string' ? 'custom_tool_call_output' : 'function_call_output';
    const output = outputOf(result, artifacts);
    this.#long ||= isLong(
      typeof output === 'string' ? [output] : output.map((part) => ('text' in part ? part.text : '')),
    );
    this.#response(json({ type, call_id: id, output }));
  }

  #userMessage(parts: InputPart[]): void {
    this.#response(json({ type: 'message', role: 'user', content: parts }));
  }

  /** Makes a prompt visible in picker and transcript; `text` is JSON already. */
  #show(text: string): void {
    this.#shown = true;
    if (this.#o.paginated)
      this.#itemJson(
        `{"type":"UserMessage","id":"${this.#itemId()}","content":[{"type":"text","text":${text},"text_elements":[]}]}`,
      );
    this.#line(
      'event_msg',
      `{"type":"user_message","message":${text},"images":[],"local_images":[],"text_elements":[]}`,
    );
  }

  #openTurn(): void {
    if (this.#turn !== null) return;
    const id = turnId(this.#o.threadId, this.#turns++, this.#ms);
    this.#turn = { id, started: this.#ms, last: null };
    this.#event({
      type: 'task_started',
      turn_id: id,
      started_at: Math.floor(this.#ms / 1000),
      model_context_window: this.#o.contextWindow,
      collaboration_mode_kind: 'default',
    });
  }

  #closeTurn(): void {
    if (this.#turn === null) return;
    const { id, started, last } = this.#turn;
    const times = `"started_at":${Math.floor(started / 1000)},"completed_at":${Math.floor(this.#ms / 1000)},"duration_ms":${this.#ms - started}`;
    this.#line(
      'event_msg',
      `{"type":"task_complete","turn_id":"${id}","last_agent_message":${last ?? 'null'},${times}}`,
    );
    this.#turn = null;
  }

  #itemId(): string {
    this.#items += 1;
    return `item-${this.#items}`;
  }

  #item(item: Record<string, unknown>): void {
    if (this.#o.paginated) this.#itemJson(json(item));
  }

  #itemJson(item: string): void {
    const ids = `"thread_id":"${this.#o.threadId}","turn_id":"${this.#turn!.id}"`;
    this.#line('event_msg', `{"type":"item_completed",${ids},"item":${item},"completed_at_ms":${this.#ms}}`);
  }

  #event(payload: Record<string, unknown>): void {
    this.#line('event_msg', json(payload));
  }

  #response(payload: string): void {
    this.#size += payload.length;
    this.#line('response_item', payload);
  }

  /** Times never go back; a missing one is its neighbour's. */
  #clock(ts: number | null): void {
    if (ts !== null) this.#ms = Math.max(this.#ms, Math.floor(ts * 1000));
  }

  #line(type: string, payload: string): void {
    this.#emit(`${this.#head(type)}${payload}}\n`);
  }

  /** A line up to its payload. */
  #head(type: string): string {
    if (this.#isoMs !== this.#ms) {
      this.#iso = new Date(this.#ms).toISOString();
      this.#isoMs = this.#ms;
    }
    const ordinal = this.#o.paginated ? `"ordinal":${this.#ordinal++},` : '';
    return `{"timestamp":"${this.#iso}",${ordinal}"type":"${type}","payload":`;
  }
}

/** Arguments as the JSON text the API wants: always an object. */
function argumentsJson(args: unknown): string {
  return json(typeof args === 'object' && args !== null && !Array.isArray(args) ? args : { input: args ?? null });
}
