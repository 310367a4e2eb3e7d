import { wholeFileDiff } from '../../../src/core/diff.ts';
import type { CommandRun, FileEdit, ToolCall, ToolResult } from '../../../src/shared/events.ts';
import { cutText } from '../../io/cut-text.ts';
import { outputBlocks } from './blocks.ts';
import { type Item, isObject } from './item.ts';
import { ACTOR } from './log.ts';
import { joined, model } from './messages.ts';
import type { CallState, Reading } from './state.ts';
import { commandOf, endingOf, planOf, saysFailed, toolOf } from './tools.ts';

type Json = Record<string, unknown>;
type Call = Extract<Item, { kind: 'call' }>;
type Output = Extract<Item, { kind: 'output' }>;

/** Calls whose output came a short time ago: an item about them may still follow. */
const REMEMBERED = 64;
const STDOUT_TAIL = 2000;

/** Tool calls, their outputs, and what events tell about them. */
export class Calls {
  readonly #r: Reading;

  constructor(reading: Reading) {
    this.#r = reading;
  }

  call(item: Call, payload: Json): void {
    const { log, state, accounts } = this.#r;
    const { kind, server } = toolOf(item.name, item.namespace);
    const id = item.id ?? `line-${log.place.line + 1}`;
    const call: ToolCall = {
      response: log.response(),
      call_id: id,
      // other agents have one name for both (`mcp__server__tool`), and without its namespace a tool would be another one
      name: item.namespace === null ? item.name : `${item.namespace}__${item.name}`,
      arguments: item.arguments,
      tool: kind,
      ...(server === null ? {} : { server }),
      ...(item.namespace === null ? {} : { native: { namespace: item.namespace, name: item.name } }),
    };
    const seq = log.put('tool.call', ACTOR, { ...call, ...model(state.model) });
    accounts.mapped++;
    state.conversation++;
    this.#plan(item, seq);
    const known: CallState = { seq, name: item.name, command: commandOf(item.arguments) };
    if (WITHOUT_OUTPUT.has(String(payload.type)))
      this.#answered(id, known, { call_id: id, content: [], is_error: payload.status === 'failed', closed: 'ran' });
    else state.calls[id] = known;
  }

  #plan(item: Call, seq: number): void {
    if (item.name !== 'update_plan') return;
    for (const todo of planOf(item.arguments)) this.#r.log.put('todo.update', ACTOR, todo, [`seq:${seq}`]);
  }

  output(item: Output): void {
    const { log, state, accounts, store } = this.#r;
    log.endResponse();
    accounts.mapped++;
    state.conversation++;
    const id = item.id ?? '';
    const call = state.calls[id] ?? null;
    const text = joined(item.parts);
    const ending = endingOf(text);
    const { content, truncated } = outputBlocks(item.parts, store);
    const exitCode = call?.exitCode ?? ending.exitCode;
    const duration = call?.durationMs ?? ending.durationMs;
    const result: ToolResult = {
      call_id: id,
      content,
      is_error:
        call?.failed === true || (exitCode !== undefined && exitCode !== 0) || saysFailed(text) || ending.interrupted,
      ...(exitCode === undefined ? {} : { exit_code: exitCode }),
      ...(duration === undefined ? {} : { duration_ms: duration }),
      ...(truncated === undefined ? {} : { truncated }),
      closed: ending.interrupted ? 'interrupted' : 'ran',
    };
    if (call === null)
      log.warn('orphan-result', `The output of ${id === '' ? 'a call without id' : id} has no open call before it.`, {
        count: 1,
      });
    else if (call.command !== null && call.ran !== true) this.#ran(call, call.command, text, exitCode, duration);
    this.#answered(id, call, result);
  }

  #answered(id: string, call: CallState | null, result: ToolResult): void {
    const { log, state } = this.#r;
    log.put('tool.result', 'system', result);
    delete state.calls[id];
    if (call === null) return;
    state.answered[id] = call;
    const ids = Object.keys(state.answered);
    if (ids.length > REMEMBERED) delete state.answered[ids[0]!];
  }

  /** Calls that can get no output any more. */
  abandon(): void {
    const { log, state } = this.#r;
    const open = Object.keys(state.calls);
    if (open.length === 0) return;
    state.calls = {};
    // a sub-agent is started in the middle of its parent's turn: what was open there is answered there
    if (state.copied !== null) return;
    log.warn(
      'unanswered-call',
      `${open.length} of the calls before this line have no output: ${open.slice(0, 5).join(', ')}.`,
      { count: open.length },
    );
  }

  /** An item about a call, before or after its output. False = a kind that tells nothing about calls. */
  overlay(item: Json): boolean {
    const id = String(item.id ?? '');
    const { state } = this.#r;
    const call = state.calls[id] ?? state.answered[id] ?? this.#inner(id);
    if (call !== null && (item.status === 'failed' || item.status === 'declined' || item.success === false))
      call.failed = true;
    const duration = durationOf(item.duration);
    if (call !== null && duration !== undefined && id !== '' && state.calls[id] === call) call.durationMs = duration;
    switch (item.type) {
      case 'CommandExecution':
        this.#commandItem(item, id, call, duration);
        return true;
      case 'FileChange':
        return this.#fileChange(item, call);
      case 'McpToolCall':
      case 'DynamicToolCall':
      case 'WebSearch':
      case 'ImageView':
        this.#r.accounts.declare(`item ${item.type}, told by its call`);
        return true;
      default:
        return false;
    }
  }

  /** In code mode the commands inside a cell have ids of their own: they belong to the cell that is open. */
  #inner(id: string): CallState | null {
    if (!id.startsWith('exec-')) return null;
    return Object.values(this.#r.state.calls).findLast((call) => call.name === 'exec' || call.name === 'wait') ?? null;
  }

  #commandItem(item: Json, id: string, call: CallState | null, duration: number | undefined): void {
    const exitCode = Number.isInteger(item.exit_code) ? (item.exit_code as number) : undefined;
    if (call !== null && this.#r.state.calls[id] === call) {
      if (exitCode !== undefined) call.exitCode = exitCode;
      call.ran = true;
    }
    const command = commandOf({ command: item.command }) ?? '';
    this.#r.accounts.mapped++;
    this.#ran(call, command, String(item.aggregated_output ?? ''), exitCode, duration, pathOf(item.cwd));
  }

  #ran(call: CallState | null, cmd: string, output: string, exitCode?: number, duration?: number, cwd?: string): void {
    const run: CommandRun = {
      cmd,
      ...(cwd === undefined ? {} : { cwd }),
      ...(exitCode === undefined ? {} : { exit_code: exitCode }),
      stdout_tail: output.slice(-STDOUT_TAIL).toWellFormed(),
      ...(duration === undefined ? {} : { duration_ms: duration }),
    };
    this.#r.log.put('command.run', call === null ? 'user' : ACTOR, run, call === null ? [] : [`seq:${call.seq}`]);
  }

  #fileChange(item: Json, call: CallState | null): boolean {
    const { log, accounts, store } = this.#r;
    if (!isObject(item.changes)) return false;
    const refs = call === null ? [] : [`seq:${call.seq}`];
    for (const [path, change] of Object.entries(item.changes)) {
      if (isObject(change)) log.put('file.edit', ACTOR, editOf(path, change, store), refs);
    }
    accounts.mapped++;
    return true;
  }
}

const WITHOUT_OUTPUT: ReadonlySet<string> = new Set(['web_search_call', 'image_generation_call']);
const OPERATIONS: Record<string, FileEdit['op']> = { add: 'create', delete: 'delete', update: 'edit' };

function editOf(path: string, change: Json, store: Reading['store']): FileEdit {
  const op = typeof change.move_path === 'string' ? 'move' : (OPERATIONS[String(change.type)] ?? 'edit');
  const diff = typeof change.unified_diff === 'string' ? change.unified_diff : wholeFile(op, change.content);
  return { path, op, ...(diff === undefined ? {} : { diff: cutText(diff, store).text }) };
}

/** A file that was added or deleted comes as its content, without marks. */
function wholeFile(op: FileEdit['op'], content: unknown): string | undefined {
  return typeof content === 'string' ? wholeFileDiff(content, op === 'delete' ? '-' : '+') : undefined;
}

function durationOf(value: unknown): number | undefined {
  if (!isObject(value) || typeof value.secs !== 'number' || typeof value.nanos !== 'number') return undefined;
  return Math.round(value.secs * 1000 + value.nanos / 1e6);
}

/** `file:///a%20b` → `/a b`. */
function pathOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (!value.startsWith('file://')) return value;
  try {
    return decodeURIComponent(value.slice('file://'.length));
  } catch {
    return undefined;
  }
}
