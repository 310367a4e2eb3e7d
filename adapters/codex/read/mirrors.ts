import type { PendingMirror, ReadState, Role } from './state.ts';

/**
 * Codex writes each message as a response item and again as an event. Response items are the conversation; this finds
 * for each event the item it repeats, by role and text, before or after it, and keeps those that repeat nothing.
 */
export class Mirrors {
  readonly #state: ReadState;
  readonly #onRepeat: () => void;

  /** `onRepeat`: an event that had to wait turned out to repeat a response item. */
  constructor(state: ReadState, onRepeat: () => void) {
    this.#state = state;
    this.#onRepeat = onRepeat;
  }

  /** A response item came. again: it repeats an event that was taken for a message already; matched: an event came first. */
  item(role: Role, text: string): 'again' | 'matched' | 'alone' {
    const state = this.#state;
    const key = normal(text);
    if (role !== 'reasoning') state.expected = {};
    const again = state.promoted?.role === role && state.promoted.text === key;
    state.promoted = null;
    if (again) return 'again';
    const waiting = state.mirrors.length;
    for (const stream of ['events', 'items'] as const) {
      const isTwin = (other: PendingMirror): boolean =>
        other.stream === stream && other.role === role && repeats(role, key, other.text);
      if (role === 'reasoning') state.mirrors = state.mirrors.filter((other) => !isTwin(other));
      const at = role === 'reasoning' ? -1 : state.mirrors.findIndex(isTwin);
      if (at < 0) state.expected[`${stream}:${role}`] = key;
      else state.mirrors.splice(at, 1);
    }
    for (let n = state.mirrors.length; n < waiting; n++) this.#onRepeat();
    return state.mirrors.length < waiting ? 'matched' : 'alone';
  }

  /** An event came. True = it repeats something known; else it waits for its response item. */
  event(mirror: PendingMirror): boolean {
    const { mirrors, expected, promoted } = this.#state;
    const { stream, role } = mirror;
    const text = normal(mirror.text);
    const slot = `${stream}:${role}`;
    const wanted = expected[slot];
    if (wanted !== undefined && repeats(role, wanted, text)) {
      if (role !== 'reasoning') delete expected[slot];
      return true;
    }
    if (promoted?.role === role && promoted.text === text && promoted.stream !== stream) return true;
    const twin = mirrors.some((other) => other.stream !== stream && other.role === role && normal(other.text) === text);
    if (!twin) mirrors.push(mirror);
    return twin;
  }

  /** Takes out the waiting events of these roles, oldest first: nothing can match them any more. */
  take(...roles: Role[]): PendingMirror[] {
    const { mirrors } = this.#state;
    if (mirrors.length === 0) return [];
    const taken = mirrors.filter((mirror) => roles.includes(mirror.role));
    if (taken.length > 0) this.#state.mirrors = mirrors.filter((mirror) => !roles.includes(mirror.role));
    return taken;
  }

  promoted(mirror: PendingMirror): void {
    const { role, stream, text } = mirror;
    this.#state.promoted = { role, stream, text: normal(text) };
  }

  /** After a result or a prompt nothing before it is repeated any more. */
  forget(): void {
    this.#state.expected = {};
    this.#state.promoted = null;
  }
}

/** One event of reasoning repeats one part of an item. */
function repeats(role: Role, item: string, event: string): boolean {
  return role === 'reasoning' ? item.includes(normal(event)) : item === normal(event);
}

export function normal(text: string): string {
  return text.trim();
}
