import type { AgentId } from '../shared/session.ts';

/** What a client tells of the session that it is in: the agent's own id of it. */
export interface Told {
  agent: AgentId;
  native: string;
}

/** An agent as it shows itself to a server. */
export interface Client {
  agent: AgentId;
  session(env: Readonly<Record<string, string | undefined>>, meta: Readonly<Record<string, unknown>>): Told | null;
}

interface Facts {
  /** `clientInfo.name` of initialize */
  name: RegExp;
  session?: (env: Readonly<Record<string, string | undefined>>, meta: Readonly<Record<string, unknown>>) => unknown;
}

/** What the real clients do (docs/mcp.md says with which versions that was seen). */
const CLIENTS: Partial<Record<AgentId, Facts>> = {
  claude: { name: /^claude-code$/, session: (env) => env.CLAUDE_CODE_SESSION_ID },
  codex: { name: /^codex-mcp-client$/, session: (_env, meta) => meta.threadId },
  gemini: { name: /^gemini-cli-mcp-client/ },
  opencode: { name: /^opencode$/ },
  pi: { name: /^pi$/ },
};

/** The agent behind a client's name, or null for a client that is none of them. */
export function clientOf(name: string | undefined): Client | null {
  const known = (Object.entries(CLIENTS) as [AgentId, Facts][]).find(([, facts]) => name && facts.name.test(name));
  if (known === undefined) return null;
  const [agent, { session }] = known;
  return {
    agent,
    session: (env, meta) => {
      const native = session?.(env, meta);
      return typeof native === 'string' && native !== '' && native.length <= 200 ? { agent, native } : null;
    },
  };
}
