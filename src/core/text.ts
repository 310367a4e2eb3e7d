/** Text helpers that keep Unicode whole. */

/** Replaces unpaired surrogates by U+FFFD; the same string when there is none. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** Largest index ≤ `at` that does not split a surrogate pair. */
export function charFloor(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  const code = text.charCodeAt(at);
  const before = text.charCodeAt(at - 1);
  return (code & 0xfc00) === 0xdc00 && (before & 0xfc00) === 0xd800 ? at - 1 : at;
}

/** At most `max` UTF-16 units, with `…` where something was cut; never half a character. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, charFloor(text, max - 1))}…`;
}
