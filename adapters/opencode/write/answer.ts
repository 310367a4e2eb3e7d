import type { MessageThinking, SessionEvent, ToolCall, ToolResult } from '../../../src/shared/events.ts';
import type { Step } from '../../conversation/arrange.ts';
import { type Artifacts, partsOf, textsOf } from '../../conversation/blocks.ts';
import { toolName } from '../../conversation/ids.ts';
import { standIn } from '../../conversation/stand-in.ts';
import { isObject, type Json } from '../json.ts';
import { isErrorState } from './carry.ts';

export const NO_TOKENS = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };

/** One answer of a model as one assistant message; its calls get their results when they come. */
export class Answer {
  readonly response: string | null;
  readonly #info: Json;
  readonly #mode: string;
  readonly #parts: Json[] = [];
  readonly #calls = new Map<string, Json>();

  constructor(info: Json, mode: string, response: string | null = null, stepId?: string) {
    this.#info = info;
    this.#mode = mode;
    this.response = response;
    if (stepId !== undefined) this.#add(stepId, { type: 'step-start' });
  }

  text(text: string, id: string): void {
    this.#add(id, { type: 'text', text });
  }

  reasoning({ payload, ts }: SessionEvent, id: string, now: number): void {
    const { text, opaque } = payload as unknown as MessageThinking;
    const start = ts === null ? now : Math.round(ts * 1000);
    const metadata = isObject(opaque) ? { metadata: opaque } : {};
    this.#add(id, { type: 'reasoning', text: text ?? '', time: { start, end: start }, ...metadata });
  }

  call({ event, id: callID }: Extract<Step, { kind: 'call' }>, id: string, now: number): void {
    const { name, arguments: args } = event.payload as unknown as ToolCall;
    const input = typeof args === 'string' ? { input: args } : args;
    const start = event.ts === null ? now : Math.round(event.ts * 1000);
    const part = this.#add(id, { type: 'tool', tool: toolName(name), callID, state: { input, time: { start } } });
    this.#calls.set(callID, part);
  }

  output({ id, result }: Extract<Step, { kind: 'output' }>, artifacts: Artifacts): void {
    const part = this.#calls.get(id);
    if (part === undefined) return;
    const { input, time } = part.state as { input: unknown; time: { start: number } };
    const end = result === null || result.ts === null ? time.start : Math.round(result.ts * 1000);
    part.state = {
      input,
      time: { start: time.start, end: Math.max(time.start, end) },
      ...this.#ending(part, result, artifacts),
    };
  }

  #ending(part: Json, result: SessionEvent | null, artifacts: Artifacts): Json {
    if (result === null || isErrorState(result)) {
      const texts = result === null ? [] : textsOf(result, artifacts);
      return { status: 'error', error: texts.length === 0 ? standIn(result) : texts.join('\n') };
    }
    const parts = partsOf(result, artifacts);
    const texts = parts.flatMap((one) => ('text' in one ? [one.text] : []));
    const output = texts.length === 0 && parts.length === 0 ? standIn(result) : texts.join('\n');
    const { exit_code } = result.payload as unknown as ToolResult;
    const attachments = parts.flatMap((one, n) =>
      'text' in one
        ? []
        : [
            {
              id: `${String(part.id).slice(0, -4)}${String(n).padStart(4, '0')}`,
              sessionID: this.#info.sessionID,
              messageID: this.#info.id,
              type: 'file',
              mime: one.mediaType,
              url: `data:${one.mediaType};base64,${Buffer.from(one.image).toString('base64')}`,
            },
          ],
    );
    return {
      status: 'completed',
      output,
      title: '',
      metadata: {
        ...(part.tool === 'bash' ? { output } : {}),
        ...(exit_code === undefined ? {} : { exit: exit_code }),
      },
      ...(attachments.length === 0 ? {} : { attachments }),
    };
  }

  #add(id: string, data: Json): Json {
    const part = { id, sessionID: this.#info.sessionID, messageID: this.#info.id, ...data };
    this.#parts.push(part);
    return part;
  }

  /** The message with all its parts. */
  exported(more: Json): { info: Json; parts: Json[] } {
    const finish = this.#calls.size > 0 ? 'tool-calls' : 'stop';
    const info = { ...this.#info, mode: this.#mode, agent: this.#mode, ...more, finish };
    return { info, parts: this.#parts };
  }
}
