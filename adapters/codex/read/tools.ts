import { parseJson } from '../../../src/core/json-depth.ts';
import type { Todo, ToolKind } from '../../../src/shared/events.ts';
import { isObject } from './item.ts';

const KINDS: Record<string, ToolKind> = {
  exec_command: 'shell',
  write_stdin: 'shell',
  shell: 'shell',
  shell_command: 'shell',
  local_shell: 'shell',
  'container.exec': 'shell',
  apply_patch: 'edit',
  view_image: 'read',
  read_file: 'read',
  list_dir: 'search',
  grep_files: 'search',
  tool_search: 'search',
  web_search: 'web',
  update_plan: 'todo',
  exec: 'code',
  wait: 'code',
  spawn_agent: 'agent',
  wait_agent: 'agent',
  send_input: 'agent',
  close_agent: 'agent',
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
};

/** Normal kind of a tool and, for MCP, its server: by namespace (Codex) or in the name itself (handed over). */
export function toolOf(name: string, namespace: string | null): { kind: ToolKind; server: string | null } {
  const server = /^mcp__(.+?)(?:__|$)/.exec(namespace ?? name)?.[1] ?? null;
  if (server !== null) return { kind: 'mcp', server };
  if (namespace !== null && /^(multi_agent|collaboration)/.test(namespace)) return { kind: 'agent', server: null };
  return { kind: Object.hasOwn(KINDS, name) ? KINDS[name]! : 'other', server: null };
}

/** What a command's output says about its end (FORMAT.md lists the forms). */
export interface Ending {
  exitCode?: number;
  durationMs?: number;
  interrupted: boolean;
}

export function endingOf(text: string): Ending {
  const json = text.startsWith('{"output":') ? parsed(text) : null;
  if (json !== null && isObject(json.metadata)) {
    const { exit_code, duration_seconds } = json.metadata;
    return { ...exit(exit_code), ...seconds(duration_seconds), interrupted: false };
  }
  const head = text.slice(0, 400);
  const code = /^(?:Exit code:|Process exited with code) (-?\d+)$/m.exec(head)?.[1];
  const wall = /^Wall time:? ([\d.]+) seconds$/m.exec(head)?.[1];
  const interrupted = /^(?:Wall time: [\d.]+ seconds\n)?aborted(?: by user[^\n]*)?\s*$/.test(head);
  return {
    ...(code === undefined ? {} : exit(Number(code))),
    ...(wall === undefined ? {} : seconds(Number(wall))),
    interrupted,
  };
}

const exit = (value: unknown): { exitCode?: number } => (Number.isInteger(value) ? { exitCode: value as number } : {});
const seconds = (value: unknown): { durationMs?: number } =>
  typeof value === 'number' && Number.isFinite(value) ? { durationMs: Math.round(value * 1000) } : {};

/** A failure that has no exit code. */
export function saysFailed(text: string): boolean {
  return /^(?:apply_patch verification failed|unsupported (?:custom tool )?call|Script failed\b|failed to |execution error)/.test(
    text,
  );
}

/** The command as one line, where the tool runs one. */
export function commandOf(args: Record<string, unknown> | string): string | null {
  if (typeof args === 'string') return null;
  const given = args.cmd ?? args.command;
  if (typeof given === 'string') return given;
  if (!Array.isArray(given) || given.length === 0) return null;
  const argv = given.map(String);
  return argv.length === 3 && /^(.*\/)?(ba|z|da)?sh$/.test(argv[0]!) && /^-l?c$/.test(argv[1]!)
    ? argv[2]!
    : argv.join(' ');
}

const STATUS: Record<string, Todo['status']> = { pending: 'pending', in_progress: 'in_progress', completed: 'done' };

/** Steps of an `update_plan` call. */
export function planOf(args: Record<string, unknown> | string): Todo[] {
  if (typeof args === 'string' || !Array.isArray(args.plan)) return [];
  return args.plan.flatMap((entry: unknown, order): Todo[] => {
    if (!isObject(entry) || typeof entry.step !== 'string') return [];
    return [{ id: `step-${order + 1}`, text: entry.step, status: STATUS[String(entry.status)] ?? 'pending', order }];
  });
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
