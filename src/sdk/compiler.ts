import { orThrow } from './error.ts';
import { engineOf } from './open-store.ts';
import { type Session, storeOf } from './session.ts';
import type { CompiledContext } from './types.ts';

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
    options: { max_chars?: number } = {},
  ): Promise<CompiledContext> {
    const engine = engineOf(storeOf(session));
    const limits = { ...(budget === undefined ? {} : { budget }), ...options };
    return orThrow(await engine.call('compile.run', { session: session.id, for: target, ...limits }));
  },
};
