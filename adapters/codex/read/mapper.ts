import type { Warning } from '../../../src/shared/events.ts';
import { isCopy } from '../whole-outputs.ts';
import { Calls } from './calls.ts';
import { compacted } from './compaction.ts';
import { Events } from './events.ts';
import { isObject, itemOf, partsOf } from './item.ts';
import type { Place } from './log.ts';
import { joined, Messages } from './messages.ts';
import { ordinalOf } from './rollouts.ts';
import { header, settings } from './settings.ts';
import type { Copied, Reading } from './state.ts';
import { usageRecord } from './usage.ts';

type Json = Record<string, unknown>;

/** Records of Codex's own book-keeping: known, and no part of a conversation. */
const KEEPING: ReadonlySet<string> = new Set([
  'world_state',
  'inter_agent_communication_metadata',
  'inter_agent_communication',
  'retained_context',
  'security_risk_score',
  'dynamic_tools_updated',
  'realtime_item',
  'state',
]);
const KEEPING_ITEMS: ReadonlySet<string> = new Set([
  'additional_tools',
  'tool_search_call',
  'tool_search_output',
  'ghost_snapshot',
  'compaction',
  'context_compaction',
  'configuration_update',
  'compaction_trigger',
  'other',
]);

/** A raw record larger than this is kept as an artifact. */
const INLINE = 8192;
/** A legacy fork copies its parent in one go: no two lines of the copy lie further apart. Where the parent is not there. */
const COPY_GAP_MS = 8;

/** Turns the records of one thread into events, one after the other. */
export class Mapper {
  readonly #r: Reading;
  readonly #messages: Messages;
  readonly #calls: Calls;
  readonly #events: Events;

  constructor(reading: Reading) {
    this.#r = reading;
    this.#messages = new Messages(reading);
    this.#calls = new Calls(reading);
    this.#events = new Events(reading, this.#messages, this.#calls);
  }

  /** One record as parsed. Files before 0.36 have response items without envelope and time. */
  record(value: unknown, place: Omit<Place, 'time'>): void {
    const { log, state, accounts } = this.#r;
    accounts.records++;
    const record = isObject(value) ? value : {};
    const enveloped = isObject(record.payload) ? record.payload : null;
    const payload = enveloped ?? record;
    const type = enveloped === null ? bareType(record) : String(record.type);
    const id = typeof payload.id === 'string' && type !== 'session_meta' ? payload.id : null;
    log.begin({ ...place, time: record.timestamp ?? null }, id);
    if (state.header === 'awaited' && type !== 'session_meta') this.#noHeader();
    if (state.copied != null) this.#copied(state.copied, ordinalOf(record, place.line), record.timestamp);
    if (state.held?.kind === 'user' && !(type === 'event_msg' && showsPrompt(payload))) this.#messages.release(false);
    this.#dispatch(type, payload, record);
  }

  #dispatch(type: string, payload: Json, record: Json): void {
    if (type === 'response_item') this.#item(payload, record);
    else if (type === 'event_msg')
      this.#events.event(payload, () => this.#unknown(`event_msg/${String(payload.type)}`, record));
    else if (type === 'session_meta') header(this.#r, payload);
    else if (type === 'turn_context') settings(this.#r, payload);
    else if (type === 'token_usage_record') usageRecord(this.#r, payload);
    else if (type === 'compacted') this.#compacted(payload);
    else if (KEEPING.has(type)) this.#r.accounts.declare(type);
    else this.#unknown(type, record);
  }

  #item(payload: Json, record: Json): void {
    const item = itemOf(payload);
    const type = String(payload.type);
    if (item === null) {
      if (KEEPING_ITEMS.has(type)) this.#r.accounts.declare(type);
      else if (type === 'agent_message') this.#agentMessage(payload);
      else this.#unknown(`response_item/${type}`, record);
      return;
    }
    if (this.#r.state.held?.kind === 'assistant') this.#messages.release(false);
    if (item.kind === 'message') {
      // Before 0.104 nothing marks the end of a turn but the next prompt.
      if (item.role === 'user' && this.#r.state.turn === null) this.#calls.abandon();
      this.#messages.message(item, payload, record.metadata);
    } else if (item.kind === 'reasoning') this.#messages.reasoning(item);
    else {
      this.#messages.flush('user', 'assistant', 'reasoning');
      if (item.kind === 'call') this.#calls.call(item, payload);
      else {
        this.#messages.forget();
        this.#calls.output(item);
      }
    }
  }

  #compacted(payload: Json): void {
    if (isCopy(payload)) {
      this.#r.accounts.declare('handed-over items again');
      return;
    }
    this.#messages.dropSummary(String(payload.message ?? ''));
    this.#messages.flush('user', 'assistant', 'reasoning');
    compacted(this.#r, payload);
  }

  /** What one agent of a tree told another. */
  #agentMessage({ author, recipient, content }: Json): void {
    const { log, accounts } = this.#r;
    log.endResponse();
    accounts.mapped++;
    const text = `${String(author ?? '?')} → ${String(recipient ?? '?')}: ${joined(partsOf(content))}`;
    log.system([{ kind: 'text', text }], 'notice', true);
  }

  #unknown(kind: string, record: Json): void {
    this.#r.log.meta('unknown', this.#kept(record, JSON.stringify(record), 'application/json'));
    this.#r.accounts.noteUnknown(kind);
  }

  #kept(value: unknown, text: string, mediaType: string): unknown {
    if (text.length <= INLINE) return value;
    return { artifact: this.#r.store(Buffer.from(text), mediaType), bytes: Buffer.byteLength(text) };
  }

  /** A line that could not be read, or not whole: said with its place, and its text kept. `line` from 0. */
  damaged(warning: Pick<Warning, 'about' | 'detail'>, raw: string | undefined, line: number): void {
    const { log } = this.#r;
    log.begin({ line, time: null, redacted: false }, null);
    log.warn(warning.about, warning.detail);
    if (raw !== undefined) log.meta('unknown', this.#kept(raw, raw, 'text/plain'));
  }

  #noHeader(): void {
    const { log, state } = this.#r;
    state.header = 'missing';
    log.warn(
      'missing-header',
      'The first record is no session_meta: project folder and version of this session are unknown.',
    );
  }

  /** The thread begins with a copy of another one. `until`: its first own line, null = not known. */
  copied(from: string, until: number | null): void {
    this.#r.state.copied = { from, until, last: '' };
  }

  /** Follows the copy of the parent behind the first line of a legacy fork or a sub-agent, so that its events name the parent. */
  #copied({ from, until, last }: Copied, line: number, time: unknown): void {
    const { log, state } = this.#r;
    const at = typeof time === 'string' ? time : last;
    const gap = last === '' ? 0 : Date.parse(at) - Date.parse(last);
    if (until === null ? gap > COPY_GAP_MS : line >= until) {
      this.settle();
      this.#calls.abandon();
      state.copied = null;
      log.source = {};
    } else {
      state.copied = { from, until, last: at };
      log.source = line === 0 ? {} : { thread: from };
    }
  }

  /** Nothing is held back any more. */
  settle(): void {
    this.#messages.settle();
  }

  /** The end of what there is now; what may still be answered stays in the state. */
  finish(): void {
    const { log, state, accounts } = this.#r;
    this.settle();
    if (state.turn === null) this.#calls.abandon();
    const unknown = Object.values(accounts.unknown).reduce((sum, n) => sum + n, 0);
    if (state.conversation > 0 || unknown === 0) return;
    log.warn(
      'no-turns-recognised',
      `None of the ${accounts.records} records is a message or a call that we know: probably a newer version of Codex wrote them.`,
    );
  }
}

function showsPrompt(event: Json): boolean {
  return event.type === 'user_message' || (isObject(event.item) && event.item.type === 'UserMessage');
}

/** Kind of a record without envelope (0.8 to 0.29). */
function bareType(record: Json): string {
  if (typeof record.record_type === 'string') return 'state';
  if (typeof record.type === 'string') return record.type === 'session_meta' ? 'session_meta' : 'response_item';
  return typeof record.id === 'string' && typeof record.timestamp === 'string' ? 'session_meta' : 'record without type';
}
