import { createHash } from 'node:crypto';

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
