import { type SessionEvent, TOOL_KINDS, type ToolKind, type Usage } from '../../shared/events.ts';
import { NO_USAGE } from '../../shared/session.ts';
import { TOKEN_CAUSES, type TokenCause, type TokensByCause, type Turn } from '../../shared/turns.ts';
import { shorten, wellFormed } from '../text.ts';
import { eventTokens } from '../tokens/event-tokens.ts';
import { classify } from './classify.ts';
import { CODE, codeOf } from './codes.ts';
import { textOf } from './content.ts';
import { isCopy } from './copies.ts';
import { FLAG, MARK, MARK_MASK } from './flags.ts';
import { UsageLedger } from './usage.ts';

const LINE_CHARS = 200;
const MOST_FILES = 20;

/** What an event that a model is shown is there for. */
const CAUSE: Readonly<Record<number, TokenCause>> = {
  [CODE.user]: 'prompts',
  [CODE.assistant]: 'replies',
  [CODE.thinking]: 'thinking',
  [CODE.call]: 'calls',
  [CODE.result]: 'results',
  [CODE.system]: 'context',
  [CODE.compacted]: 'context',
};

/** A turn while it grows. Whether it is active is known only when it is asked for: the leaf may move. */
type Growing = Omit<Turn, 'active'>;

/**
 * The turns of a session, grown an event at a time in the log's order, so that a session that goes on is never read again.
 */
export class TurnLedger {
  /** number of events taken so far */
  n = 0;
  readonly #turns: Growing[] = [];
  readonly #usage = new UsageLedger();
  #files = new Set<string>();

  add(event: SessionEvent): void {
    if (event.seq !== this.n) throw new RangeError(`event ${event.seq} given where ${this.n} was due`);
    this.n++;
    const code = codeOf(event.type);
    const flags = classify(code, event.payload);
    const isPrompt = code === CODE.user && (flags & MARK_MASK) === FLAG.PROMPT;
    if (isPrompt) this.#begin(event, this.#number() + 1, lineOf(event.payload.content));
    else if (this.#turns.length === 0) {
      if (flags & FLAG.HIDDEN) return;
      this.#begin(event, 0, '');
    }
    this.#take(this.#turns.at(-1)!, event, code, flags);
  }

  /** `active`: one byte an event, 1 = on the active branch (`activePath`). */
  turns(active: Uint8Array, from = 0, limit = Number.POSITIVE_INFINITY): Turn[] {
    return this.#turns.slice(from, from + limit).map((turn) => ({
      ...turn,
      usage: { ...turn.usage },
      added: { ...turn.added },
      tools: { ...turn.tools },
      subagents: [...turn.subagents],
      active: active[turn.seq] === 1,
    }));
  }

  get length(): number {
    return this.#turns.length;
  }

  #number(): number {
    return this.#turns.at(-1)?.turn ?? 0;
  }

  #begin(event: SessionEvent, turn: number, prompt: string): void {
    this.#files = new Set();
    this.#turns.push({
      turn,
      seq: event.seq,
      last_seq: event.seq,
      parent_seq: event.parent_seq,
      ts: event.ts,
      seconds: null,
      prompt,
      reply: '',
      model: null,
      copied: isCopy(event),
      usage: { ...NO_USAGE },
      context_tokens: null,
      added: Object.fromEntries(TOKEN_CAUSES.map((cause) => [cause, 0])) as TokensByCause,
      tools: {},
      subagents: [],
      errors: 0,
      files: [],
      files_edited: 0,
      exit_code: null,
      compactions: [],
    });
  }

  #take(turn: Growing, event: SessionEvent, code: number, flags: number): void {
    const { payload } = event;
    turn.last_seq = event.seq;
    if (event.ts !== null) {
      turn.ts ??= event.ts;
      turn.seconds = Math.max(turn.seconds ?? 0, event.ts - turn.ts);
    }
    if (flags & FLAG.ERROR) turn.errors++;
    const cause = CAUSE[code];
    if (cause !== undefined && isSent(code, flags)) turn.added[cause] += eventTokens(event);
    if (payload.usage !== undefined) this.#count(turn, event, payload.usage as Usage, payload.response);
    if (code === CODE.assistant) noteReply(turn, flags, payload);
    else if (code === CODE.call) noteCall(turn, event);
    else if (code === CODE.edit) this.#noteFile(turn, payload.path);
    else if (code === CODE.compacted && (flags & MARK_MASK) !== MARK.EDIT) noteCompaction(turn, event);
    else if (code === CODE.result && Number.isInteger(payload.exit_code)) turn.exit_code = payload.exit_code as number;
    else if (code === CODE.meta && payload.key === 'usage') this.#metaUsage(turn, event);
  }

  #metaUsage(turn: Growing, event: SessionEvent): void {
    const value = event.payload.value as (Usage & { response?: unknown; sum?: unknown }) | null;
    if (typeof value === 'object' && value !== null)
      this.#count(turn, event, value, value.response, value.sum !== true);
  }

  /** `fills`: what it tells is the window of one request, not the sum of many. */
  #count(turn: Growing, event: SessionEvent, usage: Usage, response: unknown, fills = true): void {
    const id = typeof response === 'string' ? response : `seq:${event.seq}`;
    const told = { ...NO_USAGE };
    // an answer that was said in another session was paid for there, but fills the window here
    this.#usage.add(event.seq, id, usage, told);
    if (!isCopy(event)) for (const key of Object.keys(told) as (keyof typeof told)[]) turn.usage[key] += told[key];
    if (!fills) return;
    const { input = 0, output = 0, cache_read = 0, cache_write = 0 } = usage;
    const window = input + output + cache_read + cache_write;
    if (Number.isFinite(window) && window > 0) turn.context_tokens = window;
  }

  #noteFile(turn: Growing, path: unknown): void {
    if (typeof path !== 'string' || this.#files.has(path)) return;
    this.#files.add(path);
    turn.files_edited++;
    if (turn.files.length < MOST_FILES) turn.files.push(path);
  }
}

/** Whether a model is shown it: not the client's own notes, not what only the person sees. */
function isSent(code: number, flags: number): boolean {
  const mark = flags & MARK_MASK;
  if (code === CODE.system) return mark === MARK.TO_MODEL;
  if (code === CODE.compacted) return mark !== MARK.EDIT;
  return code === CODE.user || code === CODE.result || mark !== MARK.SYNTHETIC;
}

function noteReply(turn: Growing, flags: number, { content, model }: Record<string, unknown>): void {
  if ((flags & MARK_MASK) === MARK.SYNTHETIC) return;
  if (typeof model === 'string') turn.model = model;
  const line = lineOf(content);
  if (line !== '') turn.reply = line;
}

function noteCall(turn: Growing, { seq, payload: { tool, child_session } }: SessionEvent): void {
  if (typeof child_session === 'string') turn.subagents.push({ session: child_session, seq });
  const kind: ToolKind = (TOOL_KINDS as readonly unknown[]).includes(tool) ? (tool as ToolKind) : 'other';
  turn.tools[kind] = (turn.tools[kind] ?? 0) + 1;
}

function noteCompaction(turn: Growing, { seq, payload }: SessionEvent): void {
  const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);
  turn.compactions.push({ seq, before: number(payload.tokens_before), after: number(payload.tokens_after) });
}

function lineOf(content: unknown): string {
  // what is beyond is never shown, and collapsing white space of megabytes takes time
  const text = textOf(content)
    .trimStart()
    .slice(0, 4 * LINE_CHARS);
  return shorten(wellFormed(text.replace(/\s+/g, ' ').trim()), LINE_CHARS);
}
