import type { CommandRun, FileEdit, FileRead, ToolKind } from '../../src/shared/events.ts';
import { isObject, type Json, number, text } from './json.ts';

const KINDS: Record<string, ToolKind> = {
  bash: 'shell',
  read: 'read',
  write: 'write',
  edit: 'edit',
  grep: 'search',
  find: 'search',
  ls: 'search',
  codemode: 'code',
  // tools of other agents, in sessions that were handed over
  Bash: 'shell',
  Read: 'read',
  Write: 'write',
  Edit: 'edit',
  MultiEdit: 'edit',
  Grep: 'search',
  Glob: 'search',
  WebFetch: 'web',
  WebSearch: 'web',
  TodoWrite: 'todo',
  Task: 'agent',
  Agent: 'agent',
  exec_command: 'shell',
  shell: 'shell',
  shell_command: 'shell',
  local_shell: 'shell',
  apply_patch: 'edit',
  view_image: 'read',
  web_search: 'web',
  update_plan: 'todo',
};

/** Normal kind of a tool and, for MCP, its server. */
export function toolOf(name: string): { tool: ToolKind; server?: string } {
  const server = /^mcp__(.+?)(?:__|$)/.exec(name)?.[1];
  if (server !== undefined) return { tool: 'mcp', server };
  return { tool: Object.hasOwn(KINDS, name) ? (KINDS[name] as ToolKind) : 'other' };
}

/** How a result ended, by the last line that Pi's bash tool adds (FORMAT.md). */
export function endingOf(name: string, output: string): { exit_code?: number; interrupted: boolean } {
  const tail = output.slice(-120);
  const code = name === 'bash' ? /(?:^|\n)Command exited with code (-?\d+)\s*$/.exec(tail)?.[1] : undefined;
  const interrupted = /(?:^|\n)(?:Command aborted|Operation aborted)\s*$/.test(tail);
  return { ...(code === undefined ? {} : { exit_code: Number(code) }), interrupted };
}

/** What a call of a built-in tool did, told by its arguments and its result. */
export type Derived =
  | { type: 'command.run'; payload: CommandRun }
  | { type: 'file.read'; payload: FileRead }
  | { type: 'file.edit'; payload: FileEdit };

const STDOUT_TAIL = 2000;

/** null = the tool is none of those, or it failed before it did anything. */
export function derivedOf(
  name: string,
  args: unknown,
  result: { output: string; details: unknown; failed: boolean; exit_code?: number; duration_ms?: number },
): Derived | null {
  if (!isObject(args)) return null;
  if (name === 'bash') return commandOf(args, result);
  const path = text(args.path);
  if (path === undefined || result.failed) return null;
  if (name === 'read') return { type: 'file.read', payload: { path, ...rangeOf(args) } };
  if (name === 'write') return { type: 'file.edit', payload: { path, op: 'create' } };
  if (name !== 'edit') return null;
  const details = isObject(result.details) ? result.details : {};
  const diff = text(details.patch) ?? text(details.diff);
  return { type: 'file.edit', payload: { path, op: 'edit', ...(diff === undefined ? {} : { diff }) } };
}

function commandOf(
  args: Json,
  {
    output,
    failed,
    exit_code,
    duration_ms,
  }: { output: string; failed: boolean; exit_code?: number; duration_ms?: number },
): Derived | null {
  const cmd = text(args.command);
  if (cmd === undefined) return null;
  const code = exit_code ?? (failed ? undefined : 0);
  const run: CommandRun = {
    cmd,
    ...(code === undefined ? {} : { exit_code: code }),
    stdout_tail: output.slice(-STDOUT_TAIL).toWellFormed(),
    ...(duration_ms === undefined ? {} : { duration_ms }),
  };
  return { type: 'command.run', payload: run };
}

function rangeOf({ offset, limit }: Json): { range?: [number, number | null] } {
  const first = number(offset);
  const count = number(limit);
  if (first === undefined && count === undefined) return {};
  const start = first ?? 1;
  return { range: [start, count === undefined ? null : start + count - 1] };
}
