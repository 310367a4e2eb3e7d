import { z } from 'zod';
import { fail, type Result } from '../shared/errors.ts';
import { parentKindSchema, type SessionRow } from '../shared/session.ts';
import { type Clean, cleanCut } from './outgoing.ts';
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

export function briefOf(row: SessionRow, clean: Clean): Brief {
  const { id, agent, native_id, counts, events, context_tokens, status, parent, parent_kind } = row;
  return {
    id,
    agent,
    native_id: lineOf(native_id, PATH, clean),
    title: lineOf(titleOf(row, clean), TITLE, clean),
    cwd: lineOf(row.cwd_last ?? row.cwd, PATH, clean),
    git_branch: lineOf(row.git_branch, TITLE, clean),
    model: lineOf(row.model, TITLE, clean),
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

/** A title that is the beginning of the first prompt is taken from the longest piece of that which a row has. */
function titleOf({ title, title_from, first_prompt }: SessionRow, clean: Clean): string | null {
  const text = title_from === 'prompt' ? first_prompt : (title ?? first_prompt);
  return text === null ? null : cleanCut(text, clean).replace(/\s+/g, ' ').trim();
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

/**
 * A session as it is now: what is new is read first. A later `part` of a page goes on with what was read for the first one, so
 * that they fit together.
 */
export async function findSession(call: Call, handle: string, part = 1): Promise<Result<SessionRow>> {
  const get = () => call.connection.engine.call('sessions.get', { id: handle }, call.signal);
  const known = part > 1 ? await get() : null;
  if (known?.ok) return known;
  const { error } = await call.reading.once();
  return error ? { ok: false, error } : get();
}

/**
 * As `findSession`, but only a whole id or path will do: the beginning of one names a candidate and no choice.
 * Errors: not_found; selection_required with `details.candidates`.
 */
export async function exactSession(call: Call, handle: string, part?: number): Promise<Result<SessionRow>> {
  const found = await findSession(call, handle, part);
  if (!found.ok) return found;
  const { id, native_id, source } = found.value;
  if ([id, native_id, source].includes(handle)) return found;
  return fail(
    'selection_required',
    `"${handle}" is no whole id. Call again with the id of the session that is meant.`,
    {
      handle,
      candidates: [briefOf(found.value, call.clean)],
    },
  );
}
