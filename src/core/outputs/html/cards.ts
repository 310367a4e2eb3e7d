import type { ToolCard } from '../../../shared/transcript.ts';
import { argumentsOf, isShort } from '../calls.ts';
import { durationText, endOf, number } from '../facts.ts';
import type { Images } from '../output.ts';
import { contentHtml } from './content.ts';
import { escapeHtml } from './escape.ts';

/** How links to rows and sub-agents of this page are made: each session has a place of its own in it. */
export interface Place {
  /** begins the ids of a session's rows: empty for the session itself */
  prefix: string;
  /** place of each sub-agent that the page has, by its session */
  agents: ReadonlyMap<string, string>;
}

/** A call with what it gave, folded; what failed is open. */
export function cardHtml(card: ToolCard, images: Images, place: Place): string {
  const { result } = card;
  const bad = result !== null && (result.is_error || (result.exit_code ?? 0) !== 0);
  const header = card.header === '' ? '<span></span>' : `<code>${escapeHtml(card.header)}</code>`;
  const summary = `<summary><b>${escapeHtml(card.name)}</b>${header}<span class="end">${endHtml(card, bad)}</span></summary>`;
  const body = [
    ...agentLink(card, place),
    ...givenHtml(argumentsOf(card)),
    ...(card.diff === undefined ? [] : [part('Change', diffHtml(card.diff))]),
    ...(result === null ? [] : [outputHtml(result, images)]),
  ];
  const id = `${place.prefix}e${card.seq}`;
  return `<details class="tool${bad ? ' bad' : ''}" id="${id}"${bad ? ' open' : ''}>${summary}<div class="body">${body.join('')}</div></details>`;
}

/** Short arguments in a list, long ones each in a block. */
function givenHtml(args: readonly [name: string, text: string][]): string[] {
  const short = args.filter(([, text]) => isShort(text));
  const rows = short.map(([name, text]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(text)}</dd>`);
  const long = args.filter(([, text]) => !isShort(text));
  return [
    ...(rows.length === 0 ? [] : [`<dl>${rows.join('')}</dl>`]),
    ...long.map(([name, text]) => part(name, `<pre>${escapeHtml(text)}</pre>`)),
  ];
}

function endHtml({ result, added, removed }: ToolCard, bad: boolean): string {
  const change =
    added === undefined ? '' : `<span class="plus">+${added}</span> <span class="minus">−${removed ?? 0}</span> `;
  const sign = result === null || result.closed !== 'ran' ? '' : bad ? '✕ ' : '✓ ';
  const duration = durationText(result?.duration_ms);
  return `${change}<em>${sign}${escapeHtml(endOf(result))}</em>${duration === '' ? '' : ` ${duration}`}`;
}

function agentLink({ child_session: child }: ToolCard, { agents }: Place): string[] {
  if (child === undefined) return [];
  const place = agents.get(child);
  return [
    place === undefined
      ? `<p><span class="away">Sub-agent ${escapeHtml(child)}, not in this page</span></p>`
      : `<p><a href="#${place}">What the sub-agent did</a></p>`,
  ];
}

function part(name: string, html: string): string {
  return `<h3>${escapeHtml(name)}</h3>${html}`;
}

function outputHtml({ content, truncated }: NonNullable<ToolCard['result']>, images: Images): string {
  const shown = content.map((block) =>
    block.kind === 'text'
      ? block.text.trim() === ''
        ? ''
        : `<pre>${escapeHtml(block.text.replace(/\n$/, ''))}</pre>`
      : contentHtml([block], images),
  );
  if (truncated)
    shown.push(`<p><span class="away">Of ${number(truncated.bytes)} bytes of output the middle is left out</span></p>`);
  const html = shown.join('');
  return part('Output', html === '' ? '<span class="away">Nothing</span>' : html);
}

/** A unified diff, a line at a time: sign and colour say the same. */
function diffHtml(diff: string): string {
  const lines = diff.replace(/\n$/, '').split('\n');
  const html = lines.map((line) => `<span${kindOf(line)}>${escapeHtml(line)}</span>`);
  return `<pre class="diff">${html.join('')}</pre>`;
}

function kindOf(line: string): string {
  if (/^(?:@@|\+\+\+ |--- |diff |index )/.test(line)) return ' class="h"';
  if (line.startsWith('+')) return ' class="a"';
  return line.startsWith('-') ? ' class="d"' : '';
}
