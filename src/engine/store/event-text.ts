import { canonicalJson } from '../../core/log/canonical-json.ts';
import type { EventDraft, Origin } from '../../shared/events.ts';

/** An event's canonical JSON without its checksum, in three parts: joining them would copy every payload once more. */
export interface EventText {
  head: string;
  payload: string;
  tail: string;
}

/** Keys of the envelope stand in canonical order around the payload. */
const ENVELOPE = new Set(['actor', 'agent', 'level', 'origin', 'parent_seq', 'payload', 'refs', 'ts', 'type']);
const ORIGIN = new Set(['agent', 'native_id', 'native_seq', 'native_ts', 'part']);

/**
 * Canonical text of an event that gets the number `seq`: the same as `eventText` of the log's core, put together by hand
 * because the envelope is known.
 */
export function draftText(draft: EventDraft, seq: number): EventText {
  for (const key in draft)
    if (!ENVELOPE.has(key)) return { head: canonicalJson({ ...draft, seq }), payload: '', tail: '' };
  const { refs, parent_seq, ts, origin } = draft;
  return {
    head: `{"actor":${quoted(draft.actor)},"agent":${quoted(draft.agent)},"level":${draft.level},"origin":${originText(origin)},"parent_seq":${parent_seq ?? 'null'},"payload":`,
    payload: canonicalJson(draft.payload),
    tail: `,"refs":${refs.length === 0 ? '[]' : JSON.stringify(refs)},"seq":${seq},"ts":${timeText(ts)},"type":${quoted(draft.type)}}`,
  };
}

function originText(origin: Origin | null): string {
  if (origin === null) return 'null';
  for (const key in origin) if (!ORIGIN.has(key)) return canonicalJson(origin);
  const { native_ts, part } = origin;
  const more =
    (native_ts === undefined ? '' : `,"native_ts":${JSON.stringify(native_ts)}`) +
    (part === undefined ? '' : `,"part":${part}`);
  return `{"agent":${quoted(origin.agent)},"native_id":${JSON.stringify(origin.native_id)},"native_seq":${origin.native_seq}${more}}`;
}

/** Few strings stand in every envelope. Bounded. */
const quotes = new Map<string, string>();
const MAX_QUOTES = 1000;

function quoted(text: string): string {
  const known = quotes.get(text);
  if (known !== undefined) return known;
  const made = JSON.stringify(text);
  if (quotes.size < MAX_QUOTES) quotes.set(text, made);
  return made;
}

/**
 * As JSON.stringify writes it. Times are mostly whole milliseconds: then the digits come from an integer, which is far
 * cheaper than finding the shortest decimal of a double. Both agree while the number has at most 15 digits.
 */
function timeText(ts: number | null): string {
  if (ts === null) return 'null';
  const ms = Math.round(ts * 1000);
  if (ms / 1000 !== ts || !(ms >= 0 && ms < 1e15)) return JSON.stringify(ts);
  const seconds = Math.floor(ms / 1000);
  const rest = ms - seconds * 1000;
  if (rest === 0) return `${seconds}`;
  if (rest % 100 === 0) return `${seconds}.${rest / 100}`;
  if (rest % 10 === 0) return `${seconds}.${rest < 100 ? '0' : ''}${rest / 10}`;
  return `${seconds}.${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}`;
}
