import { escapeHtml } from './escape.ts';

/**
 * Markdown within a line or a paragraph as HTML: code, emphasis, links to the web. Everything else of the text is escaped, so
 * nothing that was said becomes a tag, and no image is fetched. Takes time in proportion to the text.
 */
export function inlineHtml(text: string): string {
  return new Inline(text).run();
}

const SPECIAL = /[`*_~[!\\]|https?:\/\//g;
const TAGS: Record<string, string> = { '**': 'strong', __: 'strong', '*': 'em', _: 'em', '~~': 'del' };
/** Where a label or an address may end at the latest. */
const LINK_CHARS = 1_000;
const BARE = /https?:\/\/[^\s<>"'`)\]]{3,1000}/y;

class Inline {
  readonly #text: string;
  readonly #out: string[] = [];
  /** emphasis that may still be closed: its marker, and where it stands in the output */
  #open: { marker: string; at: number }[] = [];
  /** ends of runs of backticks by their length, the nearest last */
  readonly #runs = new Map<number, number[]>();

  constructor(text: string) {
    this.#text = text;
    const runs = [...text.matchAll(/`+/g)];
    for (const { 0: run, index } of runs.toReversed()) {
      const known = this.#runs.get(run.length);
      if (known) known.push(index);
      else this.#runs.set(run.length, [index]);
    }
  }

  run(): string {
    const text = this.#text;
    let at = 0;
    while (at < text.length) {
      SPECIAL.lastIndex = at;
      const found = SPECIAL.exec(text);
      const next = found === null ? text.length : found.index;
      if (next > at) this.#out.push(escapeHtml(text.slice(at, next)));
      if (found === null) break;
      at = this.#special(next);
    }
    return this.#out.join('');
  }

  /** Writes what begins at a character that can mean something; returns where to go on. */
  #special(at: number): number {
    switch (this.#text[at]) {
      case '`':
        return this.#code(at);
      case '\\':
        return this.#escape(at);
      case '[':
        return this.#link(at, at);
      case '!':
        return this.#text[at + 1] === '[' ? this.#link(at, at + 1) : this.#literal(at, 1);
      case 'h':
        return this.#bare(at);
      default:
        return this.#emphasis(at);
    }
  }

  #literal(at: number, length: number): number {
    this.#out.push(escapeHtml(this.#text.slice(at, at + length)));
    return at + length;
  }

  #escape(at: number): number {
    const next = this.#text[at + 1];
    return next !== undefined && /[!-/:-@[-`{-~]/.test(next) ? this.#literal(at + 1, 1) : this.#literal(at, 1);
  }

  #code(at: number): number {
    let end = at;
    while (this.#text[end] === '`') end++;
    const length = end - at;
    const starts = this.#runs.get(length) ?? [];
    while (starts.length > 0 && starts.at(-1)! <= at) starts.pop();
    const close = starts.at(-1);
    if (close === undefined) return this.#literal(at, length);
    const code = this.#text.slice(end, close).replace(/\n/g, ' ');
    const bare = /^ .*\S.* $/.test(code) ? code.slice(1, -1) : code;
    this.#out.push(`<code>${escapeHtml(bare)}</code>`);
    return close + length;
  }

  #emphasis(at: number): number {
    const first = this.#text[at]!;
    const double = this.#text[at + 1] === first;
    if (first === '~' && !double) return this.#literal(at, 1);
    const marker = double ? first + first : first;
    const before = this.#text[at - 1] ?? ' ';
    const after = this.#text[at + marker.length] ?? ' ';
    const isWord = first === '_';
    const closes = !/\s/.test(before) && !(isWord && /\w/.test(after));
    const opens = !/\s/.test(after) && !(isWord && /\w/.test(before));
    const known = this.#open.findIndex((one) => one.marker === marker);
    if (closes && known >= 0) {
      this.#out[this.#open[known]!.at] = `<${TAGS[marker]}>`;
      this.#out.push(`</${TAGS[marker]}>`);
      this.#open = this.#open.slice(0, known);
      return at + marker.length;
    }
    if (opens && known < 0) this.#open.push({ marker, at: this.#out.length });
    return this.#literal(at, marker.length);
  }

  /** `[label](address)`, with `!` before it an image, of which the address alone is shown. */
  #link(at: number, bracket: number): number {
    const label = this.#upTo(']', bracket + 1);
    if (label === null || this.#text[label + 1] !== '(') return this.#literal(at, 1);
    const end = this.#upTo(')', label + 2);
    if (end === null) return this.#literal(at, 1);
    const said = this.#text.slice(bracket + 1, label);
    const address = this.#text.slice(label + 2, end).trim();
    if (bracket !== at)
      this.#out.push(`<span class="away">${escapeHtml(`Image, not fetched: ${said} ${address}`)}</span>`);
    else if (isWeb(address)) this.#out.push(anchor(address, said === '' ? escapeHtml(address) : labelHtml(said)));
    else this.#out.push(`${labelHtml(said)} (${escapeHtml(address)})`);
    return end + 1;
  }

  #upTo(character: string, from: number): number | null {
    const limit = Math.min(this.#text.length, from + LINK_CHARS);
    for (let at = from; at < limit; at++) {
      const here = this.#text[at];
      if (here === character) return at;
      if (here === '\n' || (here === '[' && character === ']')) return null;
    }
    return null;
  }

  #bare(at: number): number {
    BARE.lastIndex = at;
    const found = /\w/.test(this.#text[at - 1] ?? ' ') ? null : BARE.exec(this.#text);
    if (found === null) return this.#literal(at, 1);
    const address = found[0].replace(/[.,;:!?*_]+$/, '');
    this.#out.push(anchor(address, escapeHtml(address)));
    return at + address.length;
  }
}

/** A label has no link in it; its code is worth showing. */
function labelHtml(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) => (/^`.+`$/.test(part) ? `<code>${escapeHtml(part.slice(1, -1))}</code>` : escapeHtml(part)))
    .join('');
}

function isWeb(address: string): boolean {
  return /^(?:https?:\/\/|mailto:)[^\s"'<>]+$/i.test(address);
}

function anchor(address: string, label: string): string {
  return `<a href="${escapeHtml(address)}" rel="noopener noreferrer nofollow" target="_blank">${label}</a>`;
}
