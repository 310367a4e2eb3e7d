import { shorten } from '../../src/core/text.ts';
import type { SessionFacts } from '../contract.ts';
import { isObject } from './record.ts';

const MAX = 200;

/** What a session file says about its title, the last of each kind. */
export interface TitleSources {
  custom?: string | undefined;
  ai?: string | undefined;
  last?: string | undefined;
  summary?: string | undefined;
  first?: string | undefined;
}

/**
 * The title as Claude Code lists it: the name given by the user, the one written by a model, the last prompt, the
 * summary of 1.0, the first prompt. `side` = custom-title.json, which tells names of sessions that go on after /clear.
 */
export function titleOf(sources: TitleSources, side: string | undefined): Pick<SessionFacts, 'title' | 'title_from'> {
  const custom = sources.custom ?? side;
  if (custom !== undefined) return { title: custom, title_from: 'user' };
  if (sources.ai !== undefined) return { title: sources.ai, title_from: 'agent' };
  if (sources.last !== undefined) return { title: sources.last, title_from: 'prompt' };
  if (sources.summary !== undefined) return { title: sources.summary, title_from: 'agent' };
  if (sources.first !== undefined) return { title: sources.first, title_from: 'prompt' };
  return {};
}

/** One line of at most 200 characters; undefined when nothing is left. */
export function oneLine(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = value
    .slice(0, 4 * MAX)
    .replace(/\s+/g, ' ')
    .trim();
  return line === '' ? undefined : shorten(line, MAX);
}

/** A summary line of 1.0 is sometimes the model's JSON answer, `{"title": "…"}`. */
export function summaryTitle(value: unknown): string | undefined {
  const line = oneLine(value);
  if (line === undefined || !line.startsWith('{')) return line;
  try {
    const parsed: unknown = JSON.parse(value as string);
    return isObject(parsed) ? (oneLine(parsed.title) ?? line) : line;
  } catch {
    return line;
  }
}

/** Whether a prompt can name a session: no markup of the harness, no mark of an interruption. */
export function namesSession(prompt: string): boolean {
  return !/^\s*(?:<[a-z][\w-]*[\s>]|\[Request interrupted)/.test(prompt);
}
