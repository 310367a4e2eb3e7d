import type { SessionAdapter, TargetAdapter } from '../../../adapters/contract.ts';
import type { CompiledContext, CompileInput } from '../../shared/compiled.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import { contextBudget } from '../handoff/modes.ts';
import type { EngineContext } from '../procedures/context.ts';
import type { StoreReader } from '../store/contract.ts';
import { scaleOf } from './calibration.ts';

/** What a page may take of a target, in its tokens. */
export interface Room {
  budget: number;
  /** tokens of the target for one of the tokenizer */
  factor: number;
  /** relative uncertainty of that */
  margin: number;
  /** absent for agents that nothing can be written for */
  window?: NonNullable<CompiledContext['window']>;
}

/** Room for a page where the target's window is not known. */
const DEFAULT_BUDGET = 32_000;

/** Prompts, tools and answers have sizes that fit large windows: of one up to this size they get the share at most. */
const SMALL_WINDOW = 65_536;
const MOST_RESERVE = 0.5;

/** Errors: invalid_request for figures that no window has. */
export async function roomFor(
  context: EngineContext,
  reader: StoreReader,
  to: SessionAdapter,
  asked: Pick<CompileInput, 'budget' | 'at_most' | 'reserve' | 'factor'>,
): Promise<Result<Room>> {
  const scale = await scaleOf(reader, to.id);
  const byDefault = (most: number): number => Math.max(1, Math.min(most, asked.at_most ?? most));
  if (!to.target) {
    const budget = asked.budget ?? byDefault(DEFAULT_BUDGET);
    return ok({ budget, factor: asked.factor ?? scale.factor, margin: scale.margin });
  }
  const own = withRoom(await targetWindow(context, reader, to.id, to.target));
  const window = { model: own.model, tokens: own.window, reserve: asked.reserve ?? own.reserve, basis: own.basis };
  const left = window.tokens - window.reserve;
  if (left <= 0)
    return fail(
      'invalid_request',
      `A reserve of ${window.reserve} tokens leaves nothing of the window of ${window.tokens}.`,
      {
        window: window.tokens,
        reserve: window.reserve,
      },
    );
  if (asked.budget !== undefined && asked.budget > left)
    return fail(
      'invalid_request',
      `A budget of ${asked.budget} tokens is more than the ${left} that the window of ${window.tokens} leaves beside a reserve of ${window.reserve}.`,
      { budget: asked.budget, window: window.tokens, reserve: window.reserve },
    );
  const factor = asked.factor ?? own.factor;
  return ok({ budget: asked.budget ?? byDefault(contextBudget(left)), factor, margin: scale.margin, window });
}

/** The target's window, its factor calibrated where sessions in the store tell what the provider counted. */
export async function targetWindow(
  { agents }: Pick<EngineContext, 'agents'>,
  reader: StoreReader,
  id: string,
  target: TargetAdapter,
): Promise<Awaited<ReturnType<TargetAdapter['window']>>> {
  const [own, scale] = [await target.window(agents.env), await scaleOf(reader, id)];
  return 'samples' in scale ? { ...own, factor: scale.factor, basis: `${own.basis}; ${scale.basis}` } : own;
}

/**
 * A window whose reserve leaves room for a page, of which the default takes a quarter: text can be read by whoever has room
 * for it. A handoff, which has to go on natively, is refused by the whole reserve.
 */
function withRoom<W extends { window: number; reserve: number; basis: string }>(own: W): W {
  const most = Math.floor(own.window * MOST_RESERVE);
  if (own.window > SMALL_WINDOW || own.reserve <= most) return own;
  return { ...own, reserve: most, basis: `${own.basis}; a reserve of ${own.reserve} held to half of the window` };
}
