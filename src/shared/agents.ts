/** Agents known at compile time; adapters/registry.ts must have one adapter for each (checked by its type). */
export const AGENTS = ['claude', 'codex', 'pi', 'hermes', 'opencode', 'gemini', 'cursor', 'aider'] as const;
export type AgentId = (typeof AGENTS)[number];

/** Those that sessions can be written for, told apart here so that help needs no adapter (registry.test.ts compares). */
export const RECEIVERS = [
  'claude',
  'codex',
  'pi',
  'hermes',
  'opencode',
  'gemini',
] as const satisfies readonly AgentId[];

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
