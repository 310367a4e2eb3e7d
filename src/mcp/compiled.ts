import { createHash } from 'node:crypto';
import { z } from 'zod';
import { safeText } from '../core/safe-text.ts';
import { wellFormed } from '../core/text.ts';
import type { CompiledContext } from '../shared/compiled.ts';
import { fail, ok, type Result } from '../shared/errors.ts';
import { partsOf } from './bounds.ts';
import { fenced } from './quote.ts';
import type { Call } from './tool.ts';

/** How a part of a long page is asked for. */
export const partInput = {
  part: z.number().int().positive().optional().describe('Which part of a long page, from 1.'),
  sha256: z.string().optional().describe('`sha256` of the page whose next part is wanted, so that parts fit together.'),
};

export const budgetInput = z.number().int().positive().max(1_000_000).optional();

/** A part of a compiled page, and what the page is. */
export const pageSchema = z.object({
  text: z.string(),
  part: z.number().int(),
  parts: z.number().int(),
  /** of the whole page, in the target's tokens */
  tokens: z.number().int(),
  budget: z.number().int(),
  sha256: z.string(),
  kept: z.object({ p0: z.number().int(), p1: z.number().int(), p2: z.number().int() }),
  /** what is known and not on the page, by kind and reason */
  dropped: z.array(
    z.object({ kind: z.string(), reason: z.string(), count: z.number().int(), tokens: z.number().int() }),
  ),
  /** what a text cannot carry */
  cannot_see: z.array(z.string()),
});
export type Page = z.infer<typeof pageSchema>;

export interface Wanted {
  session: string;
  target: string;
  /** absent: `room`, less where the target's window leaves less, or what must not be cut where that is more */
  budget?: number | undefined;
  max_chars?: number | undefined;
  part?: number | undefined;
  sha256?: string | undefined;
}

/**
 * One part of the compiled page of a session. Compiling is deterministic, so the parts of several calls are those of one
 * page, unless the session has grown meanwhile: then `sha256` tells.
 */
export async function compiledPage(call: Call, wanted: Wanted, room: number): Promise<Result<Page>> {
  const compiled = await compiledWhole(call, wanted, room);
  if (!compiled.ok) return compiled;
  const page = compiled.value;
  if (wanted.sha256 !== undefined && wanted.sha256 !== page.sha256)
    return fail('invalid_request', 'The session has changed since that page was made. Begin again with part 1.', {
      path: 'sha256',
    });
  const shown = safeText(wellFormed(call.clean.text(page.text)));
  const parts = partsOf(shown);
  const part = wanted.part ?? 1;
  const text = parts[part - 1];
  if (text === undefined)
    return fail('invalid_request', `The page has ${parts.length} parts; there is no part ${part}.`, { path: 'part' });
  return ok({
    text: parts.length === 1 ? text : partText(page, text, part, parts.length),
    part,
    parts: parts.length,
    tokens: page.tokens,
    budget: page.budget,
    sha256: page.sha256,
    kept: keptOf(page),
    dropped: droppedOf(page),
    cannot_see: page.cannot_see,
  });
}

/** The page of a session in which nobody has said anything yet. */
export function emptyPage(budget: number): Page {
  const text = 'Nothing has been said in this session yet.';
  const sha256 = createHash('sha256').update(text).digest('hex');
  const kept = { p0: 0, p1: 0, p2: 0 };
  return { text, part: 1, parts: 1, tokens: 0, budget, sha256, kept, dropped: [], cannot_see: [] };
}

async function compiledWhole(call: Call, wanted: Wanted, room: number): Promise<Result<CompiledContext>> {
  const { session, target, budget, max_chars } = wanted;
  const run = (tokens: { budget: number } | { at_most: number }): Promise<Result<CompiledContext>> =>
    call.connection.engine.call(
      'compile.run',
      { session, for: target, ...tokens, ...(max_chars === undefined ? {} : { max_chars }) },
      call.signal,
    );
  const first = await run(budget === undefined ? { at_most: room } : { budget });
  if (first.ok || budget !== undefined || first.error.code !== 'p0_over_budget') return first;
  const { needed } = first.error.details ?? {};
  const second = typeof needed === 'number' ? await run({ budget: needed }) : first;
  // a window that has no room for it refuses the figure, which nobody gave
  return second.ok || second.error.code !== 'invalid_request' ? second : first;
}

/** A page that is cut loses its frame: the part says what it is, and how the next one is asked for. */
function partText({ sha256 }: CompiledContext, text: string, part: number, parts: number): string {
  const next =
    part < parts
      ? `Call again with part ${part + 1} and sha256 "${sha256}" for the next one.`
      : 'This is the last one.';
  return `Part ${part} of ${parts} of a page compiled from a session; its own marks, set in part 1, go on here. ${next}\n${fenced(sha256, text)}`;
}

function keptOf({ items }: CompiledContext): Page['kept'] {
  const kept = { p0: 0, p1: 0, p2: 0 };
  for (const { priority } of items) kept[priority]++;
  return kept;
}

function droppedOf({ dropped }: CompiledContext): Page['dropped'] {
  const groups = new Map<string, Page['dropped'][number]>();
  for (const { kind, reason, tokens } of dropped) {
    const key = `${kind}\n${reason}`;
    const group = groups.get(key) ?? { kind, reason, count: 0, tokens: 0 };
    group.count++;
    group.tokens += tokens;
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => b.tokens - a.tokens).slice(0, GROUPS);
}

/** Kinds and reasons are few; reasons that name an event could be many. */
const GROUPS = 30;
