/** Agents known at compile time; adapters/registry.ts must have one adapter for each (checked by its type). */
export const AGENTS = ['claude', 'codex', 'pi', 'hermes', 'opencode', 'gemini', 'cursor', 'aider'] as const;
export type AgentId = (typeof AGENTS)[number];

export const AGENT_LABELS: Record<AgentId, string> = {
  claude: 'Claude Code',
  codex: 'Codex',
  pi: 'Pi',
  hermes: 'Hermes',
  opencode: 'OpenCode',
  gemini: 'Gemini CLI',
  cursor: 'Cursor',
  aider: 'Aider',
};
