import { homedir } from 'node:os';
import type { AgentEnv, SessionAdapter } from '../../adapters/contract.ts';
import { AGENT_LABELS, AGENTS, type AgentId } from '../shared/agents.ts';
import { SessionctlError } from './error.ts';
import type { Command, SessionRow } from './types.ts';

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
export interface Adapter {
  readonly id: string;
  readonly label: string;
  info(): Promise<AdapterInfo>;
  /** The sessions that this agent has here. Databases are named, not opened. */
  discover(surroundings?: Surroundings): Promise<FoundSession[]>;
  /** The installed program, found without starting a session; null = none. */
  installed(surroundings?: Surroundings): Promise<{ path: string; version: string | null } | null>;
  /** The agent's own command that goes on with a session. */
  resumeCommand(session: NamedSession, surroundings?: Surroundings): Promise<Command>;
}

/** What names a session of an agent. */
export type NamedSession = Pick<SessionRow, 'native_id' | 'cwd' | 'source'>;

function adapter(id: AgentId): Adapter {
  return {
    id,
    label: AGENT_LABELS[id],
    info: async () => {
      const { target, verified } = await adapterOf(id);
      return { can_write: target !== undefined, verified };
    },
    discover: async (surroundings = {}) => {
      const { sources } = await (await adapterOf(id)).discover(envOf(surroundings));
      return sources.map(({ native_id, path, bytes, mtime_ms }) => ({ native_id, path, bytes, mtime_ms }));
    },
    installed: async (surroundings = {}) => (await adapterOf(id)).installed(envOf(surroundings)),
    resumeCommand: async (session, surroundings = {}) => (await adapterOf(id)).resume(session, envOf(surroundings)),
  };
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
    if (id !== undefined) return adapter(id);
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
