import { canonicalJson } from '../../core/log/canonical-json.ts';
import type { EventDraft, Origin } from '../../shared/events.ts';

/**
 * Writes events as bytes: canonical JSON without checksum, the same as `eventText` of the log's core. The envelope's keys
 * are known and in order, so its parts go into the buffer one by one; joining them as strings first would cost more than
 * the payload.
 */

const ENVELOPE_KEYS = 9;
const ORIGIN_KEYS = 3;

const NATIVE_ID = bytesOf(',"native_id":');
const NATIVE_SEQ = bytesOf(',"native_seq":');
const NATIVE_TS = bytesOf(',"native_ts":');
const PART = bytesOf(',"part":');
const PARENT = bytesOf(',"parent_seq":');
const PAYLOAD = bytesOf(',"payload":');
const NO_REFS = bytesOf(',"refs":[],"seq":');
const REFS = bytesOf(',"refs":');
const SEQ = bytesOf(',"seq":');
const TS = bytesOf(',"ts":');
const NULL = bytesOf('null');

const QUOTE = 34;
const BACKSLASH = 92;
const ZERO = 48;
const DOT = 46;
const CLOSE = 125;

/** Room for everything of an envelope but its strings. */
const FIXED = 512;

/** An event whose parts are known: how many bytes it takes at most, and the texts that need work. */
export interface EventParts {
  draft: EventDraft;
  seq: number;
  /** canonical JSON of the payload; of the whole event where the envelope holds a field that is not known here */
  payload: string;
  refs: string;
  whole: boolean;
  most: number;
}

export function partsOf(draft: EventDraft, seq: number): EventParts {
  if (!isKnown(draft)) {
    const payload = canonicalJson({ ...draft, seq });
    return { draft, seq, payload, refs: '', whole: true, most: 3 * payload.length };
  }
  const payload = canonicalJson(draft.payload);
  const refs = draft.refs.length === 0 ? '' : JSON.stringify(draft.refs);
  const { origin } = draft;
  const names =
    draft.actor.length + draft.agent.length + draft.type.length + (origin === null ? 0 : originChars(origin));
  // a UTF-16 unit takes three bytes at most, in a string that is escaped six
  return { draft, seq, payload, refs, whole: false, most: 3 * (payload.length + refs.length) + 6 * names + FIXED };
}

/** Writes an event at a place with room for `most` bytes; returns the place behind it. */
export function writeEvent(out: Buffer, start: number, parts: EventParts): number {
  const { draft, payload, refs, seq } = parts;
  if (parts.whole) return start + out.write(payload, start, 'utf8');
  let at = put(out, start, headOf(draft));
  at = draft.origin === null ? put(out, at, NULL) : writeOrigin(out, at, draft.origin);
  at = put(out, at, PARENT);
  at = draft.parent_seq === null ? put(out, at, NULL) : writeInteger(out, at, draft.parent_seq);
  at = put(out, at, PAYLOAD);
  at += out.write(payload, at, 'utf8');
  if (refs === '') at = put(out, at, NO_REFS);
  else {
    at = put(out, at, REFS);
    at += out.write(refs, at, 'utf8');
    at = put(out, at, SEQ);
  }
  at = writeInteger(out, at, seq);
  at = put(out, at, TS);
  at = draft.ts === null ? put(out, at, NULL) : writeTime(out, at, draft.ts);
  return put(out, at, typeOf(draft.type));
}

/** Counting tells it: the nine keys of a draft are always there, and so are three of an origin. */
function isKnown(draft: EventDraft): boolean {
  let keys = 0;
  for (const _ in draft) keys++;
  if (keys !== ENVELOPE_KEYS) return false;
  const { origin } = draft;
  if (origin === null) return true;
  for (const _ in origin) keys++;
  const optional = (origin.native_ts === undefined ? 0 : 1) + (origin.part === undefined ? 0 : 1);
  return keys === ENVELOPE_KEYS + ORIGIN_KEYS + optional;
}

function originChars({ agent, native_id, native_ts }: Origin): number {
  return agent.length + (native_id?.length ?? 0) + (typeof native_ts === 'string' ? native_ts.length : 0);
}

function writeOrigin(out: Buffer, start: number, origin: Origin): number {
  let at = put(out, start, agentOf(origin.agent));
  at = put(out, at, NATIVE_ID);
  at = origin.native_id === null ? put(out, at, NULL) : writeString(out, at, origin.native_id);
  at = put(out, at, NATIVE_SEQ);
  at = writeInteger(out, at, origin.native_seq);
  if (origin.native_ts !== undefined) {
    at = put(out, at, NATIVE_TS);
    at += out.write(JSON.stringify(origin.native_ts), at, 'utf8');
  }
  if (origin.part !== undefined) {
    at = put(out, at, PART);
    at = writeInteger(out, at, origin.part);
  }
  out[at] = CLOSE;
  return at + 1;
}

// ---- parts that repeat, as bytes. Bounded: an envelope's names are few, but nothing promises it.

const MAX_NAMES = 1000;
const heads = new Map<string, Map<string, Uint8Array[]>>();
const agents = new Map<string, Uint8Array>();
const types = new Map<string, Uint8Array>();

/** `{"actor":…,"agent":…,"level":…,"origin":` */
function headOf({ actor, agent, level }: EventDraft): Uint8Array {
  const known = heads.get(actor)?.get(agent)?.[level];
  if (known !== undefined) return known;
  const made = bytesOf(`{"actor":${JSON.stringify(actor)},"agent":${JSON.stringify(agent)},"level":${level},"origin":`);
  if (heads.size > MAX_NAMES) return made;
  const byAgent = heads.get(actor) ?? new Map<string, Uint8Array[]>();
  heads.set(actor, byAgent);
  const byLevel = byAgent.get(agent) ?? [];
  if (byAgent.size < MAX_NAMES) byAgent.set(agent, byLevel);
  byLevel[level] = made;
  return made;
}

/** `{"agent":…` */
function agentOf(agent: string): Uint8Array {
  return kept(agents, agent, () => bytesOf(`{"agent":${JSON.stringify(agent)}`));
}

/** `,"type":…}` */
function typeOf(type: string): Uint8Array {
  return kept(types, type, () => bytesOf(`,"type":${JSON.stringify(type)}}`));
}

function kept(cache: Map<string, Uint8Array>, name: string, make: () => Uint8Array): Uint8Array {
  const known = cache.get(name);
  if (known !== undefined) return known;
  const made = make();
  if (cache.size < MAX_NAMES) cache.set(name, made);
  return made;
}

// ---- bytes

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function put(out: Uint8Array, at: number, bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; i++) out[at + i] = bytes[i] as number;
  return at + bytes.length;
}

/** A string that is mostly an id: plain letters go straight in, anything else as JSON.stringify writes it. */
function writeString(out: Buffer, start: number, text: string): number {
  let at = start;
  out[at++] = QUOTE;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 32 || code > 126 || code === QUOTE || code === BACKSLASH)
      return start + out.write(JSON.stringify(text), start, 'utf8');
    out[at++] = code;
  }
  out[at++] = QUOTE;
  return at;
}

/** Any number, as JSON writes it; whole ones below 2^31 digit by digit. */
function writeInteger(out: Buffer, at: number, value: number): number {
  if ((value | 0) !== value || value < 0 || Object.is(value, -0))
    return at + out.write(JSON.stringify(value), at, 'latin1');
  let digits = 1;
  for (let rest = value; rest > 9; rest = Math.floor(rest / 10)) digits++;
  for (let i = at + digits - 1, rest = value; i >= at; i--, rest = Math.floor(rest / 10)) out[i] = ZERO + (rest % 10);
  return at + digits;
}

/**
 * As JSON.stringify writes it. Times are mostly whole milliseconds: then the digits come from integers, which is far
 * cheaper than finding the shortest decimal of a double. Both agree while the number has at most 15 digits.
 */
function writeTime(out: Buffer, start: number, ts: number): number {
  const ms = Math.round(ts * 1000);
  const seconds = Math.floor(ms / 1000);
  if (ms / 1000 !== ts || !(ms >= 0 && seconds < 2 ** 31))
    return start + out.write(JSON.stringify(ts), start, 'latin1');
  let at = writeInteger(out, start, seconds);
  let rest = ms - seconds * 1000;
  if (rest === 0) return at;
  out[at++] = DOT;
  for (let unit = 100; rest > 0; unit /= 10) {
    const digit = Math.floor(rest / unit);
    out[at++] = ZERO + digit;
    rest -= digit * unit;
  }
  return at;
}
