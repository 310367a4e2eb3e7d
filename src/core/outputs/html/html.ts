import { sha256Base64 } from '../../hash.ts';
import { shorten } from '../../text.ts';
import { factsOf, number, remarksOf, titleOf } from '../facts.ts';
import type { OutputSession, OutputSource } from '../output.ts';
import type { Place } from './cards.ts';
import { escapeHtml } from './escape.ts';
import { markHtml } from './mark.ts';
import { rowHtml } from './rows.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

/** Prompts that the list beside the page names; a person does not read longer lists. */
const MOST_LINKS = 2_000;
const LINK_CHARS = 120;

/**
 * One page that needs nothing else: readable without a program, searchable with its own, in light, dark and on paper. The
 * policy in its head allows its own style and program by their hashes, images from within, and nothing from anywhere.
 */
export async function* html({ sessions, all, version }: OutputSource): AsyncGenerator<string> {
  const [session] = sessions;
  if (session === undefined) return;
  const agents = new Map(sessions.slice(1).map(({ row }, at) => [row.id, `s${at + 1}`]));
  const links: string[] = [];
  let prompts = 0;
  yield `${head(session)}<div class="page">\n${pageHeader(session, all)}${BAR}<main>\n`;
  for (const [at, one] of sessions.entries()) {
    const place: Place = { prefix: at === 0 ? '' : `s${at}-`, agents };
    if (at > 0) {
      yield agentHeader(one, `s${at}`, all);
      links.push(link(`s${at}`, '', `Sub-agent: ${titleOf(one.row)}`, 'agent'));
    }
    for await (const { rows, images } of one.pages()) {
      let text = '';
      for (const row of rows) {
        text += rowHtml(row, images, place, one.row.agent);
        if (row.kind !== 'prompt' || at > 0 || ++prompts > MOST_LINKS) continue;
        const said = row.content.find((block) => block.kind === 'text')?.text.trim() ?? '';
        links.push(link(`e${row.seq}`, String(row.turn), shorten(said.slice(0, 4 * LINK_CHARS), LINK_CHARS)));
      }
      if (text !== '') yield text;
    }
  }
  yield `</main>\n${footer(version, session)}${outline(links, prompts)}</div>\n<script>${SCRIPT}</script>\n</body>\n</html>\n`;
}

function head(session: OutputSession): string {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${sha256Base64(STYLE)}'`,
    `script-src 'sha256-${sha256Base64(SCRIPT)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${escapeHtml(titleOf(session.row))}</title>
<style>${STYLE}</style>
</head>
<body>
`;
}

function pageHeader(session: OutputSession, all: boolean): string {
  return `<header>\n<h1>${markHtml(session.row.agent)}${escapeHtml(titleOf(session.row))}</h1>\n${facts(session)}${remarks(session, all)}</header>\n`;
}

function agentHeader(session: OutputSession, id: string, all: boolean): string {
  return `<section class="agent-head" id="${id}"><h2>${markHtml(session.row.agent)}Sub-agent: ${escapeHtml(titleOf(session.row))}</h2>\n${facts(session)}${remarks(session, all)}</section>\n`;
}

function facts(session: OutputSession): string {
  const rows = factsOf(session).map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`);
  return `<dl class="facts">${rows.join('')}</dl>\n`;
}

function remarks(session: OutputSession, all: boolean): string {
  const lines = remarksOf(session, all).map((text) => `<li>${escapeHtml(text)}</li>`);
  return lines.length === 0 ? '' : `<ul class="remarks">${lines.join('')}</ul>\n`;
}

/** Hidden until the program is there. */
const BAR = `<div class="bar" role="search" hidden><input id="q" type="search" placeholder="Search this session (/)" aria-label="Search this session" autocomplete="off" spellcheck="false"><output id="found" for="q"></output><button id="before" type="button" disabled>Previous</button><button id="after" type="button" disabled>Next</button><span class="gap"></span><a class="to" href="#prompts">Prompts</a><button id="fold" type="button">Open all</button></div>\n`;

function link(id: string, turn: string, text: string, kind = ''): string {
  const label = text.replace(/\s+/g, ' ');
  return `<li><a href="#${id}"${kind === '' ? '' : ` class="${kind}"`}><span>${turn}</span><b>${escapeHtml(label === '' ? '(no text)' : label)}</b></a></li>`;
}

function outline(links: readonly string[], prompts: number): string {
  if (links.length === 0) return '';
  const more = prompts > MOST_LINKS ? `<p>${number(prompts - MOST_LINKS)} more prompts</p>` : '';
  return `<nav id="prompts" aria-label="Prompts"><h2>${number(prompts)} ${prompts === 1 ? 'prompt' : 'prompts'}</h2><ol>${links.join('')}</ol>${more}</nav>\n`;
}

function footer(version: string, { row }: OutputSession): string {
  const last = Math.max(0, row.events - 1);
  return `<footer>Written by sessionctl ${escapeHtml(version)} from ${escapeHtml(row.id)}, events 0 to ${last}. Texts were looked through for secrets; images were not.</footer>\n`;
}
