import type { SessionEvent } from '../../src/shared/events.ts';
import type { SessionRow } from '../../src/shared/session.ts';
import type { TranscriptRow } from '../../src/shared/transcript.ts';
import type { Sandbox } from './sandbox.ts';

/** One session as the CLI shows it. */
export interface SessionView {
  row: SessionRow;
  rows: TranscriptRow[];
  events: SessionEvent[];
}

/** Reads a session through the CLI: its row, its transcript, its log. */
export async function viewOf(sandbox: Sandbox, row: SessionRow): Promise<SessionView> {
  const shown = await sandbox.cli<{ rows: TranscriptRow[] }>(['show', row.id]);
  const log = await sandbox.cli<{ events: SessionEvent[] }>(['show', row.id, '--events']);
  return { row, rows: shown.value?.rows ?? [], events: log.value?.events ?? [] };
}

/** Text of the active conversation, in order: what a reader of the session would read. */
export function activeText(view: SessionView): string {
  return view.rows
    .filter((row) => row.active)
    .map(textOfRow)
    .join('\n');
}

export function inactiveText(view: SessionView): string {
  return view.rows
    .filter((row) => !row.active)
    .map(textOfRow)
    .join('\n');
}

export function userTexts(view: SessionView): string[] {
  return view.rows.flatMap((row) => (row.active && row.kind === 'prompt' ? [blocksText(row.content)] : []));
}

export function assistantTexts(view: SessionView): string[] {
  return view.rows.flatMap((row) => (row.active && row.kind === 'text' ? [blocksText(row.content)] : []));
}

function textOfRow(row: TranscriptRow): string {
  switch (row.kind) {
    case 'prompt':
    case 'text':
    case 'system':
      return blocksText(row.content);
    case 'thinking':
      return row.text ?? '';
    case 'tools':
      return row.calls
        .map(
          (call) => `${call.name} ${jsonText(call.arguments)}\n${call.result ? blocksText(call.result.content) : ''}`,
        )
        .join('\n');
    case 'rule':
      return `${row.text}\n${row.content ? blocksText(row.content) : ''}`;
    case 'unknown':
      return row.record_type;
    case 'warning':
      return row.detail;
  }
}

function blocksText(blocks: readonly { kind: string; text?: unknown }[]): string {
  return blocks.map((block) => (typeof block.text === 'string' ? block.text : '')).join('\n');
}

/** All string leaves of a JSON value, one a line, so that texts are found unescaped. */
export function jsonText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, item]) => `${key}: ${jsonText(item)}`)
    .join('\n');
}
