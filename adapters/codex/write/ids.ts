import { createHash } from 'node:crypto';

/** A UUID v7 for a turn: its time, and bits derived from the thread and the turn's number, so that a retry gives the same. */
export function turnId(threadId: string, turn: number, ms: number): string {
  const bytes = createHash('sha256').update(`${threadId}:turn:${turn}`).digest().subarray(0, 16);
  bytes.writeUIntBE(Math.min(Math.max(0, Math.floor(ms)), 0xffff_ffff_ffff), 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const MAX_ID = 64;
const ALLOWED = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Gives each call an id of the form that model APIs accept (`^[A-Za-z0-9_-]{1,64}$`), unique in the session and the
 * same on every run. An id that conforms and is free stays as it is.
 */
export class CallIds {
  readonly #used = new Set<string>();

  next(native: string): string {
    const base = conforming(native);
    let id = base;
    for (let n = 2; this.#used.has(id); n++) {
      const suffix = `_${n}`;
      id = base.slice(0, MAX_ID - suffix.length) + suffix;
    }
    this.#used.add(id);
    return id;
  }
}

function conforming(native: string): string {
  return ALLOWED.test(native) ? native : shortened(native, 'call');
}

/** Tool names of other agents are kept; only characters and lengths that the API refuses are replaced. */
export function toolName(native: string): string {
  return ALLOWED.test(native) ? native : shortened(native, 'tool');
}

function shortened(native: string, empty: string): string {
  const plain = native.replace(/[^A-Za-z0-9_-]/g, '_');
  if (plain === '') return empty;
  if (plain.length <= MAX_ID) return plain;
  return `${plain.slice(0, MAX_ID - 13)}_${createHash('sha256').update(native).digest('hex').slice(0, 12)}`;
}
