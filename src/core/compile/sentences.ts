import { charFloor, wellFormed } from '../text.ts';

/** Cutting text where people would: at sentences, in English and Chinese. Deterministic, without any locale. */

/** Longer texts are looked at from both ends only. */
const LOOK = 20_000;

/** Not within a run of its own marks: of a line of dots each would be tried to its end. */
const END = /(?<![.!?])[.!?]+["')\]]*(?=\s)|[。！？；…]+[”’」』）]*/gu;

/** Sentences of a text, as they stand; a line break ends one too. Takes time in proportion to the text. */
export function sentences(text: string): string[] {
  const found: string[] = [];
  for (const line of text.split('\n')) {
    let from = 0;
    for (const end of line.matchAll(END)) {
      const to = end.index + end[0].length;
      found.push(line.slice(from, to).trim());
      from = to;
    }
    found.push(line.slice(from).trim());
  }
  return found.filter((sentence) => sentence !== '');
}

/** Ends of a text too long to be looked at whole: `most` characters, and a line break between them. */
export function ends(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = most / 2;
  return `${text.slice(0, charFloor(text, half))}\n${text.slice(charFloor(text, text.length - half))}`;
}

/** What a sentence is worth to somebody who goes on with the work. */
function worth(sentence: string): number {
  let value = 0;
  if (/\d/.test(sentence)) value += 1;
  if (/[\w-]\/[\w./-]|\w\.\w{1,4}\b|`[^`]+`/.test(sentence)) value += 1;
  if (
    /\b(error|fail(s|ed|ure)?|fixed|cause[ds]?|because|result|conclusion|instead|reverted?|decided?|next|remaining|done|must|never|not)\b/i.test(
      sentence,
    )
  )
    value += 2;
  if (/错误|失败|修复|原因|因为|结果|结论|改为|回退|撤销|决定|下一步|剩余|完成|必须|不要|不能/.test(sentence))
    value += 2;
  return value;
}

/**
 * The text itself if it fits, else its most telling sentences in their order, the first and the last ones before others,
 * with `[…]` wherever something is left out. Never longer than `max` UTF-16 units, never half a character.
 */
export function excerpt(text: string, max: number): string {
  const whole = wellFormed(text.trim());
  if (whole.length <= max) return whole;
  const parts = sentences(ends(whole, LOOK));
  const last = parts.length - 1;
  const order = [...parts.keys()].sort((a, b) => rank(b) - rank(a) || b - a);
  const taken = new Set<number>();
  let used = 0;
  for (const at of order) {
    const cost = parts[at]!.length + MARK.length + 2;
    if (used + cost > max) continue;
    taken.add(at);
    used += cost;
  }
  if (taken.size === 0) return cut(whole, max);
  return join(parts, taken);

  function rank(at: number): number {
    return worth(parts[at]!) + (at === 0 ? 3 : 0) + (at === last ? 6 : at === last - 1 ? 3 : 0);
  }
}

const MARK = '[…]';

function join(parts: readonly string[], taken: ReadonlySet<number>): string {
  let text = '';
  let gap = false;
  for (const [at, part] of parts.entries()) {
    if (!taken.has(at)) {
      gap = true;
      continue;
    }
    if (gap) text += text === '' ? `${MARK} ` : ` ${MARK} `;
    else if (text !== '') text += ' ';
    text += part;
    gap = false;
  }
  return gap ? `${text} ${MARK}` : text;
}

/** The beginning of a text with `[…]` behind, within `max` UTF-16 units. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return wellFormed(text);
  const room = Math.max(0, max - MARK.length - 1);
  return wellFormed(`${text.slice(0, charFloor(text, room))} ${MARK}`);
}
