import type { AgentId } from '../src/shared/agents.ts';
import { aider } from './aider/adapter.ts';
import { claude } from './claude/adapter.ts';
import { codex } from './codex/adapter.ts';
import type { SessionAdapter } from './contract.ts';
import { cursor } from './cursor/adapter.ts';
import { gemini } from './gemini/adapter.ts';
import { hermes } from './hermes/adapter.ts';
import { opencode } from './opencode/adapter.ts';
import { pi } from './pi/adapter.ts';

/** The one list of agents. Its type makes a missing adapter a compile error. */
export const adapters: { readonly [K in AgentId]: SessionAdapter & { readonly id: K } } = {
  claude,
  codex,
  pi,
  hermes,
  opencode,
  gemini,
  cursor,
  aider,
};

/** The adapter of an agent named by a user or a stored session; undefined = we do not know that agent. */
export function adapterOf(agent: string): SessionAdapter | undefined {
  return Object.hasOwn(adapters, agent) ? adapters[agent as AgentId] : undefined;
}
