import type { AgentEnv, Installed } from '../contract.ts';
import { findProgram } from '../io/program.ts';

/** Finds `codex` on PATH with its version (asked, it says `codex-cli 0.171.0`). null = not installed. */
export function findCodex(env: AgentEnv): Promise<Installed | null> {
  return findProgram('codex', env, { package: { npm: ['@openai/codex'] } });
}
