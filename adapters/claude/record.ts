/**
 * The native records of Claude Code's session files, as far as the mapping looks into them. Values are never trusted:
 * a field of another type than expected is kept as it is and simply not used.
 */
export type Json = Record<string, unknown>;

/** One line of a session file. Chain lines have `uuid` and `parentUuid`, state lines have neither. */
export interface NativeRecord extends Json {
  type?: unknown;
  uuid?: unknown;
  parentUuid?: unknown;
  timestamp?: unknown;
  message?: unknown;
}

/** Whether a JSON value is an object (not an array, not null). */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The string, or undefined for anything else and for the empty string. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A string or number for a message or a count; `?` for anything else, which could not be turned into text safely. */
export function word(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '?';
}

/** Sets an own member, also where the key is `__proto__`. */
export function setOwn(target: Json, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}
