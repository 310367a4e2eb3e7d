import { orThrow } from './error.ts';
import { engineOf } from './open-store.ts';
import { type Session, storeOf } from './session.ts';
import type { CompiledContext } from './types.ts';

export interface CompileOptions {
  /** a bound in UTF-16 units, besides the tokens */
  max_chars?: number;
  /** tokens that the target keeps for its own prompt and its answer; default: those of the target */
  reserve?: number;
  /** the session as it stood at this event */
  at?: number;
  /** only what is new since this session of the target last knew */
  since?: string;
  signal?: AbortSignal;
}

/** Makes the page that the next agent needs. */
export const Compiler = {
  /**
   * What a successor must know of a session, within a budget, with what was left out and why. Without any model; the same
   * session gives the same bytes.
   * @param target agent that will read it
   * @param budget tokens of its model; default: what its window leaves, up to a bound
   * @throws SessionctlError p0_over_budget when what must not be cut does not fit
   */
  async compile(
    session: Session,
    target: string,
    budget?: number,
    { signal, ...options }: CompileOptions = {},
  ): Promise<CompiledContext> {
    const limits = { ...(budget === undefined ? {} : { budget }), ...options };
    const request = { session: session.id, for: target, ...limits };
    return orThrow(await engineOf(storeOf(session)).call('compile.run', request, signal));
  },
};
