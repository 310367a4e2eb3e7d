import { AGENT_LABELS, type AgentId } from '../../shared/agents.ts';
import type { SessionEvent } from '../../shared/events.ts';
import type { TranscriptRow } from '../../shared/transcript.ts';
import { activePath } from './branch.ts';
import { isCopy } from './copies.ts';
import type { SessionIndex } from './flags.ts';
import type { Special } from './model.ts';
import { PREVIEW_CHARS, previewContent, previewText } from './preview.ts';
import { toolCards } from './tool-cards.ts';
import { ROW, type RowPlan } from './transcript.ts';

/** Which events are active, and which the agent itself still sees. Made once for a head of the log. */
export interface Sight {
  active: Uint8Array;
  /** seq of the last active compaction, -1 = none */
  compaction: number;
  kept: ReadonlySet<number>;
}

export function sightOf(index: SessionIndex, special: Special): Sight {
  const active = activePath(index, special.leaf);
  const last = special.compactions.findLast(({ seq }) => seq < index.n && active[seq] === 1);
  return { active, compaction: last?.seq ?? -1, kept: new Set(last?.kept) };
}

/**
 * Fills the rows `from` … of a plan. `events` are those that `pageSeqs` named, in any order; a row whose first event is
 * not among them is left out. Texts are cut at `max` characters.
 */
export function buildRows(
  plan: RowPlan,
  sight: Sight,
  events: readonly SessionEvent[],
  from: number,
  limit: number,
  max: number = PREVIEW_CHARS,
): TranscriptRow[] {
  const members = new Map<number, SessionEvent[]>();
  for (const event of events.toSorted((a, b) => a.seq - b.seq)) {
    const row = plan.rowOf[event.seq]!;
    if (row < from || row >= from + limit) continue;
    const list = members.get(row);
    if (list) list.push(event);
    else members.set(row, [event]);
  }
  const rows: TranscriptRow[] = [];
  for (const [row, list] of [...members].toSorted(([a], [b]) => a - b)) {
    const base = {
      ordinal: row,
      seq: plan.first[row]!,
      ts: list[0]!.ts,
      active: list.some((event) => sight.active[event.seq] === 1),
      in_model: list.some((event) => event.seq >= sight.compaction || sight.kept.has(event.seq)),
      ...(list.every(isCopy) ? { copied: true as const } : {}),
    };
    rows.push(buildRow(plan, row, base, list, max));
  }
  return rows;
}

type Base = Pick<TranscriptRow, 'ordinal' | 'seq' | 'ts' | 'active' | 'in_model' | 'copied'>;

function buildRow(plan: RowPlan, row: number, base: Base, events: SessionEvent[], max: number): TranscriptRow {
  const event = events[0]!;
  const { payload } = event;
  switch (plan.kind[row]) {
    case ROW.prompt:
      return {
        ...base,
        kind: 'prompt',
        turn: plan.turn[row]!,
        via: viaOf(payload.via),
        content: previewContent(payload.content, max),
      };
    case ROW.text:
      return {
        ...base,
        kind: 'text',
        ...(typeof payload.model === 'string' ? { model: payload.model } : {}),
        synthetic: payload.synthetic === true,
        content: previewContent(payload.content, max),
      };
    case ROW.thinking:
      return {
        ...base,
        kind: 'thinking',
        form: String(payload.form ?? 'plain'),
        text: thinkingText(payload.text, max),
      };
    case ROW.tools: {
      const calls = toolCards(events, max);
      return { ...base, kind: 'tools', calls, errors: calls.filter((card) => card.result?.is_error).length };
    }
    case ROW.unknown:
      return {
        ...base,
        kind: 'unknown',
        record_type: [...new Set(events.map(recordType))].join(', '),
        count: events.length,
      };
    case ROW.warning:
      return { ...base, kind: 'warning', ...warningOf(payload.value) };
    case ROW.rule:
      return { ...base, ...ruleOf(event, max) };
    default:
      return { ...base, kind: 'system', ...systemOf(event, max) };
  }
}

const VIAS = ['prompt', 'queued', 'steer', 'command'] as const;

function viaOf(via: unknown): (typeof VIAS)[number] {
  return VIAS.find((known) => known === via) ?? 'prompt';
}

function thinkingText(text: unknown, max: number): string | null {
  return typeof text === 'string' && text.trim() !== '' ? previewText(text, max) : null;
}

function recordType({ type, payload }: SessionEvent): string {
  if (type !== 'meta') return type;
  const value = payload.value as { type?: unknown } | null;
  return typeof value?.type === 'string' ? value.type : 'unknown';
}

function warningOf(value: unknown): { about: string; detail: string; line?: number } {
  const { about, detail, line } = (value ?? {}) as Record<string, unknown>;
  return {
    about: typeof about === 'string' ? about : 'warning',
    detail: typeof detail === 'string' ? detail : '',
    ...(Number.isInteger(line) ? { line: line as number } : {}),
  };
}

function systemOf(
  { type, payload }: SessionEvent,
  max: number,
): { about: string; content: ReturnType<typeof previewContent> } {
  if (type === 'decision') {
    const text = String(payload.conclusion ?? '');
    return { about: 'decision', content: previewContent([{ kind: 'text', text }], max) };
  }
  if (type === 'memory.write') {
    const value = typeof payload.value === 'string' ? payload.value : JSON.stringify(payload.value ?? null);
    const text = `${String(payload.key ?? '')}: ${value}`;
    return { about: 'memory', content: previewContent([{ kind: 'text', text }], max) };
  }
  return { about: String(payload.about ?? 'notice'), content: previewContent(payload.content, max) };
}

type Rule = Omit<Extract<TranscriptRow, { kind: 'rule' }>, keyof Base>;

function ruleOf({ type, payload }: SessionEvent, max: number): Rule {
  const { tokens_before, tokens_after } = payload;
  switch (type) {
    case 'context.compacted':
      return {
        kind: 'rule',
        rule: 'compaction',
        text: payload.trigger === 'manual' ? 'Compacted by the user' : 'Compacted automatically',
        content: previewContent(payload.summary, max),
        ...(typeof tokens_before === 'number' ? { tokens_before } : {}),
        ...(typeof tokens_after === 'number' ? { tokens_after } : {}),
      };
    case 'handoff': {
      const to = String(payload.to_agent ?? '');
      const text = `Continued in ${AGENT_LABELS[to as AgentId] ?? to}${payload.state === 'undone' ? ', then undone' : ''}`;
      return { kind: 'rule', rule: 'handoff', text, ...other(payload.to_session) };
    }
    case 'session.fork':
      return {
        kind: 'rule',
        rule: 'fork',
        text: because('Forked from an earlier session', payload.reason === 'fork' ? '' : payload.reason),
        ...other(payload.from_session),
      };
    case 'session.merge':
      return {
        kind: 'rule',
        rule: 'merge',
        text: 'Result of another session',
        content: previewContent(payload.summary, max),
        ...other(payload.from_session),
      };
    default:
      return { kind: 'rule', rule: 'end', text: because('Session ended', payload.end_reason) };
  }
}

function because(text: string, reason: unknown): string {
  return typeof reason === 'string' && reason !== '' ? `${text}: ${previewText(reason, 200)}` : text;
}

function other(session: unknown): { session?: string } {
  return typeof session === 'string' ? { session } : {};
}
