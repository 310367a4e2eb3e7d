import type { CommandRun, FileEdit, FileRead, Todo } from '../../../src/shared/events.ts';
import { isObject, type Json, numberOf, objectOf, textOf } from '../json.ts';
import { toolOf } from '../tools.ts';
import { ACTOR, type From, type SessionLog } from './log.ts';

const STDOUT_TAIL = 2000;

const STATUS: Record<string, Todo['status']> = {
  pending: 'pending',
  in_progress: 'in_progress',
  completed: 'done',
  cancelled: 'cancelled',
};

interface Ended {
  name: string;
  state: Json;
  /** number of the call */
  call: number;
  from: From;
}

/** What a finished call did, in the words of every agent: files, commands, to-dos. */
export function writeDerived(log: SessionLog, { name, state, call, from }: Ended): void {
  const put = (type: string, payload: object, part: number): void => {
    log.put(type, ACTOR, payload, { ...from, part, refs: [`seq:${call}`] }, call);
  };
  const { kind } = toolOf(name);
  const input = objectOf(state.input);
  const metadata = objectOf(state.metadata);
  if (kind === 'todo') {
    for (const [order, todo] of todosOf(input.todos).entries()) put('todo.update', todo, 2 + order);
    return;
  }
  if (kind === 'shell') {
    const run = commandOf(input, state, metadata);
    if (run !== null) put('command.run', run, 2);
    return;
  }
  const path = textOf(input.filePath);
  if (path === null || state.status !== 'completed') return;
  if (kind === 'read') put('file.read', { path, ...rangeOf(input) } satisfies FileRead, 2);
  if (kind === 'write' || kind === 'edit') put('file.edit', editOf(path, kind, metadata), 2);
}

function commandOf(input: Json, state: Json, metadata: Json): CommandRun | null {
  const cmd = textOf(input.command);
  if (cmd === null) return null;
  const exit = numberOf(metadata.exit);
  const cwd = textOf(input.workdir);
  const output = typeof state.output === 'string' ? state.output : String(state.error ?? '');
  return {
    cmd,
    ...(cwd === null ? {} : { cwd }),
    ...(exit === null ? {} : { exit_code: exit }),
    stdout_tail: output.slice(-STDOUT_TAIL).toWellFormed(),
  };
}

function rangeOf(input: Json): { range?: [number, number | null] } {
  const offset = numberOf(input.offset);
  const limit = numberOf(input.limit);
  if (offset === null && limit === null) return {};
  const start = offset ?? 0;
  return { range: [start, limit === null ? null : start + limit] };
}

function editOf(path: string, kind: 'write' | 'edit', metadata: Json): FileEdit {
  const diff = textOf(metadata.diff) ?? textOf(objectOf(metadata.filediff).patch);
  const op = kind === 'write' && metadata.exists === false ? 'create' : 'edit';
  return { path, op, ...(diff === null ? {} : { diff: diff.toWellFormed() }) };
}

/** To-dos of a `todowrite`; 1.2 gave them ids, later ones are told apart by their place. */
export function todosOf(value: unknown): Todo[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).map((todo, order) => ({
    id: textOf(todo.id) ?? String(order + 1),
    text: String(todo.content ?? '').toWellFormed(),
    status: STATUS[String(todo.status)] ?? 'pending',
    order,
  }));
}
