import { z } from 'zod';
import { fail, type Result } from '../shared/errors.ts';
import { parentKindSchema, type SessionRow } from '../shared/session.ts';
import { lineOf } from './quote.ts';
import type { Call } from './tool.ts';

/** A session in an answer: what is needed to choose one. Titles are text of the session, shortened to one line. */
export const briefSchema = z.object({
  id: z.string(),
  agent: z.string(),
  /** the agent's own id */
  native_id: z.string(),
  title: z.string().nullable(),
  cwd: z.string().nullable(),
  git_branch: z.string().nullable(),
  model: z.string().nullable(),
  /** ISO times, UTC */
  started_at: z.string().nullable(),
  last_activity: z.string().nullable(),
  prompts: z.number().int(),
  replies: z.number().int(),
  tool_calls: z.number().int(),
  events: z.number().int(),
  /** what its next request would carry, as far as known */
  context_tokens: z.number().nullable(),
  status: z.string(),
  parent: z.string().nullable(),
  parent_kind: parentKindSchema.nullable(),
});
export type Brief = z.infer<typeof briefSchema>;

const TITLE = 120;
const PATH = 300;

export function briefOf(row: SessionRow): Brief {
  const { id, agent, native_id, counts, events, context_tokens, status, parent, parent_kind } = row;
  return {
    id,
    agent,
    native_id: lineOf(native_id, PATH),
    title: lineOf(row.title ?? row.first_prompt, TITLE),
    cwd: lineOf(row.cwd_last ?? row.cwd, PATH),
    git_branch: lineOf(row.git_branch, TITLE),
    model: lineOf(row.model, TITLE),
    started_at: isoOf(row.started_at),
    last_activity: isoOf(row.last_activity),
    prompts: counts.user,
    replies: counts.assistant,
    tool_calls: counts.tool_call,
    events,
    context_tokens,
    status,
    parent,
    parent_kind,
  };
}

/** Seconds since the epoch as an ISO time; null for what is not known or no date. */
export function isoOf(seconds: number | null): string | null {
  if (seconds === null) return null;
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** An ISO time as seconds since the epoch. */
export const secondsOf = (iso: string): number => Date.parse(iso) / 1000;

/** One line of a list. */
export function briefLine({ id, agent, title, cwd, last_activity, prompts, replies, tool_calls }: Brief): string {
  const size = `prompts ${prompts}, replies ${replies}, tool calls ${tool_calls}`;
  return `- ${id} | ${agent} | ${last_activity ?? 'time unknown'} | ${size} | ${cwd ?? 'folder unknown'} | ${JSON.stringify(title)}`;
}

/** A session that was not read yet is looked for in the sources before it is said to be unknown. */
export async function findSession(call: Call, handle: string): Promise<Result<SessionRow>> {
  const { engine, scanner } = call.connection;
  const known = await engine.call('sessions.get', { id: handle }, call.signal);
  if (known.ok || known.error.code !== 'not_found') return known;
  const { error } = await scanner.scan(call);
  return error ? { ok: false, error } : engine.call('sessions.get', { id: handle }, call.signal);
}

/**
 * As `findSession`, but only a whole id or path will do: the beginning of one names a candidate and no choice.
 * Errors: not_found; selection_required with `details.candidates`.
 */
export async function exactSession(call: Call, handle: string): Promise<Result<SessionRow>> {
  const found = await findSession(call, handle);
  if (!found.ok) return found;
  const { id, native_id, source } = found.value;
  if ([id, native_id, source].includes(handle)) return found;
  return fail(
    'selection_required',
    `"${handle}" is no whole id. Call again with the id of the session that is meant.`,
    {
      handle,
      candidates: [briefOf(found.value)],
    },
  );
}
