import { type SessionEvent, TOOL_KINDS, type ToolKind } from '../../shared/events.ts';
import type { ToolCard } from '../../shared/transcript.ts';
import { PREVIEW_CHARS, previewContent, previewJson, previewText } from './preview.ts';
import { toolHeader } from './tool-header.ts';

/** The calls of a group in order, each with its result and the diffs derived from it; texts up to `max` characters. */
export function toolCards(events: readonly SessionEvent[], max: number = PREVIEW_CHARS): ToolCard[] {
  const cards: ToolCard[] = [];
  const byId = new Map<string, ToolCard>();
  const bySeq = new Map<string, ToolCard>();
  for (const event of events) {
    if (event.type === 'tool.call') {
      const card = callCard(event, max);
      cards.push(card);
      byId.set(card.call_id, card);
      bySeq.set(`seq:${event.seq}`, card);
    } else if (event.type === 'tool.result') {
      const known = byId.get(String(event.payload.call_id));
      const card = known?.result === null ? known : orphanCard(event);
      if (card !== known) cards.push(card);
      card.result = resultOf(event, max);
    } else if (event.type === 'file.edit') {
      const card = event.refs.map((ref) => bySeq.get(ref)).find((found) => found !== undefined);
      if (card && typeof event.payload.diff === 'string') addDiff(card, event.payload.diff, max);
    }
  }
  return cards;
}

function callCard({ seq, payload }: SessionEvent, max: number): ToolCard {
  const tool = TOOL_KINDS.find((kind): kind is ToolKind => kind === payload.tool) ?? 'other';
  return {
    seq,
    call_id: String(payload.call_id),
    name: String(payload.name ?? ''),
    tool,
    header: toolHeader(tool, payload.arguments),
    arguments: previewJson(payload.arguments, max),
    ...(typeof payload.child_session === 'string' ? { child_session: payload.child_session } : {}),
    result: null,
  };
}

/** A result whose call is not in this group: shown all the same. */
function orphanCard({ seq, payload }: SessionEvent): ToolCard {
  return {
    seq,
    call_id: String(payload.call_id),
    name: 'Result without its call',
    tool: 'other',
    header: '',
    arguments: null,
    result: null,
  };
}

const CLOSED = ['ran', 'interrupted', 'denied', 'missing'] as const;

function resultOf({ seq, payload }: SessionEvent, max: number): NonNullable<ToolCard['result']> {
  const { exit_code, duration_ms } = payload;
  const truncated = (payload.spilled ?? payload.truncated) as { bytes?: unknown; artifact?: unknown } | undefined;
  return {
    seq,
    is_error: payload.is_error === true,
    closed: CLOSED.find((known) => known === payload.closed) ?? 'ran',
    ...(typeof exit_code === 'number' ? { exit_code } : {}),
    ...(typeof duration_ms === 'number' ? { duration_ms } : {}),
    content: previewContent(payload.content, max),
    ...(typeof truncated?.bytes === 'number' && typeof truncated.artifact === 'string'
      ? { truncated: { bytes: truncated.bytes, artifact: truncated.artifact } }
      : {}),
  };
}

function addDiff(card: ToolCard, diff: string, max: number): void {
  let added = card.added ?? 0;
  let removed = card.removed ?? 0;
  for (const line of diff.split('\n')) {
    if (line.startsWith('+') && !line.startsWith('+++')) added++;
    else if (line.startsWith('-') && !line.startsWith('---')) removed++;
  }
  card.diff = previewText(card.diff === undefined ? diff : `${card.diff}\n${diff}`, max);
  card.added = added;
  card.removed = removed;
}
