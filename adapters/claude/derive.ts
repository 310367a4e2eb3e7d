import { wholeFileDiff } from '../../src/core/diff.ts';
import { sha256Ref } from '../../src/core/hash.ts';
import { charFloor } from '../../src/core/text.ts';
import type { OpenCall } from './calls.ts';
import { isObject, type Json, type NativeRecord, text, word } from './record.ts';
import { ACTOR } from './session-log.ts';
import type { SessionState } from './state.ts';

const TAIL = 1000;
const MAX_DIFF = 8192;

/** A result as the derived events need it. */
export interface Outcome {
  seq: number;
  isError: boolean;
  exitCode: number | undefined;
  /** the whole text that the model saw, where there is only one */
  said: string | undefined;
  /** toolUseResult as the client wrote it */
  structured: unknown;
}

/** Writes what a call and its result did: commands, files read and changed, tasks. They refer to the call. */
export function derive(state: SessionState, call: OpenCall, outcome: Outcome, record: NativeRecord): void {
  const put = (type: string, payload: Json): void => {
    const refs = [`seq:${call.seq}`];
    state.log.aside({ type, actor: ACTOR, level: 1, payload, refs }, outcome.seq);
  };
  if (call.name === 'Bash') put('command.run', commandRun(call.arguments, outcome, record));
  if (outcome.isError) return;
  const read = fileRead(call, outcome.structured);
  if (read !== undefined) put('file.read', read);
  const edit = fileEdit(call, outcome.structured);
  if (edit !== undefined) put('file.edit', edit);
  for (const { type, todo } of state.todos.changes(call.name, call.arguments, outcome.structured))
    put(type, { id: todo.id, order: todo.order, status: todo.status, text: todo.text });
}

function commandRun(args: Json, outcome: Outcome, record: NativeRecord): Json {
  const { structured } = outcome;
  const out = isObject(structured) && typeof structured.stdout === 'string' ? structured.stdout : (outcome.said ?? '');
  const errors = isObject(structured) && typeof structured.stderr === 'string' ? structured.stderr : '';
  const shown = errors === '' ? out : out === '' ? errors : `${out}\n${errors}`;
  const payload: Json = { cmd: typeof args.command === 'string' ? args.command : '' };
  if (typeof record.cwd === 'string') payload.cwd = record.cwd;
  if (outcome.exitCode !== undefined) payload.exit_code = outcome.exitCode;
  payload.stdout_tail = tailOf(shown);
  return payload;
}

/** The end of an output, whole characters. */
export function tailOf(value: string): string {
  return value.length <= TAIL ? value : value.slice(charFloor(value, value.length - TAIL));
}

function fileRead(call: OpenCall, structured: unknown): Json | undefined {
  const path = text(call.arguments.file_path) ?? text(call.arguments.notebook_path);
  if ((call.name !== 'Read' && call.name !== 'NotebookRead') || path === undefined) return undefined;
  const file = isObject(structured) && isObject(structured.file) ? structured.file : {};
  const { offset, limit } = call.arguments;
  const start = numberOr(file.startLine, numberOr(offset, 1));
  const lines = numberOr(file.numLines, numberOr(limit, 0));
  return { path, range: [start, lines > 0 ? start + lines - 1 : null] };
}

function fileEdit(call: OpenCall, structured: unknown): Json | undefined {
  const args = call.arguments;
  const path = text(args.file_path) ?? text(args.notebook_path);
  if (path === undefined) return undefined;
  const result = isObject(structured) ? structured : {};
  if (call.name === 'Write') {
    const created = result.type === 'create' || result.originalFile === null;
    const payload: Json = typeof args.content === 'string' ? { after_digest: sha256Ref(args.content) } : {};
    const diff = patchText(result.structuredPatch) ?? (created ? newFile(args.content) : undefined);
    if (diff !== undefined) payload.diff = diff;
    payload.op = created ? 'create' : 'edit';
    payload.path = path;
    return payload;
  }
  if (call.name !== 'Edit' && call.name !== 'MultiEdit' && call.name !== 'NotebookEdit') return undefined;
  const diff = patchText(result.structuredPatch) ?? editText(args);
  return diff === undefined ? { op: 'edit', path } : { diff, op: 'edit', path };
}

/** The client gives no patch for a new file. A long one is not repeated: the call holds it. */
function newFile(content: unknown): string | undefined {
  const diff = typeof content === 'string' ? wholeFileDiff(content, '+') : '';
  return diff === '' || diff.length > MAX_DIFF ? undefined : diff;
}

/** Unified hunks from the client's own patch. */
function patchText(patch: unknown): string | undefined {
  if (!Array.isArray(patch) || patch.length === 0) return undefined;
  let diff = '';
  for (const hunk of patch as unknown[]) {
    if (!isObject(hunk) || !Array.isArray(hunk.lines)) return undefined;
    const [from, of, to, by] = [hunk.oldStart, hunk.oldLines, hunk.newStart, hunk.newLines].map(word);
    diff += `@@ -${from},${of} +${to},${by} @@\n${hunk.lines.map(word).join('\n')}\n`;
  }
  return short(diff);
}

/** Hunks without places, from the texts of the call. */
function editText(args: Json): string | undefined {
  const edits: unknown[] = Array.isArray(args.edits) ? args.edits : [args];
  let diff = '';
  for (const edit of edits) {
    if (!isObject(edit)) continue;
    const before = edit.old_string;
    const after = edit.new_string ?? edit.new_source;
    if (typeof after !== 'string') continue;
    diff += `@@\n${marked(typeof before === 'string' ? before : '', '-')}${marked(after, '+')}`;
  }
  return diff === '' ? undefined : short(diff);
}

function marked(value: string, mark: string): string {
  return value === '' ? '' : `${mark}${value.replaceAll('\n', `\n${mark}`)}\n`;
}

function short(diff: string): string {
  return diff.length <= MAX_DIFF ? diff : `${diff.slice(0, charFloor(diff, MAX_DIFF))}\n…`;
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : fallback;
}

function numberOrUndefined(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Milliseconds that a tool says it took. */
export function durationOf(structured: unknown): number | undefined {
  if (!isObject(structured)) return undefined;
  return numberOrUndefined(structured.durationMs) ?? numberOrUndefined(structured.totalDurationMs);
}
