import type { ToolKind } from '../../src/shared/events.ts';

const KINDS = new Map<string, ToolKind>([
  ['Bash', 'shell'],
  ['BashOutput', 'shell'],
  ['PowerShell', 'shell'],
  ['Read', 'read'],
  ['NotebookRead', 'read'],
  ['Write', 'write'],
  ['Edit', 'edit'],
  ['MultiEdit', 'edit'],
  ['NotebookEdit', 'edit'],
  ['Grep', 'search'],
  ['Glob', 'search'],
  ['LS', 'search'],
  ['ToolSearch', 'search'],
  ['WebFetch', 'web'],
  ['WebSearch', 'web'],
  ['TodoWrite', 'todo'],
  ['TodoRead', 'todo'],
  ['TaskCreate', 'todo'],
  ['TaskUpdate', 'todo'],
  ['TaskList', 'todo'],
  ['TaskGet', 'todo'],
  ['EnterPlanMode', 'plan'],
  ['ExitPlanMode', 'plan'],
  ['exit_plan_mode', 'plan'],
  ['Task', 'agent'],
  ['Agent', 'agent'],
]);

const MCP = /^mcp__(.+?)__/;

/** The normal kind of a tool by its name in Claude Code, and the MCP server it belongs to. */
export function toolOf(name: string): { kind: ToolKind; server: string | undefined } {
  const kind = KINDS.get(name);
  if (kind !== undefined) return { kind, server: undefined };
  const server = name.startsWith('mcp__') ? MCP.exec(name)?.[1] : undefined;
  return { kind: server === undefined ? 'other' : 'mcp', server };
}
