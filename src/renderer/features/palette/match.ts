/** A piece of a title; `hit` is what was typed. */
export interface Part {
  text: string;
  hit: boolean;
}

/** The title with the places of the words marked, or null when one of the words is not in it. Case does not count. */
export function matchWords(title: string, query: string): Part[] | null {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const lower = title.toLowerCase();
  // A character may change its length when lowered; then places cannot be marked, only found.
  const exact = lower.length === title.length;
  const marks = new Uint8Array(title.length);
  for (const word of words) {
    const at = lower.indexOf(word);
    if (at < 0) return null;
    if (exact) marks.fill(1, at, at + word.length);
  }
  const parts: Part[] = [];
  for (let i = 0; i < title.length; i += 1) {
    const hit = marks[i] === 1;
    const last = parts.at(-1);
    if (last && last.hit === hit) last.text += title[i];
    else parts.push({ text: title[i] ?? '', hit });
  }
  return parts;
}
