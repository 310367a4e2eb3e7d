import { pathToFileURL } from 'node:url';
import type { SessionEvent, ToolCall, ToolResult } from '../../../src/shared/events.ts';
import { failed, NOT_RUN } from '../../conversation/stand-in.ts';
import { shownText } from './output.ts';

/** `aggregated_output` and the like are for the eye: the whole output stands in the response item. */
const SHOWN_OUTPUT = 8192;

/**
 * The item that the TUI shows for a call and its output. Items never reach the model (FORMAT.md), so the nearest native
 * kind may be used here while the call itself keeps its name and arguments.
 */
export function displayItem(
  id: string,
  name: string,
  call: SessionEvent,
  result: SessionEvent | null,
  cwd: string,
): Record<string, unknown> {
  const payload = call.payload as unknown as ToolCall;
  const shown: Shown = {
    id,
    name,
    payload,
    result,
    cwd,
    text: result === null ? NOT_RUN : shownText(result).slice(0, SHOWN_OUTPUT),
    bad: failed(result),
  };
  return command(shown) ?? fileChange(shown) ?? mcp(shown) ?? dynamic(shown);
}

interface Shown {
  id: string;
  name: string;
  payload: ToolCall;
  result: SessionEvent | null;
  cwd: string;
  text: string;
  bad: boolean;
}

function command({ id, payload, result, cwd, text, bad }: Shown): Record<string, unknown> | null {
  if (payload.tool !== 'shell') return null;
  const argv = argvOf(payload.arguments);
  if (argv === null) return null;
  const exit = (result?.payload as ToolResult | undefined)?.exit_code;
  return {
    type: 'CommandExecution',
    id,
    command: argv,
    cwd: pathToFileURL(cwd).href,
    parsed_cmd: [{ type: 'unknown', cmd: argv.at(-1) }],
    source: 'agent',
    status: statusOf(result, bad),
    aggregated_output: text,
    exit_code: exit ?? (bad ? 1 : 0),
    duration: durationOf(result),
  };
}

function argvOf(args: ToolCall['arguments']): string[] | null {
  if (typeof args === 'string') return null;
  const given = args.command ?? args.cmd;
  if (typeof given === 'string') return ['bash', '-lc', given];
  return Array.isArray(given) && given.length > 0 && given.every((part) => typeof part === 'string') ? given : null;
}

function statusOf(result: SessionEvent | null, bad: boolean): string {
  if ((result?.payload as ToolResult | undefined)?.closed === 'denied') return 'declined';
  return bad ? 'failed' : 'completed';
}

/** Only where the real change is known: a diff without true line numbers would show something false. */
function fileChange({ id, payload, result, bad }: Shown): Record<string, unknown> | null {
  if (
    result === null ||
    bad ||
    (payload.tool !== 'edit' && payload.tool !== 'write') ||
    typeof payload.arguments === 'string'
  )
    return null;
  const { file_path, content } = payload.arguments;
  if (typeof file_path !== 'string') return null;
  const { structured } = result.payload as unknown as ToolResult;
  const patch =
    typeof structured === 'object' && structured !== null && 'structuredPatch' in structured
      ? structured.structuredPatch
      : undefined;
  const diff = unifiedDiff(patch);
  const created = diff === null && payload.tool === 'write' && typeof content === 'string' && isCreation(structured);
  if (diff === null && !created) return null;
  const change = created
    ? { type: 'add', content: (content as string).slice(0, SHOWN_OUTPUT) }
    : { type: 'update', unified_diff: diff, move_path: null };
  return { type: 'FileChange', id, changes: { [file_path]: change }, status: 'completed', stdout: '', stderr: '' };
}

function isCreation(structured: unknown): boolean {
  return typeof structured === 'object' && structured !== null && 'type' in structured && structured.type === 'create';
}

/** Claude Code's own hunks: `[{oldStart, oldLines, newStart, newLines, lines}]`. null = none or not understood. */
function unifiedDiff(patch: unknown): string | null {
  if (!Array.isArray(patch) || patch.length === 0) return null;
  let diff = '';
  for (const hunk of patch as unknown[]) {
    if (typeof hunk !== 'object' || hunk === null) return null;
    const { oldStart, oldLines, newStart, newLines, lines } = hunk as Record<string, unknown>;
    const numbers = [oldStart, oldLines, newStart, newLines].every((n) => Number.isInteger(n));
    if (!numbers || !Array.isArray(lines) || !lines.every((line) => typeof line === 'string')) return null;
    diff += `@@ -${String(oldStart)},${String(oldLines)} +${String(newStart)},${String(newLines)} @@\n${lines.join('\n')}\n`;
  }
  return diff;
}

function mcp({ id, name, payload, result, text, bad }: Shown): Record<string, unknown> | null {
  if (payload.tool !== 'mcp' || typeof payload.arguments === 'string') return null;
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(payload.name) ?? [];
  return {
    type: 'McpToolCall',
    id,
    server: payload.server ?? server ?? 'unknown',
    tool: tool ?? name,
    arguments: payload.arguments,
    status: bad ? 'failed' : 'completed',
    result: { content: [{ type: 'text', text }], ...(bad ? { isError: true } : {}) },
    duration: durationOf(result),
  };
}

function dynamic({ id, name, payload, result, text, bad }: Shown): Record<string, unknown> {
  return {
    type: 'DynamicToolCall',
    id,
    tool: name,
    arguments: payload.arguments,
    status: bad ? 'failed' : 'completed',
    content_items: [{ type: 'inputText', text }],
    success: !bad,
    duration: durationOf(result),
  };
}

function durationOf(result: SessionEvent | null): { secs: number; nanos: number } {
  const ms = (result?.payload as ToolResult | undefined)?.duration_ms;
  const known = typeof ms === 'number' && Number.isFinite(ms) && ms > 0 ? ms : 0;
  return { secs: Math.floor(known / 1000), nanos: Math.floor((known % 1000) * 1e6) };
}
