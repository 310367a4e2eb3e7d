import { safeText } from '../core/safe-text.ts';
import { shorten, wellFormed } from '../core/text.ts';
import { toolHeader } from '../core/view/tool-header.ts';
import type { TranscriptRow } from '../shared/transcript.ts';
import { type Clean, cleanCut } from './outgoing.ts';
import { lineOf } from './quote.ts';

/** Longest text of a message or an output, so that one fits a part; a model that needs all of it asks for the event. */
const LONGEST = 4_000;
const HEADER = 400;

/**
 * A row of a conversation as texts, a call of a tool in each, redacted before they are cut; none for rows that no model has
 * seen. Each is shorter than a part.
 */
export function rowTexts(row: TranscriptRow, clean: Clean): string[] {
  const mark = row.active ? '' : ' (not on the active branch)';
  const section = (seq: number, head: string, body: string): string => {
    const shown = safeText(wellFormed(clean.text(body).trimEnd()));
    return `[e${seq}] ${lineOf(head, HEADER, clean)}${mark}\n${shown === '' ? '' : `${shorten(shown, LONGEST)}\n`}\n`;
  };
  switch (row.kind) {
    case 'prompt':
      return [section(row.seq, 'user', blocks(row.content))];
    case 'text':
      return [section(row.seq, 'agent', blocks(row.content))];
    case 'tools':
      return row.calls.map((call) => section(call.seq, `tool ${call.name}: ${headerOf(call, clean)}`, resultOf(call)));
    case 'rule':
      return [section(row.seq, `${row.rule}: ${row.text}`, row.content ? blocks(row.content) : '')];
    case 'thinking':
    case 'system':
    case 'unknown':
    case 'warning':
      return [];
  }
}

type Call = Extract<TranscriptRow, { kind: 'tools' }>['calls'][number];

/** The header of a row is cut already, so it is made again of arguments that are clean. */
function headerOf({ tool, arguments: args }: Call, clean: Clean): string {
  return cleanCut(toolHeader(tool, clean.record(structuredClone(args))), clean);
}

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
