import type { TranscriptRow } from '../../../shared/transcript.ts';
import { agentLabel, number, timeText } from '../facts.ts';
import type { Images } from '../output.ts';
import { cardHtml, type Place } from './cards.ts';
import { contentHtml, promptHtml } from './content.ts';
import { escapeHtml } from './escape.ts';

/** One row of the conversation; `agent` is whose session it is. */
export function rowHtml(row: TranscriptRow, images: Images, place: Place, agent: string): string {
  switch (row.kind) {
    case 'prompt':
      return section(
        row,
        place,
        'prompt',
        who(row, `Prompt ${row.turn}`, viaOf(row.via)) + promptHtml(row.content, images),
      );
    case 'text': {
      const label = row.synthetic ? `${agentLabel(agent)} itself` : agentLabel(agent);
      return section(
        row,
        place,
        'reply',
        `${who(row, label)}<div class="said">${contentHtml(row.content, images)}</div>`,
      );
    }
    case 'thinking':
      return section(row, place, 'think', thinking(row));
    case 'tools': {
      const cards = row.calls.map((card) => cardHtml(card, images, place));
      return section(row, place, 'calls', `<div class="tools">${cards.join('')}</div>`, true);
    }
    case 'rule':
      return section(row, place, 'rule', rule(row, images, place));
    case 'system':
      return section(
        row,
        place,
        'system',
        note(`Beside the conversation: ${row.about}`, contentHtml(row.content, images)),
      );
    case 'unknown': {
      const many = row.count === 1 ? 'One record' : `${number(row.count)} records`;
      return section(
        row,
        place,
        'unknown',
        `<span class="away">${many} of a kind that is not known: ${escapeHtml(row.record_type)}</span>`,
      );
    }
    case 'warning':
      return section(
        row,
        place,
        'odd',
        `<div class="warn">Damaged here (${escapeHtml(row.about)}): ${escapeHtml(row.detail)}</div>`,
      );
  }
}

/** `calls` have the ids of their events themselves, so their row has another one. */
function section(row: TranscriptRow, { prefix }: Place, kind: string, html: string, calls = false): string {
  const id = calls ? `${prefix}r${row.ordinal}` : `${prefix}e${row.seq}`;
  const off = row.active ? '' : '<p><span class="away">Not active: undone, or on a dead branch</span></p>';
  const copied = row.copied
    ? '<p><span class="away">Copied from the session that this one was forked off</span></p>'
    : '';
  return `<section class="row ${kind}${row.active ? '' : ' off'}" id="${id}"><a href="#${id}">e${row.seq}</a><div>${off}${copied}${html}</div></section>\n`;
}

function who({ ts }: TranscriptRow, name: string, more = ''): string {
  const time = timeText(ts);
  const said = `${time === '' ? '' : `<time>${time}</time>`}${more === '' ? '' : `<i>${escapeHtml(more)}</i>`}`;
  return `<h2 class="who">${escapeHtml(name)}${said}</h2>`;
}

const VIAS: Record<string, string> = {
  queued: 'queued while the agent worked',
  steer: 'said while the agent worked',
  command: 'command',
};

function viaOf(via: string): string {
  return VIAS[via] ?? '';
}

function thinking({ text }: Extract<TranscriptRow, { kind: 'thinking' }>): string {
  if (text === null) return '<span class="away">Reasoning that cannot be read</span>';
  return `<details class="think"><summary>Reasoning, ${number(text.length)} characters</summary><div>${escapeHtml(text)}</div></details>`;
}

function note(summary: string, html: string): string {
  return `<details class="note"><summary>${escapeHtml(summary)}</summary><div class="said">${html}</div></details>`;
}

function rule(row: Extract<TranscriptRow, { kind: 'rule' }>, images: Images, { agents }: Place): string {
  const { tokens_before: before, tokens_after: after } = row;
  const sizes =
    before === undefined
      ? ''
      : ` · ${number(before)} tokens before${after === undefined ? '' : `, ${number(after)} after`}`;
  const place = row.session === undefined ? undefined : agents.get(row.session);
  const other =
    row.session === undefined
      ? ''
      : ` · ${place === undefined ? escapeHtml(row.session) : `<a href="#${place}">${escapeHtml(row.session)}</a>`}`;
  const content =
    row.content && row.content.length > 0 ? `<div class="said">${contentHtml(row.content, images)}</div>` : '';
  return `<div class="line"><span>${escapeHtml(row.text)}${sizes}${other}</span></div>${content}`;
}
