import { wellFormed } from '../../text.ts';
import { escapeHtml } from './escape.ts';
import { inlineHtml } from './inline.ts';

/**
 * What an agent says is Markdown: headings, lists, tables, quotes, code. Each line is looked at once a level; deeper than a few
 * levels, or longer than a page, text is shown as it stands.
 */
export function markdownHtml(text: string): string {
  return blocks(wellFormed(text).replace(/\r\n?/g, '\n').split('\n'), 0);
}

const DEEPEST = 8;
/** Longer paragraphs than people write are shown as they are. */
const MOST_CHARS = 20_000;

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
const RULE = /^ {0,3}(?:\*[ \t]*){3,}$|^ {0,3}(?:-[ \t]*){3,}$|^ {0,3}(?:_[ \t]*){3,}$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])(?:[ \t]+|$)/;
const DELIMITERS = /^ *\|?(?: *:?-+:? *\|)+ *:?-*:? *\|? *$/;

/** A block that begins at `at`: its HTML and the line behind it; null = another kind. */
type Block = (lines: readonly string[], at: number, depth: number) => { html: string; end: number } | null;

const KINDS: readonly Block[] = [fence, heading, rule, quote, list, table];

function blocks(lines: readonly string[], depth: number): string {
  if (depth > DEEPEST) return `<pre>${escapeHtml(lines.join('\n'))}</pre>`;
  const out: string[] = [];
  let paragraph: string[] = [];
  const flush = (): void => {
    if (paragraph.length > 0) out.push(paragraphHtml(paragraph));
    paragraph = [];
  };
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!;
    if (line.trim() === '') {
      flush();
      at++;
      continue;
    }
    const block = MAY_BEGIN.test(line) || line.includes('|') ? first(lines, at, depth) : null;
    if (block === null) {
      paragraph.push(line);
      at++;
      continue;
    }
    flush();
    out.push(block.html);
    at = block.end;
  }
  flush();
  return out.join('\n');
}

const MAY_BEGIN = /^ *(?:[`~#*_>+-]|\d)/;

function first(lines: readonly string[], at: number, depth: number): ReturnType<Block> {
  for (const kind of KINDS) {
    const block = kind(lines, at, depth);
    if (block !== null) return block;
  }
  return null;
}

function paragraphHtml(lines: readonly string[]): string {
  const text = lines.map((line) => line.trimStart()).join('\n');
  return `<p>${text.length > MOST_CHARS ? escapeHtml(text) : inlineHtml(text)}</p>`;
}

function fence(lines: readonly string[], at: number): ReturnType<Block> {
  const opened = FENCE.exec(lines[at]!);
  if (opened === null) return null;
  const [, ticks, language] = opened;
  const indent = lines[at]!.search(/\S/);
  const closing = new RegExp(`^ {0,3}\\${ticks![0]!}{${ticks!.length},}[ \\t]*$`);
  let end = at + 1;
  while (end < lines.length && !closing.test(lines[end]!)) end++;
  const body = lines.slice(at + 1, end).map((line) => line.replace(new RegExp(`^ {0,${indent}}`), ''));
  const name = language === '' ? '' : `<span class="lang">${escapeHtml(language!)}</span>`;
  return { html: `<div class="code">${name}<pre>${escapeHtml(body.join('\n'))}</pre></div>`, end: end + 1 };
}

/** Headings of a message stand below those of the page. */
function heading(lines: readonly string[], at: number): ReturnType<Block> {
  const found = HEADING.exec(lines[at]!);
  if (found === null) return null;
  const level = Math.min(6, found[1]!.length + 2);
  const text = found[2]!.replace(/[ \t]+#+[ \t]*$/, '');
  return { html: `<h${level}>${inlineHtml(text)}</h${level}>`, end: at + 1 };
}

function rule(lines: readonly string[], at: number): ReturnType<Block> {
  return RULE.test(lines[at]!) ? { html: '<hr>', end: at + 1 } : null;
}

function quote(lines: readonly string[], at: number, depth: number): ReturnType<Block> {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end]!)) end++;
  if (end === at) return null;
  const inner = lines.slice(at, end).map((line) => line.replace(QUOTE, ''));
  return { html: `<blockquote>${blocks(inner, depth + 1)}</blockquote>`, end };
}

function list(lines: readonly string[], at: number, depth: number): ReturnType<Block> {
  const opened = ITEM.exec(lines[at]!);
  if (opened === null) return null;
  const ordered = /\d/.test(opened[2]!);
  const items: string[] = [];
  let end = at;
  while (end < lines.length) {
    const item = ITEM.exec(lines[end]!);
    if (item === null || item[1]!.length !== opened[1]!.length || /\d/.test(item[2]!) !== ordered) break;
    const next = endOfItem(lines, end, item[0].length);
    items.push(itemHtml(lines.slice(end, next), item[0].length, depth));
    end = next;
  }
  const start = ordered && Number.parseInt(opened[2]!, 10) !== 1 ? ` start="${Number.parseInt(opened[2]!, 10)}"` : '';
  const tag = ordered ? 'ol' : 'ul';
  return { html: `<${tag}${start}>${items.join('')}</${tag}>`, end };
}

/** An item goes on while lines are moved in, or go on with its text. */
function endOfItem(lines: readonly string[], at: number, width: number): number {
  const inside = Math.min(width, lines[at]!.search(/\S/) + 2);
  let end = at + 1;
  for (let look = end; look < lines.length; look++) {
    const line = lines[look]!;
    if (line.trim() === '') continue;
    const indent = line.search(/\S/);
    const goesOn = indent >= inside || (look === end && !ITEM.test(line) && !MAY_BEGIN.test(line));
    if (!goesOn) break;
    end = look + 1;
  }
  return end;
}

function itemHtml(lines: readonly string[], width: number, depth: number): string {
  const inner = [
    lines[0]!.slice(width),
    ...lines.slice(1).map((line) => line.replace(new RegExp(`^ {0,${width}}`), '')),
  ];
  const task = /^\[([ xX])\][ \t]/.exec(inner[0]!);
  if (task) inner[0] = `${task[1] === ' ' ? '☐' : '☑'} ${inner[0]!.slice(task[0].length)}`;
  if (inner.length === 1) return `<li>${inlineHtml(inner[0]!)}</li>`;
  return `<li>${blocks(inner, depth + 1)}</li>`;
}

function table(lines: readonly string[], at: number): ReturnType<Block> {
  const delimiters = lines[at + 1];
  if (!lines[at]!.includes('|') || delimiters === undefined || !delimiters.includes('-')) return null;
  if (delimiters.length > 2_000 || !DELIMITERS.test(delimiters)) return null;
  let end = at + 2;
  while (end < lines.length && lines[end]!.includes('|')) end++;
  const rowHtml = (line: string, tag: string): string =>
    `<tr>${cells(line)
      .map((cell) => `<${tag}>${inlineHtml(cell)}</${tag}>`)
      .join('')}</tr>`;
  const body = lines.slice(at + 2, end).map((line) => rowHtml(line, 'td'));
  return {
    html: `<div class="table"><table><thead>${rowHtml(lines[at]!, 'th')}</thead><tbody>${body.join('')}</tbody></table></div>`,
    end,
  };
}

function cells(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}
