import type { AppError, Result } from '../../shared/errors.ts';
import type { HandoffMode, HandoffPlan } from '../../shared/handoff.ts';
import type { Delta } from './delta.ts';
import type { Measure } from './measure.ts';
import type { HandoffRequest } from './operation.ts';

/** Room in the target's window, in its tokens. */
export interface Space {
  /** what a conversation may fill: window less reserve */
  budget: number;
  window: number;
  reserve: number;
  /** what the user's note takes */
  note: number;
  /** least room for a compiled context in front of native turns, once that is known */
  context?: number;
}

export interface Choice {
  mode: HandoffMode;
  /** native-tail: turns that go natively */
  turns: number | null;
  /** place in the order from which events go natively; the length of the order for context */
  from: number;
  /** what the compiled context may take; 0 = there is none */
  context: number;
  modes: HandoffPlan['modes'];
  refused: AppError | null;
}

/** The compiled context gets a quarter of the room at most, and never more than this. */
const MOST_CONTEXT = 32_000;
const CONTEXT_SHARE = 0.25;

/** Tokens of the compiled context for a window that leaves `budget`. */
export const contextBudget = (budget: number): number => Math.min(MOST_CONTEXT, Math.floor(budget * CONTEXT_SHARE));

/** Which ways are open, and the one to take. Over the window nothing is cut silently: the whole history is refused with its figures. */
export function chooseMode(
  measure: Measure,
  space: Space,
  { mode, turns }: Pick<HandoffRequest, 'mode' | 'turns'>,
  delta: Result<Delta>,
): Choice {
  const context = Math.max(space.context ?? 0, contextBudget(space.budget));
  const whole = Math.min(MOST_CONTEXT, space.budget - space.note);
  const native = nativeMode(measure, space);
  const tail = tailMode(measure, space, context, turns);
  const alone: HandoffPlan['modes'][number] = {
    mode: 'context',
    tokens: contextTokens(measure.arriving(0), whole) + space.note,
    possible: true,
  };
  const sinceThen = deltaMode(delta, space);
  const modes = [native, tail, alone, sinceThen];
  const chosen = mode ?? 'native';
  const { possible, why, tokens } = modes.find((one) => one.mode === chosen)!;
  const unknown = chosen === 'delta' && !delta.ok ? { ...delta.error, message: `${delta.error.message}.` } : null;
  const refused = possible ? null : (unknown ?? refusal(chosen, why ?? '', tokens, space, tail));
  if (chosen === 'native') return { mode: chosen, turns: null, from: 0, context: 0, modes, refused };
  if (chosen === 'context') return { mode: chosen, turns: null, from: measure.length, context: whole, modes, refused };
  if (chosen === 'delta') {
    const room = delta.ok ? space.budget - space.note - delta.value.own : 0;
    return {
      mode: chosen,
      turns: null,
      from: measure.length,
      context: Math.max(0, Math.min(MOST_CONTEXT, room)),
      modes,
      refused,
    };
  }
  const n = tail.turns ?? 1;
  return { mode: chosen, turns: n, from: measure.startOf(n), context, modes, refused };
}

/** The choice for a session's own agent: it has held this session before, and makes room by itself. */
export function unlimited(choice: Choice): Choice {
  const modes = choice.modes.map((one) =>
    one.mode === 'native' ? { mode: one.mode, tokens: one.tokens, possible: true } : one,
  );
  return { ...choice, modes, refused: null };
}

function nativeMode(measure: Measure, space: Space): HandoffPlan['modes'][number] {
  const tokens = measure.arriving(0) + space.note;
  if (tokens <= space.budget) return { mode: 'native', tokens, possible: true };
  return {
    mode: 'native',
    tokens,
    possible: false,
    why: `${tokens} tokens are more than the ${space.budget} that the window leaves`,
  };
}

/** Headings and explanations of a compiled page, roughly. */
const PAGE_FRAME = 400;

/** What a compiled page of so many tokens of history takes at most. */
function contextTokens(history: number, most: number): number {
  return Math.min(most, history + PAGE_FRAME);
}

const lastTurns = (n: number, the: 'The' | 'the'): string => (n === 1 ? `${the} last turn` : `${the} last ${n} turns`);

/** The turns asked for, or as many of the last ones as fit beside the context. */
function tailMode(measure: Measure, space: Space, context: number, asked: number | null): HandoffPlan['modes'][number] {
  const room = space.budget - context - space.note;
  const total = measure.turns.length;
  if (total < 2) return { mode: 'native-tail', tokens: 0, possible: false, why: 'The session has one turn only' };
  const turns = Math.min(asked ?? measure.turnsWithin(room), asked === null ? total - 1 : total);
  const native = measure.arriving(measure.startOf(Math.max(1, turns)));
  const tokens = native + contextTokens(measure.arriving(0) - native, context) + space.note;
  if (turns === 0)
    return { mode: 'native-tail', turns: 1, tokens, possible: false, why: 'Not even the last turn fits' };
  if (tokens <= space.budget) return { mode: 'native-tail', turns, tokens, possible: true };
  return {
    mode: 'native-tail',
    turns,
    tokens,
    possible: false,
    why: `${lastTurns(turns, 'The')} with the context take ${tokens} tokens; the window leaves ${space.budget}`,
  };
}

/** The target's own session in a copy, and a page of what is new. */
function deltaMode(delta: Result<Delta>, space: Space): HandoffPlan['modes'][number] {
  if (!delta.ok) return { mode: 'delta', tokens: 0, possible: false, why: delta.error.message };
  const { own, fresh, known, knower } = delta.value;
  const since = {
    session: knower.row.id,
    agent: knower.row.agent,
    native_id: knower.row.native_id,
    seq: known.seq,
    own_turns: known.ownTurns,
  };
  const tokens = own + contextTokens(fresh, MOST_CONTEXT) + space.note;
  if (tokens <= space.budget) return { mode: 'delta', tokens, possible: true, since };
  const why = `The session that knows this one and what is new take ${tokens} tokens; the window leaves ${space.budget}`;
  return { mode: 'delta', tokens, possible: false, why, since };
}

function refusal(
  mode: HandoffMode,
  why: string,
  tokens: number,
  space: Space,
  tail: HandoffPlan['modes'][number],
): AppError {
  const offers = [
    ...(tail.possible
      ? [`${lastTurns(tail.turns ?? 1, 'the')} with the compiled context in front (mode native-tail)`]
      : []),
    'the compiled context alone (mode context)',
  ];
  if (mode === 'native-tail' && tail.tokens === 0) {
    return { code: 'invalid_request', message: `${why}: hand it off whole, or as context.` };
  }
  return {
    code: 'window_exceeded',
    message: `${why}. Choose ${offers.join(', or ')}.`,
    details: {
      tokens,
      budget: space.budget,
      window: space.window,
      reserve: space.reserve,
      turns: tail.possible ? tail.turns : null,
    },
  };
}
