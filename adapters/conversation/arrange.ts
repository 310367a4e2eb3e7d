import {
  DERIVED_TYPES,
  type MessageAssistant,
  type SessionEvent,
  type ToolCall,
  type ToolResult,
  type Warning,
} from '../../src/shared/events.ts';
import { CallIds } from './ids.ts';

/** One item of the written conversation, in the order in which a target sends it to its model. */
export type Step =
  | { kind: 'prompt' | 'context' | 'summary'; event: SessionEvent }
  /** `more`: the same response goes on to call a tool */
  | { kind: 'reply' | 'thinking'; event: SessionEvent; more: boolean }
  | { kind: 'call'; event: SessionEvent; id: string }
  /** `result` null: the session holds no result of this call */
  | { kind: 'output'; call: SessionEvent; id: string; result: SessionEvent | null };

interface OpenCall {
  event: SessionEvent;
  id: string;
  result: SessionEvent | null;
}

/** So many events may come after a call of an earlier response before its result is given up. */
const LATE = 512;

/**
 * Brings the model view into the order that model APIs ask for: the parts and calls of one response together,
 * then the outputs of all its calls, exactly one each and in the order of the calls, then whatever came between.
 * A result may come after the next response began (a call in the background): what follows is held back for it, up to
 * `LATE` events. Events that never reach a model (derived ones, state) give no step.
 */
export class Arranger {
  readonly #ids = new CallIds();
  readonly #warn: (warning: Warning) => void;
  #response: string | null = null;
  #parts: SessionEvent[] = [];
  #calls: OpenCall[] = [];
  #after: Step[] = [];
  /** what came after a response with calls that have no result yet; null = nothing is held back */
  #later: SessionEvent[] | null = null;

  constructor(warn: (warning: Warning) => void) {
    this.#warn = warn;
  }

  push(event: SessionEvent): Step[] {
    if (this.#later === null) return this.#take(event);
    if (event.type === 'tool.result' && this.#answers(event)) {
      this.#result(event);
      return this.#isAnswered() ? this.#release() : [];
    }
    this.#later.push(event);
    return this.#later.length < LATE ? [] : this.#release();
  }

  /** What is still held back. */
  end(): Step[] {
    const steps: Step[] = [];
    while (this.#later !== null) steps.push(...this.#release());
    return [...steps, ...this.#close()];
  }

  /** The response that waited for results, and what came after it. */
  #release(): Step[] {
    const later = this.#later ?? [];
    this.#later = null;
    const steps = this.#close();
    for (const event of later) steps.push(...this.push(event));
    return steps;
  }

  #isAnswered(): boolean {
    return this.#calls.every(({ result }) => result !== null);
  }

  #answers(event: SessionEvent): boolean {
    const { call_id } = event.payload as unknown as ToolResult;
    return this.#calls.some((call) => call.result === null && callIdOf(call.event) === call_id);
  }

  #take(event: SessionEvent): Step[] {
    switch (event.type) {
      case 'message.user':
        return this.#between({ kind: 'prompt', event });
      case 'message.system':
        return reachesModel(event) ? this.#between({ kind: 'context', event }) : [];
      case 'context.compacted':
        return [...this.#close(), { kind: 'summary', event }];
      case 'message.assistant':
        return (event.payload as unknown as MessageAssistant).synthetic === true ? [] : this.#part(event);
      case 'message.thinking':
      case 'tool.call':
        return this.#part(event);
      case 'tool.result':
        this.#result(event);
        return [];
      default:
        return [];
    }
  }

  /** The steps of the response at hand. */
  #close(): Step[] {
    if (this.#response === null) return [];
    const more = this.#calls.length > 0;
    const steps: Step[] = this.#parts.map((event) => {
      if (event.type !== 'tool.call')
        return { kind: event.type === 'message.assistant' ? 'reply' : 'thinking', event, more };
      return { kind: 'call', event, id: this.#calls.find((call) => call.event === event)!.id };
    });
    for (const { event, id, result } of this.#calls) {
      if (result === null)
        this.#warn({
          about: 'unanswered-call',
          detail: `The call ${id} has no result; it is closed as not run.`,
          count: 1,
        });
      steps.push({ kind: 'output', call: event, id, result });
    }
    steps.push(...this.#after);
    this.#response = null;
    this.#parts = [];
    this.#calls = [];
    this.#after = [];
    return steps;
  }

  /** A message between responses. While calls wait for results it waits too, as the API wants the results first. */
  #between(step: Step): Step[] {
    if (this.#calls.length === 0) return [...this.#close(), step];
    this.#after.push(step);
    return [];
  }

  #part(event: SessionEvent): Step[] {
    const response = responseOf(event);
    if (response !== this.#response && !this.#isAnswered()) {
      this.#later = [event];
      return [];
    }
    const done = response === this.#response ? [] : this.#close();
    this.#response = response;
    this.#parts.push(event);
    if (event.type === 'tool.call') {
      const native = (event.payload as unknown as ToolCall).call_id;
      this.#calls.push({ event, id: this.#ids.next(String(native)), result: null });
    }
    return done;
  }

  #result(event: SessionEvent): void {
    const { call_id } = event.payload as unknown as ToolResult;
    const open = this.#calls.find((call) => call.result === null && callIdOf(call.event) === call_id);
    if (open !== undefined) open.result = event;
    else
      this.#warn({
        about: 'orphan-result',
        detail: `Event ${event.seq} is the result of no open call (${String(call_id)}); a model would be refused with it, so it is left out.`,
        count: 1,
      });
  }
}

const callIdOf = (event: SessionEvent): string => (event.payload as unknown as ToolCall).call_id;

/** Harness notes count unless the source agent itself does not send them. */
export function reachesModel(event: SessionEvent): boolean {
  return event.payload.to_model === true;
}

/** True for events that are part of the conversation at all; the rest is never written to any target. */
export function isConversation(type: string): boolean {
  return CONVERSATION.has(type) && !DERIVED_TYPES.has(type);
}

const CONVERSATION: ReadonlySet<string> = new Set([
  'message.user',
  'message.system',
  'message.assistant',
  'message.thinking',
  'tool.call',
  'tool.result',
  'context.compacted',
]);

/** Groups the parts of one answer. One without a name stands for itself. */
export function responseOf(event: SessionEvent): string {
  const { response } = event.payload;
  return typeof response === 'string' && response !== '' ? response : `seq:${event.seq}`;
}
