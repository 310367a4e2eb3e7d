import type { AgentEnv, Installed } from '../contract.ts';
import { findProgram } from '../io/program.ts';

/** Without network: the question is for the program alone. */
const QUIET = { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' };

/** Finds `pi` on PATH with its version (asked, it says `1.6.0`). null = not installed. */
export function findPi(env: AgentEnv): Promise<Installed | null> {
  return findProgram('pi', env, {
    env: QUIET,
    package: { npm: ['@earendil-works/pi-coding-agent', '@mariozechner/pi-coding-agent'] },
  });
}
