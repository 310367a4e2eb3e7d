import type { ToolKind } from '../../src/shared/events.ts';

const KINDS: Record<string, ToolKind> = {
  bash: 'shell',
  shell: 'shell',
  read: 'read',
  write: 'write',
  edit: 'edit',
  multiedit: 'edit',
  patch: 'edit',
  apply_patch: 'edit',
  grep: 'search',
  glob: 'search',
  list: 'search',
  codesearch: 'search',
  lsp: 'search',
  webfetch: 'web',
  websearch: 'web',
  todowrite: 'todo',
  todoread: 'todo',
  plan_enter: 'plan',
  plan_exit: 'plan',
  task: 'agent',
  // tools of other agents, in sessions that were handed over
  Bash: 'shell',
  exec_command: 'shell',
  run_shell_command: 'shell',
  terminal: 'shell',
  Read: 'read',
  read_file: 'read',
  Write: 'write',
  write_file: 'write',
  Edit: 'edit',
  MultiEdit: 'edit',
  Grep: 'search',
  Glob: 'search',
  WebFetch: 'web',
  WebSearch: 'web',
  TodoWrite: 'todo',
  update_plan: 'todo',
  Task: 'agent',
  Agent: 'agent',
};

/** Normal kind of a tool. An MCP tool is named `<server>_<tool>`, which cannot be told from an own tool of a plugin: `other`. */
export function toolOf(name: string): { kind: ToolKind; server: string | null } {
  const server = /^mcp__(.+?)(?:__|$)/.exec(name)?.[1] ?? null;
  if (server !== null) return { kind: 'mcp', server };
  return { kind: Object.hasOwn(KINDS, name) ? KINDS[name]! : 'other', server: null };
}
