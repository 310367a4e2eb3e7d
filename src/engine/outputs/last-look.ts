import type { OutgoingRedactor } from '../handoff/outgoing.ts';

/** What is compared or fetched by its letters, and holds nothing that somebody wrote. */
const KEPT: ReadonlySet<string> = new Set(['artifact', 'media_type', 'kind', 'checksum']);

/**
 * Looks through every text of a value once more, as it will stand in the output: what was captured under older rules, ids that
 * somebody else chose, titles. A text can be altered here without breaking anything, so nothing is left to ask about.
 * The value is changed in place and returned.
 */
export function lastLook<T>(value: T, redactor: Pick<OutgoingRedactor, 'text'>): T {
  return look(value, redactor) as T;
}

function look(value: unknown, redactor: Pick<OutgoingRedactor, 'text'>): unknown {
  if (typeof value === 'string') return redactor.text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) value[at] = look(value[at], redactor);
    return value;
  }
  const object = value as Record<string, unknown>;
  for (const [name, before] of Object.entries(object)) {
    if (KEPT.has(name) && typeof before === 'string') continue;
    const after = look(before, redactor);
    // defined, since a name may be `__proto__`
    if (after !== before)
      Object.defineProperty(object, name, { value: after, configurable: true, enumerable: true, writable: true });
  }
  return object;
}
