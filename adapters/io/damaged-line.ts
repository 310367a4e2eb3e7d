import { isUtf8 } from 'node:buffer';
import { isTooDeep, MAX_NESTING } from '../../src/core/json-depth.ts';
import { wellFormed } from '../../src/core/text.ts';

/** What can be wrong with a physical line. The words are those of warnings (`about`). */
export type DamageKind =
  | 'malformed-line'
  | 'glued-line'
  | 'nul-bytes'
  | 'invalid-utf8'
  | 'lone-surrogate'
  | 'truncated-line';

export interface Damage {
  about: DamageKind;
  /** for people; holds nothing of the line's content */
  detail: string;
  /** the part that could not be read, absent when everything was recovered */
  raw?: string;
}

export interface Recovered {
  records: unknown[];
  damage: Damage[];
}

/** Characters that all tries to find records in a line may look at together, so that hostile lines end soon. */
const workFor = (length: number): number => 4 * 1024 * 1024 + 4 * length;

/** Reads what can be read of one line that is no plain JSON record. */
export function readDamagedLine(bytes: Uint8Array): Recovered {
  const damage: Damage[] = [];
  let text = decode(bytes, damage);
  if (text.includes('\0')) {
    const stripped = text.replaceAll('\0', '');
    damage.push({ about: 'nul-bytes', detail: `${text.length - stripped.length} NUL bytes were left out.` });
    text = stripped;
  }
  text = text.replace(/^\uFEFF+/, '').trim();
  if (text === '') return { records: [], damage };
  const whole = parse(text);
  if (whole !== undefined && isTooDeep(whole.value, text.length)) {
    const detail = `The record is nested deeper than ${MAX_NESTING} levels.`;
    return { records: [], damage: [...damage, { about: 'malformed-line', detail, raw: text }] };
  }
  const records = whole === undefined ? glued(text, damage) : [whole.value];
  return { records: records.map((record) => repairSurrogates(record, damage)), damage };
}

/**
 * Replaces unpaired surrogates in every string of a record, keys included, by U+FFFD, in place. Says so once per line.
 */
export function repairSurrogates(value: unknown, damage: Damage[]): unknown {
  if (typeof value === 'string') {
    const good = wellFormed(value);
    if (good !== value && !damage.some((d) => d.about === 'lone-surrogate'))
      damage.push({ about: 'lone-surrogate', detail: 'Half a surrogate pair was replaced by U+FFFD.' });
    return good;
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = repairSurrogates(value[i], damage);
    return value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const object = value as Record<string, unknown>;
  for (const [key, before] of Object.entries(object)) {
    const after = repairSurrogates(before, damage);
    const name = repairSurrogates(key, damage) as string;
    if (name !== key) delete object[key];
    if (name !== key || after !== before) object[name] = after;
  }
  return object;
}

/** UTF-8 with its flaws: encoded surrogates become surrogates, anything else that is invalid becomes U+FFFD. */
function decode(bytes: Uint8Array, damage: Damage[]): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(buffer)) return buffer.toString('utf8');
  let out = '';
  let done = 0;
  let other = false;
  const take = (end: number): void => {
    const part = buffer.subarray(done, end);
    if (!isUtf8(part)) other = true;
    out += part.toString('utf8');
  };
  for (let at = buffer.indexOf(0xed); at >= 0; at = buffer.indexOf(0xed, at + 1)) {
    const second = buffer[at + 1] ?? 0;
    const third = buffer[at + 2] ?? 0;
    if (second < 0xa0 || second > 0xbf || third < 0x80 || third > 0xbf) continue;
    take(at);
    out += String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | (third & 0x3f));
    done = at + 3;
  }
  take(buffer.length);
  if (other) damage.push({ about: 'invalid-utf8', detail: 'Bytes that are no UTF-8 were replaced by U+FFFD.' });
  return out;
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Records on a line that is no single record: several complete ones, or complete ones behind or before a broken one. */
function glued(text: string, damage: Damage[]): unknown[] {
  const budget = { left: workFor(text.length) };
  const front = sequence(text, 0, budget);
  if (front.end === text.length) {
    damage.push({ about: 'glued-line', detail: `${front.records.length} records stand on one line.` });
    return front.records;
  }
  for (let at = text.indexOf('{"', front.end + 1); at >= 0 && budget.left > 0; at = text.indexOf('{"', at + 1)) {
    const back = sequence(text, at, budget);
    if (back.end !== text.length || back.records.length === 0) continue;
    if (isValuePosition(text, at) && !back.records.every(looksLikeRecord)) continue;
    damage.push({
      about: 'glued-line',
      detail: `A broken record of ${at - front.end} characters stands before a complete one.`,
      raw: text.slice(front.end, at),
    });
    return [...front.records, ...back.records];
  }
  unreadable(text.slice(front.end), front.records.length, damage);
  return front.records;
}

function unreadable(raw: string, before: number, damage: Damage[]): void {
  const bad = damage.find((one) => one.about === 'invalid-utf8');
  if (bad !== undefined && before === 0) {
    bad.detail = 'The line holds bytes that are no UTF-8, and is no JSON record.';
    bad.raw = raw;
    return;
  }
  damage.push(
    before === 0
      ? { about: 'malformed-line', detail: `${raw.length} characters that are no JSON record.`, raw }
      : { about: 'glued-line', detail: `${raw.length} characters behind a complete record are none.`, raw },
  );
}

/** Complete objects from `at` on, one behind the other; `end` is where the first thing that is none begins. */
function sequence(text: string, at: number, budget: { left: number }): { records: unknown[]; end: number } {
  const records: unknown[] = [];
  let position = at;
  while (position < text.length && text.charCodeAt(position) === 0x7b) {
    const end = closing(text, position, budget);
    if (end < 0) break;
    const one = parse(text.slice(position, end));
    if (one === undefined || isTooDeep(one.value, end - position)) break;
    records.push(one.value);
    position = end;
    while (position < text.length && text.charCodeAt(position) <= 32) position++;
  }
  return { records, end: position };
}

/** Index behind the brace that closes the one at `at`, −1 when it stays open. */
function closing(text: string, at: number, budget: { left: number }): number {
  const mark = /["{}]/g;
  let depth = 0;
  mark.lastIndex = at;
  for (let m = mark.exec(text); m !== null; m = mark.exec(text)) {
    if (m[0] === '"') {
      const end = stringEnd(text, m.index);
      if (end < 0) break;
      mark.lastIndex = end;
    } else depth += m[0] === '{' ? 1 : -1;
    if (depth === 0) {
      budget.left -= mark.lastIndex - at;
      return mark.lastIndex;
    }
  }
  budget.left -= text.length - at;
  return -1;
}

function stringEnd(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return -1;
}

/** Whether an object could stand at `at` as a value of what is before it, so that it may be a part and no record. */
function isValuePosition(text: string, at: number): boolean {
  return /[:,[]\s*$/.test(text.slice(Math.max(0, at - 20), at));
}

const RECORD_FIELDS = ['uuid', 'timestamp', 'id', 'payload', 'message', 'sessionId', 'role'];

function looksLikeRecord(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && 'type' in value && RECORD_FIELDS.some((field) => field in value)
  );
}
