import { AGENT_LABELS, type AgentId } from '../../shared/agents.ts';
import type { SessionRow } from '../../shared/session.ts';
import { safeLine } from '../safe-text.ts';
import { shorten, wellFormed } from '../text.ts';
import type { OutputSession } from './output.ts';

/** What outputs for people say about a session, in words that do not depend on where they are written. */

const TITLE_CHARS = 200;
const count = new Intl.NumberFormat('en-GB');

export function agentLabel(agent: string): string {
  return AGENT_LABELS[agent as AgentId] ?? agent;
}

export function titleOf({ title, first_prompt, id }: Pick<SessionRow, 'title' | 'first_prompt' | 'id'>): string {
  const text = safeLine(wellFormed(title ?? first_prompt ?? '')).trim();
  return text === '' ? id : shorten(text, TITLE_CHARS);
}

/** Seconds since the epoch as `2026-11-29 14:05 UTC`; empty when they are not known. */
export function timeText(seconds: number | null): string {
  const iso = isoTime(seconds);
  return iso === undefined ? '' : `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}

/** As `2026-11-29T14:05:09.120Z`; undefined when it is not known, or no time at all. */
export function isoTime(seconds: number | null): string | undefined {
  const date = new Date((seconds ?? Number.NaN) * 1000);
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 || date.getUTCFullYear() < 0
    ? undefined
    : date.toISOString();
}

export function number(value: number): string {
  return count.format(value);
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** Name and value of what is known, in the order in which people ask. */
export function factsOf({ row }: OutputSession): [name: string, value: string][] {
  const { counts, usage } = row;
  const tokens = usage.input + usage.cache_read + usage.cache_write + usage.output;
  const times = [timeText(row.started_at), timeText(row.last_activity)].filter(
    (text, at, all) => all.indexOf(text) === at,
  );
  const facts: [string, string | null][] = [
    ['Agent', [agentLabel(row.agent), row.agent_version].filter(Boolean).join(' ')],
    ['Model', row.model],
    ['Folder', row.cwd],
    ['Branch', row.git_branch],
    ['Time', times.filter(Boolean).join(' – ')],
    [
      'Length',
      [
        plural(counts.user, 'prompt'),
        plural(counts.assistant, 'reply', 'replies'),
        plural(counts.tool_call, 'tool call'),
        ...(tokens > 0 ? [`${number(tokens)} tokens`] : []),
      ].join(', '),
    ],
    ['Session', `${row.id} (${row.native_id})`],
  ];
  return facts.flatMap(([name, value]) => (value ? [[name, safeLine(wellFormed(value))] as [string, string]] : []));
}

/** What is not in the output, or only in part. */
export function remarksOf({ inactive, row }: OutputSession, all: boolean): string[] {
  const remarks: string[] = [];
  if (inactive > 0 && !all)
    remarks.push(
      `${plural(inactive, 'row')} of undone turns and dead branches ${inactive === 1 ? 'is' : 'are'} left out.`,
    );
  if (row.redactions > 0) remarks.push(`${plural(row.redactions, 'secret')} replaced by placeholders.`);
  if (row.warnings.length > 0) remarks.push(`Its source was damaged or odd in ${plural(row.warnings.length, 'way')}.`);
  return remarks;
}

/** How a call ended, in a few words. */
export function endOf(result: { is_error: boolean; closed: string; exit_code?: number | undefined } | null): string {
  if (result === null) return 'no result';
  if (result.closed === 'denied') return 'refused by the user';
  if (result.closed !== 'ran') return 'not finished';
  if (result.exit_code !== undefined) return `exit ${result.exit_code}`;
  return result.is_error ? 'failed' : 'done';
}

/** A duration of a call: `340 ms`, `12.4 s`, `3 min`. */
export function durationText(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms) || ms < 0) return '';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 90_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}
