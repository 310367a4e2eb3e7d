import { charFloor } from '../../../src/core/text.ts';
import type { Todo } from '../../../src/shared/events.ts';
import { tailOf } from './content.ts';
import { isObject, type Json, textOf } from './record.ts';
import type { Outcome } from './results.ts';

/** An event that follows from a call and its result. */
export interface Derived {
  type: string;
  payload: Json;
}

const MAX_DIFF = 8192;

/** What a call did: commands, files read and changed. Task lists: `todosOf`. */
export function derive({ call, result, display }: Outcome): Derived[] {
  if (call.kind === 'shell') return [{ type: 'command.run', payload: commandRun(call.args, result.text) }];
  const path = textOf(call.args.file_path) ?? textOf(call.args.absolute_path);
  if (result.isError || path === undefined) return [];
  if (call.name === 'read_file') return [{ type: 'file.read', payload: { path, ...rangeOf(call.args) } }];
  if (call.kind !== 'write' && call.kind !== 'edit') return [];
  const shown = isObject(display) ? display : {};
  const diff = textOf(shown.fileDiff);
  const payload: Json = { path, op: shown.isNewFile === true ? 'create' : 'edit' };
  if (diff !== undefined)
    payload.diff = diff.length <= MAX_DIFF ? diff : `${diff.slice(0, charFloor(diff, MAX_DIFF))}\n…`;
  return [{ type: 'file.edit', payload }];
}

/** Exit code of a shell command: only a failure is told since 0.61, and none when it was not run. */
export function exitCodeOf({ call, result }: Outcome): number | undefined {
  if (call.kind !== 'shell' || result.isError) return undefined;
  const code = /^Exit Code: (-?\d+)$/m.exec(result.text)?.[1];
  return code === undefined ? (/^(Signal|Error): (?!0$|\(none\)$)/m.test(result.text) ? undefined : 0) : Number(code);
}

function commandRun(args: Json, text: string): Json {
  const output =
    /^Output: ([\s\S]*?)\n(?:(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): |<\/untrusted_context>)/m.exec(
      text,
    );
  const shown = output?.[1] === '(empty)' ? '' : (output?.[1] ?? text);
  const payload: Json = { cmd: textOf(args.command) ?? '', stdout_tail: tailOf(shown) };
  const folder = textOf(args.dir_path) ?? textOf(args.directory);
  if (folder !== undefined) payload.cwd = folder;
  return payload;
}

function rangeOf({ start_line, end_line, offset, limit }: Json): Json {
  if (typeof start_line === 'number') return { range: [start_line, typeof end_line === 'number' ? end_line : null] };
  if (typeof offset !== 'number') return {};
  return { range: [offset + 1, typeof limit === 'number' ? offset + limit : null] };
}

const STATUS: Record<string, Todo['status']> = {
  pending: 'pending',
  in_progress: 'in_progress',
  completed: 'done',
  cancelled: 'cancelled',
  blocked: 'pending',
};

/** What `write_todos` changed: it gives the whole list each time, and a text names its task. `known`: status by text. */
export function todosOf({ call }: Outcome, known: Record<string, string>): Derived[] {
  if (call.kind !== 'todo' || !Array.isArray(call.args.todos)) return [];
  const derived: Derived[] = [];
  for (const [order, item] of (call.args.todos as unknown[]).entries()) {
    const text = isObject(item) ? textOf(item.description) : undefined;
    if (text === undefined) continue;
    const status = STATUS[String((item as Json).status)] ?? 'pending';
    const before = Object.hasOwn(known, text) ? known[text] : undefined;
    known[text] = status;
    if (before !== status)
      derived.push({
        type: before === undefined ? 'todo.add' : 'todo.update',
        payload: { id: text, text, status, order },
      });
  }
  return derived;
}
