import { homedir } from 'node:os';
import type { AgentEnv, SessionAdapter } from '../../adapters/contract.ts';
import { AGENT_LABELS, AGENTS, type AgentId } from '../shared/session.ts';
import { SessionctlError } from './error.ts';
import type { Command } from './types.ts';

/** Which versions an adapter was checked against, and what it can do. */
export interface AdapterInfo {
  /** sessions can be written for this agent */
  can_write: boolean;
  verified: { versions: readonly string[]; on: string };
}

/** A session that an agent has on this machine, found by name; nothing of it was read. */
export interface FoundSession {
  native_id: string;
  path: string;
  bytes: number;
  mtime_ms: number;
}

/** Home and environment in which an agent is looked for; default: those of the process. */
export interface Surroundings {
  user_home?: string;
  env?: Record<string, string | undefined>;
}

/** What is known of one agent's format. No store is needed. */
export class Adapter {
  readonly id: AgentId;
  readonly label: string;

  constructor(id: AgentId) {
    this.id = id;
    this.label = AGENT_LABELS[id];
  }

  async info(): Promise<AdapterInfo> {
    const { target, verified } = await adapterOf(this.id);
    return { can_write: target !== undefined, verified };
  }

  /** The sessions that this agent has here. Databases are named, not opened. */
  async discover(surroundings: Surroundings = {}): Promise<FoundSession[]> {
    const adapter = await adapterOf(this.id);
    const { sources } = await adapter.discover(envOf(surroundings));
    return sources.map(({ native_id, path, bytes, mtime_ms }) => ({ native_id, path, bytes, mtime_ms }));
  }

  /** The installed program, found without starting a session; null = none. */
  async installed(surroundings: Surroundings = {}): Promise<{ path: string; version: string | null } | null> {
    return (await adapterOf(this.id)).installed(envOf(surroundings));
  }

  /** The agent's own command that goes on with a session. */
  async resumeCommand(
    session: { native_id: string; cwd: string | null; source: string | null },
    surroundings: Surroundings = {},
  ): Promise<Command> {
    return (await adapterOf(this.id)).resume(session, envOf(surroundings));
  }
}

/** The agents whose sessions are understood. */
export const AdapterRegistry = {
  /** Ids of all agents. */
  list(): readonly string[] {
    return AGENTS;
  },

  /** @throws SessionctlError invalid_request, naming the agents that are known */
  get(agent: string): Adapter {
    const id = AGENTS.find((known) => known === agent);
    if (id !== undefined) return new Adapter(id);
    throw new SessionctlError({
      code: 'invalid_request',
      message: `"${agent}" is no agent known here. Known: ${AGENTS.join(', ')}.`,
      details: { agent, known: AGENTS },
    });
  },
};

async function adapterOf(id: AgentId): Promise<SessionAdapter> {
  const { adapters } = await import('../../adapters/registry.ts');
  return adapters[id];
}

const envOf = ({ user_home, env }: Surroundings): AgentEnv => ({
  home: user_home ?? homedir(),
  env: env ?? process.env,
});
