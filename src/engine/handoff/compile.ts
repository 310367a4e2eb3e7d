import type { SessionAdapter } from '../../../adapters/contract.ts';
import { compile } from '../../core/compile/compile.ts';
import type { KnownPart } from '../../core/compile/known.ts';
import { partsOf } from '../../core/compile/result.ts';
import { compileSelection } from '../../core/compile/select.ts';
import { loadTokenizer } from '../../core/tokens/exact.ts';
import { tokenScale } from '../../core/tokens/scale.ts';
import { activePath } from '../../core/view/branch.ts';
import type { Parsed } from '../../shared/api.ts';
import type { CompiledContext } from '../../shared/compiled.ts';
import { ok, type Result } from '../../shared/errors.ts';
import type { SessionEvent } from '../../shared/events.ts';
import type { Budget } from '../../shared/handoff.ts';
import { type EngineContext, type OpenHome, resolveSession } from '../procedures/context.ts';
import type { StoreReader } from '../store/contract.ts';
import { contextBudget } from './modes.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';

/** How a page for a target is bounded. */
export interface Page {
  /** agent that reads it */
  target: string;
  budget: number;
  /** tokens of its model for one of the tokenizer */
  factor: number;
  maxChars?: number | undefined;
  /** only what stands before this event; the rest follows natively */
  before?: number | undefined;
  /** only what is new since */
  known?: KnownPart | undefined;
}

/** The compiled context of a session, or of its part before an event. Errors: no_conversation, p0_over_budget. */
export async function compilePage(
  reader: StoreReader,
  { row, index, special }: Snapshot,
  page: Page,
): Promise<Result<CompiledContext>> {
  const { before, ...limits } = page;
  const selection = compileSelection(index, activePath(index, special.leaf), before);
  const events = await eventsOf(reader, row.id, selection.seqs);
  return compile({
    session: row,
    selection,
    events,
    tokenizer: await loadTokenizer(),
    tailFollows: before !== undefined,
    ...limits,
  });
}

const PAGE = 1000;

async function eventsOf(reader: StoreReader, id: string, seqs: number[]): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for (let from = 0; from < seqs.length; from += PAGE)
    events.push(...(await reader.eventsAt(id, seqs.slice(from, from + PAGE))));
  return events;
}

/** Room for a page where the target's window is not known. */
const DEFAULT_BUDGET = 32_000;

/** The page on its own, as `compile` and the app show it. */
export async function compileSession(
  context: EngineContext,
  home: OpenHome,
  input: Parsed<'compile.run'>,
): Promise<Result<CompiledContext>> {
  const row = await resolveSession(home.store.reader, input.session);
  if (!row.ok) return row;
  const to = context.agents.adapter(input.for);
  if (!to.ok) return to;
  const { budget, factor } = await roomOf(context, to.value);
  const snapshot = await takeSnapshot(home.store.reader, row.value.id);
  return compilePage(home.store.reader, snapshot, {
    target: input.for,
    factor,
    budget: input.budget ?? budget,
    maxChars: input.max_chars,
  });
}

async function roomOf(context: EngineContext, to: SessionAdapter): Promise<{ budget: number; factor: number }> {
  if (!to.target) return { budget: DEFAULT_BUDGET, factor: tokenScale(to.id).factor };
  const { window, reserve, factor } = await to.target.window(context.agents.env);
  return { budget: contextBudget(window - reserve), factor };
}

/** What a handoff puts in front. */
export interface Compiled {
  text: string;
  sha256: string;
  tokens: number;
  parts: Budget['parts'];
}

export async function compileForHandoff(
  reader: StoreReader,
  snapshot: Snapshot,
  page: Page,
): Promise<Result<Compiled>> {
  const compiled = await compilePage(reader, snapshot, page);
  if (!compiled.ok) return compiled;
  const { text, sha256, tokens } = compiled.value;
  return ok({ text, sha256, tokens, parts: partsOf(compiled.value) });
}
