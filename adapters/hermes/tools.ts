import type { ToolKind } from '../../src/shared/events.ts';

/** Normal kinds of Hermes' own tools, and of other agents' tools in sessions that were handed over. */
const KINDS: Record<string, ToolKind> = {
  terminal: 'shell',
  process: 'shell',
  execute_code: 'code',
  read_file: 'read',
  vision_analyze: 'read',
  browser_vision: 'web',
  write_file: 'write',
  patch: 'edit',
  search_files: 'search',
  session_search: 'search',
  web_search: 'web',
  web_extract: 'web',
  todo: 'todo',
  delegate_task: 'agent',
  mixture_of_agents: 'agent',
  Bash: 'shell',
  exec_command: 'shell',
  shell: 'shell',
  bash: 'shell',
  Read: 'read',
  read: 'read',
  Write: 'write',
  write: 'write',
  Edit: 'edit',
  MultiEdit: 'edit',
  edit: 'edit',
  apply_patch: 'edit',
  Grep: 'search',
  Glob: 'search',
  WebFetch: 'web',
  WebSearch: 'web',
  TodoWrite: 'todo',
  update_plan: 'todo',
  Task: 'agent',
  Agent: 'agent',
  spawn_agent: 'agent',
};

/** Kind of a tool and, for MCP, its server: `mcp_<server>_<tool>` is Hermes' form, `mcp__<server>__<tool>` the common one. */
export function toolOf(name: string): { tool: ToolKind; server?: string } {
  if (Object.hasOwn(KINDS, name)) return { tool: KINDS[name]! };
  const server = /^mcp__(.+?)__/.exec(name)?.[1] ?? /^mcp_([^_]+)_/.exec(name)?.[1];
  if (server !== undefined) return { tool: 'mcp', server };
  return { tool: name.startsWith('browser_') ? 'web' : 'other' };
}
