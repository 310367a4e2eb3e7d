import { join } from 'node:path';
import type { AgentEnv, Installed } from '../contract.ts';
import { findProgram } from '../io/program.ts';

/**
 * Finds `hermes` on PATH, or where its installer puts it, with its version (asked, it says `Hermes Agent v0.19.1 (2026.8.2)`).
 * null = not installed.
 */
export function findHermes(env: AgentEnv): Promise<Installed | null> {
  return findProgram('hermes', env, {
    folders: [join(env.home, '.local', 'bin')],
    package: { python: 'hermes_agent' },
  });
}
