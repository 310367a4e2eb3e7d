import { safeText } from '../safe-text.ts';

/**
 * What somebody wrote in a session, as a part of a Markdown page that no reader's program may obey: no HTML, no image that is
 * fetched, no fence or heading that swallows what stands behind it. Code stays letter for letter where it is certain that
 * every renderer takes it for code: in a fence at the margin, in a span that is closed on its line.
 */

const FENCE = /^(`{3,}|~{3,})(.*)$/;
/** A fence in a list or a quote, or moved in: whoever renders it may end it elsewhere. */
const DOUBTFUL_FENCE = /^[\s>*+\-.)\d]+(?:`{3,}|~{3,})/;

/**
 * Within a fence, one that is moved in by a tab: behind the sign of a quote a tab can be two columns wide, and then this ends
 * the code that it would not end at the margin. Moved in by spaces it ends none.
 */
const TABBED_FENCE = /^ *\t[ \t]*(?:`{3,}|~{3,})[ \t]*$/;

/** Runs of backticks in a line that are looked at: nobody means more, and pairing them takes the square of their number. */
const MOST_RUNS = 200;
/** Where a link may lead: the web, mail, or a place beside the page. */
const DESTINATION = String.raw`\s*<?(?:https?://|mailto:|[\w./#-]+[)\s#?>])`;
const OTHER_LINK = new RegExp(String.raw`\](?=\((?!${DESTINATION})|:(?=\s)(?!${DESTINATION}))`, 'gi');

/** The text as a block quote, which ends what is open in it where the quote ends. */
export function quoted(text: string): string {
  return harmless(safeText(text).trimEnd())
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}

function harmless(text: string): string {
  const lines: string[] = [];
  let paragraph: string[] = [];
  let fence: RegExp | null = null;
  let sure = true;
  const flush = (): void => {
    lines.push(...withoutHtml(paragraph, sure));
    paragraph = [];
  };
  for (const line of text.split('\n')) {
    if (fence !== null) {
      lines.push(TABBED_FENCE.test(line) ? line.replaceAll('\t', '    ') : line);
      if (fence.test(line)) fence = null;
      continue;
    }
    const opened = sure ? FENCE.exec(line) : null;
    if (opened && !(opened[1]![0] === '`' && opened[2]!.includes('`'))) {
      flush();
      lines.push(line);
      fence = new RegExp(`^ {0,3}\\${opened[1]![0]!}{${opened[1]!.length},}[ \\t]*$`);
    } else if (line.trim() === '') {
      flush();
      lines.push('');
    } else {
      if (DOUBTFUL_FENCE.test(line)) {
        flush();
        sure = false;
      }
      paragraph.push(line);
    }
  }
  flush();
  return lines.join('\n');
}

/** Lines between two blank ones. Spans are left alone only when each line closes its own, so that none reaches over. */
function withoutHtml(paragraph: readonly string[], sure: boolean): string[] {
  const spans = sure ? paragraph.map(spansOf) : [];
  return paragraph.map((line, at) => {
    const own = spans.every((known) => known !== null) ? (spans[at] ?? []) : [];
    let out = '';
    let done = 0;
    for (const [start, end] of own) {
      out += escaped(line.slice(done, start)) + line.slice(start, end);
      done = end;
    }
    return out + escaped(line.slice(done));
  });
}

/** Code spans of a line as [start, end); null when it is not certain where they are. */
function spansOf(line: string): [number, number][] | null {
  if (!line.includes('`')) return [];
  if (/\\`|\|/.test(line)) return null;
  const runs = [...line.matchAll(/`+/g)];
  if (runs.length > MOST_RUNS) return null;
  const spans: [number, number][] = [];
  for (let at = 0; at < runs.length; at++) {
    const open = runs[at]!;
    const close = runs.findIndex((run, index) => index > at && run[0].length === open[0].length);
    if (close < 0 || endsInAddress(line.slice(spans.at(-1)?.[1] ?? 0, open.index))) return null;
    spans.push([open.index, runs[close]!.index + open[0].length]);
    at = close;
  }
  return spans;
}

/** By entities: before a backslash an address that a renderer makes a link of would not end. */
function escaped(text: string): string {
  return text
    .replace(/<(?=[a-z/!?])/gi, '&lt;')
    .replace(/!\[/g, '!&#91;')
    .replace(OTHER_LINK, '&#93;');
}

/** Text in one line that shows every letter of it, whatever is in it. */
export function codeSpan(text: string): string {
  const line = safeText(text).replace(/\s+/g, ' ').trim();
  if (line === '') return '';
  const ticks = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

/** Text as it is, in a fence longer than any in it. */
export function codeBlock(text: string, language = ''): string {
  const body = safeText(text).replace(/\n$/, '');
  const ticks = '`'.repeat(Math.max(3, longestRun(body) + 1));
  return `${ticks}${language}\n${body}\n${ticks}`;
}

/** What somebody wrote as one line of a list: letter for letter, but for what a page would obey. */
export function harmlessLine(text: string): string {
  return escaped(safeText(text).replace(/\s+/g, ' ').trim());
}

/** One line of words that stay words: nothing in it is Markdown. */
export function plainLine(text: string): string {
  const line = safeText(text).replace(/\s+/g, ' ').trim();
  if (!ADDRESS.test(line)) return line.replace(SPECIAL, '\\$&');
  return line.replace(SPECIAL, (character) => `&#${character.charCodeAt(0)};`);
}

const SPECIAL = /[\\`*[\]<>#|~!&$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
/** What renderers make a link of without being asked; it goes on over backslashes and backticks. */
const ADDRESS = /https?:\/\/|www\.|@|mailto:|xmpp:/i;

/** Whether what stands behind a text would become a part of an address in it. */
function endsInAddress(text: string): boolean {
  let from = text.length;
  while (from > 0 && !/\s/.test(text[from - 1]!)) from--;
  return ADDRESS.test(text.slice(from));
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
