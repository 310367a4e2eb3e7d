import type { AgentEnv, Installed } from '../contract.ts';
import { findProgram } from '../io/program.ts';

/** Finds `codex` on PATH and asks it for its version (`codex-cli 0.171.0`). null = not installed. */
export function findCodex(env: AgentEnv): Promise<Installed | null> {
  return findProgram('codex', env);
}
