import type { CommandRun, FileEdit, FileRead, Todo } from '../../../src/shared/events.ts';
import { FAILED, STANDING_IN } from '../../conversation/stand-in.ts';
import { isObject, type Json, parsed, word } from '../json.ts';
import { tailOf } from './content.ts';

/** What a tool's own text says about its end: Hermes has no flag for it. */
export interface Ending {
  isError: boolean;
  closed: 'ran' | 'interrupted' | 'denied';
  exitCode?: number;
  durationMs?: number;
  /** the text as JSON, where it is an object */
  said: Json | null;
}

/** Longer outputs are no status objects; they are not parsed. */
const PARSED = 1 << 20;

const INTERRUPTED = /^\[(?:Tool execution (?:cancelled|skipped)|Orphan recovery: interrupted|Result unavailable)/;
const FAILURE = /^(?:Tool '[^']*' does not exist\b|Error executing tool\b|Error: |Invalid JSON arguments\b)/;

export function endingOf(text: string, disposition: unknown): Ending {
  const json = text.startsWith('{') && text.length <= PARSED ? parsed(text) : undefined;
  const said = isObject(json) ? json : null;
  if (INTERRUPTED.test(text)) return { isError: true, closed: 'interrupted', said };
  if (STANDING_IN.has(text)) return standingIn(text);
  if (said === null) {
    const isError = FAILURE.test(text) || text.startsWith(FAILED) || disposition === 'unknown';
    return { isError, closed: 'ran', said };
  }
  const { exit_code: exit, duration_seconds: seconds } = said;
  const error = word(said.error);
  return {
    isError: (Number.isInteger(exit) && exit !== 0) || error !== null || said.success === false || failedStatus(said),
    closed: error?.startsWith('BLOCKED') === true ? 'denied' : 'ran',
    ...(Number.isInteger(exit) ? { exitCode: exit as number } : {}),
    ...(typeof seconds === 'number' && Number.isFinite(seconds) ? { durationMs: Math.round(seconds * 1000) } : {}),
    said,
  };
}

const failedStatus = ({ status }: Json): boolean => status === 'error' || status === 'failed' || status === 'timeout';

function standingIn(text: string): Ending {
  if (text === FAILED) return { isError: true, closed: 'ran', said: null };
  return { isError: true, closed: text.includes('denied') ? 'denied' : 'interrupted', said: null };
}

const TAIL = 1000;
const MAX_DIFF = 8192;

export function commandRun(args: Json, text: string, { said, exitCode, durationMs }: Ending): CommandRun | null {
  const cmd = word(args.command) ?? word(args.cmd);
  if (cmd === null) return null;
  const output = typeof said?.output === 'string' ? said.output : text;
  return {
    cmd,
    ...(word(args.workdir) === null ? {} : { cwd: String(args.workdir) }),
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    stdout_tail: tailOf(output.toWellFormed(), TAIL),
    ...(durationMs === undefined ? {} : { duration_ms: durationMs }),
  };
}

export function fileRead(name: string, args: Json): FileRead | null {
  const path = word(args.path);
  if (name !== 'read_file' || path === null) return null;
  const { offset, limit } = args;
  if (!Number.isInteger(offset)) return { path };
  const from = offset as number;
  return { path, range: [from, Number.isInteger(limit) ? from + (limit as number) - 1 : null] };
}

export function fileEdit(name: string, args: Json, said: Json | null): FileEdit | null {
  const path = word(said?.resolved_path) ?? word(args.path);
  if (path === null) return null;
  if (name === 'write_file') return { path, op: 'edit' };
  if (name !== 'patch') return null;
  const diff = word(said?.diff);
  return { path, op: 'edit', ...(diff === null ? {} : { diff: diff.slice(0, MAX_DIFF).toWellFormed() }) };
}

const STATUS: Record<string, Todo['status']> = {
  in_progress: 'in_progress',
  completed: 'done',
  cancelled: 'cancelled',
};

/** The list that a `todo` call gives. */
export function todosOf(args: Json): Todo[] {
  if (!Array.isArray(args.todos)) return [];
  return args.todos.flatMap((entry: unknown, order): Todo[] => {
    if (!isObject(entry) || typeof entry.content !== 'string') return [];
    const id = typeof entry.id === 'string' ? entry.id : `todo-${order + 1}`;
    return [{ id, text: entry.content, status: STATUS[String(entry.status)] ?? 'pending', order }];
  });
}
