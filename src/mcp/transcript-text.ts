import { shorten } from '../core/text.ts';
import type { TranscriptRow } from '../shared/transcript.ts';
import type { Clean } from './outgoing.ts';

/** Longest text of one row; a model that needs all of it asks for the event. */
const LONGEST = 4_000;

/** A row of a conversation as text, redacted before it is cut; '' for rows that no model has seen. */
export function rowText(row: TranscriptRow, clean: Clean): string {
  const section = (head: string, body: string): string =>
    `${head}\n${body === '' ? '' : `${shorten(clean.text(body).trimEnd(), LONGEST)}\n`}\n`;
  const mark = row.active ? '' : ' (not on the active branch)';
  switch (row.kind) {
    case 'prompt':
      return section(`[e${row.seq}] user${mark}`, blocks(row.content));
    case 'text':
      return section(`[e${row.seq}] agent${mark}`, blocks(row.content));
    case 'tools':
      return row.calls
        .map((call) => section(`[e${call.seq}] tool ${call.name}: ${call.header}${mark}`, resultOf(call)))
        .join('');
    case 'rule':
      return section(`[e${row.seq}] ${row.rule}: ${row.text}${mark}`, row.content ? blocks(row.content) : '');
    case 'thinking':
    case 'system':
    case 'unknown':
    case 'warning':
      return '';
  }
}

type Call = Extract<TranscriptRow, { kind: 'tools' }>['calls'][number];

function resultOf({ result }: Call): string {
  if (result === null) return '(no result)';
  const exit = result.exit_code === undefined ? '' : `exit ${result.exit_code}\n`;
  const closed = result.closed === 'ran' ? '' : `(${result.closed})\n`;
  return `${result.is_error ? 'failed\n' : ''}${closed}${exit}${blocks(result.content)}`;
}

function blocks(content: Extract<TranscriptRow, { kind: 'text' }>['content']): string {
  return content
    .map((block) => {
      if (block.kind === 'text') return block.text;
      return block.kind === 'opaque' ? '[opaque]' : `[${block.kind} ${block.media_type}, ${block.bytes} bytes]`;
    })
    .join('\n');
}
