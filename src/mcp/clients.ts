import type { AgentId } from '../shared/agents.ts';

/**
 * What a client tells of the session that it is in: its own id of it; or the id of the very call, which stands in the
 * session's log.
 */
export type Told =
  | { kind: 'session'; agent: AgentId; native: string }
  | { kind: 'call'; agent: AgentId; callId: string };

/** An agent as it shows itself to a server. */
export interface Client {
  agent: AgentId;
  /** what the `_meta` of a call tells */
  told(meta: Readonly<Record<string, unknown>>): Told | null;
}

/**
 * `clientInfo.name` of the real clients, and what they send with a call (seen with the versions that docs/mcp.md names).
 * Claude Code also has CLAUDE_CODE_SESSION_ID in the environment of the servers that it starts, but after `/clear` it goes
 * on with the same servers in another session: only the id of the call is true.
 */
const CLIENTS: { agent: AgentId; name: RegExp; session?: string; call?: string }[] = [
  { agent: 'claude', name: /^claude-code$/, call: 'claudecode/toolUseId' },
  { agent: 'codex', name: /^codex-mcp-client$/, session: 'threadId' },
  { agent: 'gemini', name: /^gemini-cli-mcp-client/ },
  { agent: 'opencode', name: /^opencode$/ },
  { agent: 'pi', name: /^pi$/ },
];

const LONGEST_ID = 200;

/** The agent behind a client's name, or null for a client that is none of them. */
export function clientOf(name: string | undefined): Client | null {
  const known = CLIENTS.find((client) => name !== undefined && client.name.test(name));
  if (known === undefined) return null;
  const { agent, session, call } = known;
  const idIn = (meta: Readonly<Record<string, unknown>>, field: string | undefined): string | null => {
    const id = field === undefined ? undefined : meta[field];
    return typeof id === 'string' && id !== '' && id.length <= LONGEST_ID ? id : null;
  };
  return {
    agent,
    told: (meta) => {
      const native = idIn(meta, session);
      if (native !== null) return { kind: 'session', agent, native };
      const callId = idIn(meta, call);
      return callId === null ? null : { kind: 'call', agent, callId };
    },
  };
}

/** How receipts and events name a client: the agent that it is; any other is one that is not known. */
export const actorOf = (name: string | undefined): string => `agent:${clientOf(name)?.agent ?? 'unknown'}`;
