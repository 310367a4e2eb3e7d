import type { AgentEnv, Installed } from '../contract.ts';
import { findProgram } from '../io/program.ts';

/** Finds `gemini` on PATH with its version. null = not installed. */
export function findGemini(env: AgentEnv): Promise<Installed | null> {
  return findProgram('gemini', env, { package: { npm: ['@google/gemini-cli'] } });
}
