import { textOf } from '../../src/core/view/content.ts';
import type { MessageUser, SessionEvent, Usage } from '../../src/shared/events.ts';
import { EVENT } from './graph.ts';
import { SYNTHETIC } from './map-assistant.ts';
import { noteLine, REPEATS, repeatKey } from './map-line.ts';
import { noteFacts, register } from './map-record.ts';
import { isInterruption, notePrompt } from './map-user.ts';
import { type Role, settle } from './place.ts';
import { seqOf } from './rebuild.ts';
import { isObject, type Json, type NativeRecord, word } from './record.ts';
import { typeKind } from './session-log.ts';
import type { SessionState } from './state.ts';
import { unmapUsage } from './usage.ts';

const CONVERSATION = EVENT.USER | EVENT.ASSISTANT | EVENT.OTHER;

/**
 * Brings a state to where it was when its last capture ended, from the events that are stored. What a record changed is
 * read off its events; the file is not opened.
 */
export class Replay {
  private readonly state: SessionState;
  /** sidechain events of the main log belong to a state of their own */
  private readonly loose: () => SessionState;
  private record: SessionEvent[] = [];
  /** answers that made the calls which have no result yet */
  private readonly responses = new Map<string, string>();

  constructor(state: SessionState, loose: () => SessionState) {
    this.state = state;
    this.loose = loose;
  }

  add(event: SessionEvent): void {
    const first = this.record[0]?.origin;
    const same = event.origin?.part !== undefined;
    if (event.origin !== null && first !== undefined && !same) this.close();
    const state = event.origin === null ? this.state : this.owner(this.record[0] ?? event);
    const parent = event.parent_seq ?? -1;
    const chained = same && this.record.at(-1)?.seq === parent ? EVENT.SAME_RECORD : 0;
    state.log.graph.add(event.seq, parent, kindOf(event) | chained);
    if (state !== this.state) this.state.log.graph.lastCore = Math.max(this.state.log.graph.lastCore, event.seq);
    if (typeKind(event.type) & EVENT.CORE) state.log.lastType = event.type;
    else if (event.type === 'message.system' && isInterruption(textOf(event.payload.content)))
      state.log.lastType = 'interrupted';
    state.todos.replay(event);
    state.calls.replay(event);
    if (event.type === 'tool.call') this.responses.set(String(event.payload.call_id), String(event.payload.response));
    if (event.origin === null) this.aside(event);
    else this.record.push(event);
  }

  /** All events were given. */
  end(): void {
    this.close();
  }

  private owner(event: SessionEvent): SessionState {
    const native = nativeOf(event);
    return native.isSidechain === true && this.state.log.defaults.isSidechain !== true ? this.loose() : this.state;
  }

  /** An event that is no record's own. */
  private aside(event: SessionEvent): void {
    const { state } = this;
    const { payload, seq } = event;
    const parent = event.parent_seq ?? -1;
    if (event.type === 'session.start' && isObject(payload.native)) state.log.defaults = payload.native;
    else if (event.type === 'message.user') {
      state.early.set(textOf(payload.content), { seq, parent });
      state.log.graph.last = seq;
    } else if (event.type === 'context.compacted') {
      state.boundary = undefined;
      state.log.graph.redirect(parent, seq);
    } else if (event.type === 'meta' && payload.key === 'leaf')
      state.saidLeaf = { leaf: Number(payload.value), after: state.log.graph.lastCore };
    else if (event.type === 'meta' && payload.key === 'warning' && isObject(payload.value)) {
      if (payload.value.about === 'unanswered-call') state.calls.unanswered();
    }
  }

  /** The events of one record are complete. */
  private close(): void {
    const events = this.record;
    this.record = [];
    const [first] = events;
    if (first?.origin == null) return;
    const state = this.owner(first);
    const last = (events.at(-1) as SessionEvent).seq;
    const { log } = state;
    const { native_id, native_seq } = first.origin;
    log.current = { ...log.current, line: native_seq, uuid: native_id, ts: first.ts, first: first.seq, last };
    const native = nativeOf(first);
    const raw = rawOf(first, native, log.defaults);
    if (native_id === null && first.type === 'meta') {
      this.line(state, first, raw);
      return;
    }
    noteFacts(state, raw);
    const role = this.learn(state, first, events, raw);
    if (role !== undefined) {
      const parent = first.parent_seq ?? -1;
      const absent = Array.isArray(native.$absent) && native.$absent.includes('parentUuid');
      const exact = native.parentUuid === undefined && !absent;
      const place = { parent, exact, group: log.groups.holding(parent), inserted: absent };
      settle(log, place, role, last);
    }
    // a prompt that was in the log before its record is known by that event
    const stands = first.type === 'meta' ? seqOf(first.refs[0]) : undefined;
    const kind = stands === undefined ? kindOf(first) & CONVERSATION : EVENT.USER;
    register(state, raw, kind, stands ?? last);
  }

  private line(state: SessionState, { payload, ts }: SessionEvent, raw: NativeRecord): void {
    const type = word(raw.type);
    if (payload.key === 'unknown' || REPEATS in raw) return;
    noteLine(state, type, raw);
    if (type !== 'queue-operation' && raw.explicit !== true) state.repeats.set(type, repeatKey(payload, ts));
  }

  /** What the record changed beside the tree, and what it is for the tree. */
  private learn(
    state: SessionState,
    first: SessionEvent,
    events: readonly SessionEvent[],
    raw: NativeRecord,
  ): Role | undefined {
    const { payload, type } = first;
    if (type === 'meta') return this.learnKept(state, first, raw);
    if (type === 'context.compacted') {
      state.boundary = undefined;
      return { kind: 'prompt' };
    }
    if (type === 'message.user') {
      notePrompt(state, payload.via as MessageUser['via'], textOf(payload.content));
      return { kind: payload.via === 'queued' ? 'other' : 'prompt' };
    }
    const result = events.find((event) => event.type === 'tool.result');
    if (result !== undefined) {
      const id = String(result.payload.call_id);
      const response = this.responses.get(id);
      this.responses.delete(id);
      return { kind: 'result', response };
    }
    if (typeof payload.response !== 'string') return { kind: 'other' };
    const inner = nativeOf(first).message;
    if (payload.usage !== undefined || (isObject(inner) && inner.usage !== undefined))
      state.usage.repeats(
        payload.response,
        unmapUsage(payload.usage as Usage, isObject(inner) ? (inner.usage as Json) : {}),
      );
    state.calls.passBy(payload.response);
    if (payload.synthetic !== true) state.model = modelOf(first) ?? state.model;
    return { kind: 'answer', response: payload.response };
  }

  private learnKept(state: SessionState, first: SessionEvent, raw: NativeRecord): Role | undefined {
    if (raw.type === 'system' && raw.subtype === 'compact_boundary') {
      const metadata = isObject(raw.compactMetadata) ? raw.compactMetadata : {};
      state.boundary = { uuid: first.origin?.native_id ?? '', seq: first.seq, metadata };
      state.log.groups.close();
      return undefined;
    }
    if (first.payload.key === 'unknown') return undefined;
    return { kind: raw.type === 'progress' ? 'progress' : 'other' };
  }
}

function nativeOf({ type, payload }: SessionEvent): Json {
  const native = type === 'meta' && payload.key !== 'title' ? payload.value : payload.native;
  return isObject(native) ? native : {};
}

function modelOf({ payload }: SessionEvent): string | undefined {
  if (typeof payload.model === 'string') return payload.model;
  const message = isObject(payload.native) ? payload.native.message : undefined;
  return isObject(message) && typeof message.model === 'string' && message.model !== SYNTHETIC
    ? message.model
    : undefined;
}

/** As much of the native record as the mapping of later ones depends on. */
function rawOf(event: SessionEvent, native: Json, defaults: Json): NativeRecord {
  const absent = Array.isArray(native.$absent) ? (native.$absent as string[]) : [];
  const raw: NativeRecord = {};
  for (const key in defaults) if (!absent.includes(key)) raw[key] = defaults[key];
  Object.assign(raw, native);
  const { payload, type } = event;
  if (type === 'meta' && payload.key === 'title')
    raw[native.type === 'custom-title' ? 'customTitle' : 'aiTitle'] = payload.value;
  if (raw.type === undefined) raw.type = kindOf(event) & EVENT.ASSISTANT ? 'assistant' : 'user';
  raw.uuid = event.origin?.native_id ?? undefined;
  return raw;
}

/** The EVENT bits of a stored event. */
function kindOf(event: SessionEvent): number {
  const { type, payload, origin } = event;
  const kind = typeKind(type);
  if (origin === null) return kind;
  const native = nativeOf(event);
  if (type === 'message.assistant' || type === 'message.thinking' || type === 'tool.call')
    return kind | EVENT.ASSISTANT;
  if (type === 'message.user') return kind | (payload.via === 'queued' ? EVENT.OTHER : EVENT.USER);
  if (type === 'meta')
    return native.type === 'system' && native.subtype === 'compact_boundary' ? kind | EVENT.OTHER : kind;
  if (type === 'message.system') return native.type === undefined ? kind | EVENT.USER : kind;
  return kind | EVENT.USER;
}
