import type { MessageThinking, SessionEvent, ToolCall, Warning } from '../../../src/shared/events.ts';
import { responseOf, type Step } from '../../conversation/arrange.ts';
import { type Artifacts, type Part, partsOf, textsOf } from '../../conversation/blocks.ts';
import { PREFACE_NOTE } from '../../conversation/carried.ts';
import { toolName } from '../../conversation/ids.ts';
import { json } from '../../conversation/json.ts';
import type { LineWriter } from '../../conversation/write.ts';
import { isObject, type Json, pythonJson } from '../json.ts';
import { STRUCTURED } from '../read/content.ts';
import { isSummary } from '../read/place.ts';
import { outputParts } from './output.ts';
import { isRecalled } from './recalled.ts';

export const PREFACE_OPEN = '<handed_over_context>';
/** The mark by which every version knows a summary. */
export const SUMMARY_OPEN = '[CONTEXT SUMMARY]:\n';

/** Newer versions do not resume a session with more messages (`sessions.max_resume_messages`). */
const MOST_MESSAGES = 20_000;

export interface RowOptions {
  session: Json;
  at: number;
  preface?: string;
}

/** Columns of a session's own row of Hermes that a row of the same conversation may have again. */
const KEPT = ['api_content', 'display_metadata', 'effect_disposition', 'platform_message_id', 'token_count'] as const;

interface Answer {
  response: string;
  event: SessionEvent;
  texts: string[];
  calls: { id: string; name: string; arguments: string }[];
  columns: Json;
}

/**
 * Turns steps into rows of Hermes' tables, one a line: `{"table":"messages","row":{…}}`, the session's own row last. Pure and
 * deterministic. An answer and its calls are one row, as the chat API has it.
 */
export class RowWriter implements LineWriter {
  readonly #o: RowOptions;
  readonly #emit: (line: string) => void;
  readonly #warn: (warning: Warning) => void;
  readonly #names = new Map<string, string>();
  #answer: Answer | null = null;
  #seconds: number;
  readonly #first: number;
  #rows = 0;
  #calls = 0;
  #answers = 0;

  constructor(
    options: RowOptions,
    first: number | null,
    emit: (line: string) => void,
    warn: (warning: Warning) => void,
  ) {
    this.#o = options;
    this.#emit = emit;
    this.#warn = warn;
    this.#first = first ?? options.at;
    this.#seconds = this.#first;
    if (options.preface !== undefined)
      this.#row({
        role: 'user',
        content: `${PREFACE_OPEN}\n${PREFACE_NOTE}\n\n${options.preface.toWellFormed()}\n</handed_over_context>`,
        display_kind: 'hidden',
      });
  }

  step(step: Step, artifacts: Artifacts): void {
    const event = step.kind === 'output' ? (step.result ?? step.call) : step.event;
    const isAnswer = step.kind === 'reply' || step.kind === 'thinking' || step.kind === 'call';
    if (!isAnswer || responseOf(event) !== this.#answer?.response) this.#flush();
    if (event.ts !== null) this.#seconds = Math.max(this.#seconds, event.ts);
    switch (step.kind) {
      case 'prompt':
        this.#message(event, artifacts, {});
        break;
      case 'context':
        if (!isRecalled(event)) this.#message(event, artifacts, { display_kind: 'hidden' });
        break;
      case 'summary':
        this.#summary(event, artifacts);
        break;
      case 'reply':
        this.#open(event).texts.push(...textsOf(event, artifacts));
        break;
      case 'thinking':
        Object.assign(this.#open(event).columns, thinkingColumns(event));
        break;
      case 'call':
        this.#call(event, step.id);
        break;
      case 'output':
        this.#output(step, artifacts);
    }
  }

  /** Writes the session's row. False = nothing was written that a model could go on with. */
  finish(): boolean {
    this.#flush();
    if (this.#rows === 0) return false;
    if (this.#rows > MOST_MESSAGES)
      this.#warn({
        about: 'resume-limit',
        detail: `The session has ${this.#rows} messages. Hermes resumes at most 20,000 from version 0.21 on; raise sessions.max_resume_messages in its config.yaml.`,
      });
    const row = {
      ...this.#o.session,
      started_at: this.#first,
      message_count: this.#rows,
      tool_call_count: this.#calls,
      // a session without a call to its model counts as an orphan (FORMAT.md)
      api_call_count: Math.max(1, this.#answers),
    };
    this.#emit(`${json({ table: 'sessions', row })}\n`);
    return true;
  }

  #message(event: SessionEvent, artifacts: Artifacts, columns: Json): void {
    const parts = partsOf(event, artifacts);
    if (parts.length === 0) return;
    this.#row({ role: 'user', content: contentOf(parts), ...columns, ...ownColumns(event) });
  }

  #summary(event: SessionEvent, artifacts: Artifacts): void {
    const parts = partsOf(event, artifacts);
    const first = parts[0];
    if (first === undefined) return;
    const known = 'text' in first && isSummary({ role: 'user', content: first.text });
    const marked: Part[] = known
      ? parts
      : 'text' in first
        ? [{ text: SUMMARY_OPEN + first.text }, ...parts.slice(1)]
        : [{ text: SUMMARY_OPEN }, ...parts];
    this.#row({ role: 'user', content: contentOf(marked), display_kind: 'hidden', _compressed_summary: 1 });
  }

  #open(event: SessionEvent): Answer {
    this.#answer ??= { response: responseOf(event), event, texts: [], calls: [], columns: ownColumns(event) };
    return this.#answer;
  }

  #call(event: SessionEvent, id: string): void {
    const { name, arguments: args } = event.payload as unknown as ToolCall;
    const tool = toolName(String(name));
    this.#names.set(id, tool);
    this.#calls++;
    this.#open(event).calls.push({ id, name: tool, arguments: argumentsText(args) });
  }

  #output({ id, result }: Extract<Step, { kind: 'output' }>, artifacts: Artifacts): void {
    const content = contentOf(outputParts(result, artifacts));
    const own = result === null ? {} : ownColumns(result);
    this.#row({ role: 'tool', content, tool_call_id: id, tool_name: this.#names.get(id) ?? null, ...own });
    this.#names.delete(id);
  }

  /** An answer that is only thought has no row: a model would be sent an empty message. */
  #flush(): void {
    const answer = this.#answer;
    this.#answer = null;
    if (answer === null || (answer.texts.length === 0 && answer.calls.length === 0)) return;
    this.#answers++;
    this.#row({
      role: 'assistant',
      content: contentOf(answer.texts.length === 0 ? [] : [{ text: answer.texts.join('\n') }]),
      ...(answer.calls.length === 0 ? {} : { tool_calls: pythonJson(answer.calls.map(entryOf)) }),
      finish_reason: answer.calls.length === 0 ? 'stop' : 'tool_calls',
      ...answer.columns,
    });
  }

  #row(row: Json): void {
    this.#rows++;
    this.#emit(`${json({ table: 'messages', row: { ...row, timestamp: this.#seconds } })}\n`);
  }
}

function entryOf({ id, name, arguments: args }: Answer['calls'][number]): Json {
  const item = `fc_${id.replace(/^call_/, '')}`;
  return { id, call_id: id, response_item_id: item, type: 'function', function: { name, arguments: args } };
}

/** Hermes takes a JSON object as text; anything else it would throw away. */
export function argumentsText(args: unknown): string {
  return json(isObject(args) ? args : { input: args ?? null });
}

/** Text as it is; with pictures, or where text could be taken for it, Hermes' structured form. */
function contentOf(parts: readonly Part[]): string {
  const only = parts.length === 1 ? parts[0] : undefined;
  if (parts.length === 0) return '';
  if (only !== undefined && 'text' in only && !only.text.startsWith('\0')) return only.text;
  const list = parts.map((part) =>
    'text' in part
      ? { type: 'text', text: part.text }
      : {
          type: 'image_url',
          image_url: { url: `data:${part.mediaType};base64,${Buffer.from(part.image).toString('base64')}` },
        },
  );
  return STRUCTURED + pythonJson(list);
}

/** Readable thoughts are shown in Hermes; signed and encrypted ones go home alone. */
function thinkingColumns(event: SessionEvent): Json {
  const { text, opaque, native } = event.payload as unknown as MessageThinking;
  const columns: Json = {};
  if (typeof text === 'string' && text.trim() !== '') columns.reasoning = text.toWellFormed();
  if (event.agent !== 'hermes') return columns;
  if (isObject(opaque)) for (const [name, value] of Object.entries(opaque)) columns[name] = pythonJson(value);
  const own = isObject(native) && isObject(native.reasoning) ? native.reasoning : {};
  if (own.reasoning_content === true) columns.reasoning_content = text;
  else if (typeof own.reasoning_content === 'string') columns.reasoning_content = own.reasoning_content;
  if (own.reasoning === null) delete columns.reasoning;
  return columns;
}

/** What a session of Hermes gets back beside its conversation. */
function ownColumns({ agent, payload }: SessionEvent): Json {
  const row = isObject(payload.native) ? payload.native.row : undefined;
  // A row that was taken apart has its exact text no longer.
  if (agent !== 'hermes' || !isObject(row) || row.content !== undefined) return {};
  return Object.fromEntries(KEPT.flatMap((name) => (row[name] === undefined ? [] : [[name, row[name]]])));
}
