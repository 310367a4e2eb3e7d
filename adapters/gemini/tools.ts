import type { ToolKind } from '../../src/shared/events.ts';

const KINDS: Record<string, ToolKind> = {
  run_shell_command: 'shell',
  read_file: 'read',
  read_many_files: 'read',
  write_file: 'write',
  replace: 'edit',
  edit: 'edit',
  list_directory: 'search',
  glob: 'search',
  grep_search: 'search',
  search_file_content: 'search',
  web_fetch: 'web',
  google_web_search: 'web',
  write_todos: 'todo',
  enter_plan_mode: 'plan',
  exit_plan_mode: 'plan',
  invoke_agent: 'agent',
  delegate_to_agent: 'agent',
  codebase_investigator: 'agent',
};

/** `mcp_<server>_<tool>` today, `<server>__<tool>` before; the first form is Claude Code's, for what was handed over. */
const MCP = /^(?:mcp__(.+?)__|mcp_([^_]+)_|(.+?)__)./;

/** The normal kind of a tool by its name in Gemini CLI, and the MCP server it belongs to. */
export function toolOf(name: string): { kind: ToolKind; server: string | undefined } {
  if (Object.hasOwn(KINDS, name)) return { kind: KINDS[name]!, server: undefined };
  const match = MCP.exec(name);
  const server = match?.[1] ?? match?.[2] ?? match?.[3];
  return { kind: server === undefined ? 'other' : 'mcp', server };
}
