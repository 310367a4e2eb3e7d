import { textOf } from '../../src/core/view/content.ts';
import type { ContentBlock, MessageSystem } from '../../src/shared/events.ts';
import { type Mapped, mapContent } from './content.ts';
import { asArtifact, compact } from './cut.ts';
import { EVENT } from './graph.ts';
import { notePrompt, putPrompt } from './map-user.ts';
import { extras, leftOver } from './native.ts';
import { type Place, placeOf, type Role, settle } from './place.ts';
import { isObject, type Json, type NativeRecord, word } from './record.ts';
import type { SessionState } from './state.ts';

const HANDLED: ReadonlySet<string> = new Set(['uuid', 'parentUuid', 'timestamp']);
const RENDERED_KEYS: ReadonlySet<string> = new Set(['content']);

/** Attachments that a reader wants to see; the others are the client's own context, kept as records. */
const ABOUT = new Map<string, MessageSystem['about']>([
  ['file', 'file'],
  ['compact_file_reference', 'file'],
  ['edited_text_file', 'file'],
  ['selected_lines_in_ide', 'file'],
  ['instructions', 'instructions'],
  ['nested_memory', 'instructions'],
  ['hook_additional_context', 'hook'],
  ['hook_blocking_error', 'hook'],
  ['hook_success', 'hook'],
  ['hook_non_blocking_error', 'hook'],
]);

/** Kinds that were seen and are kept as records without being shown. Others are kept too, and counted as unknown. */
const NOISE: ReadonlySet<string> = new Set([
  'agent_listing_delta',
  'auto_mode',
  'critical_system_reminder',
  'date',
  'deferred_tools_delta',
  'deferred_tools_record',
  'diagnostics',
  'environment',
  'mcp_instructions_delta',
  'model',
  'opened_file_in_ide',
  'plan_mode',
  'plan_mode_exit',
  'plan_mode_reentry',
  'prompt_snapshot',
  'read_truncation_notice',
  'remote_session_change',
  'session_context',
  'silent_turn_reminder',
  'skill_listing',
  'task_reminder',
  'todo',
  'todo_reminder',
  'ultrathink_effort',
]);

/** An attachment line. Returns the kind when it is not known, true when it was mapped. */
export function mapAttachment(state: SessionState, record: NativeRecord): true | string {
  const { attachment } = record;
  const kind = isObject(attachment) && typeof attachment.type === 'string' ? attachment.type : '';
  if (!isObject(attachment) || kind === '') return 'attachment';
  if (kind === 'queued_command') return mapQueued(state, record, attachment);
  const about = ABOUT.get(kind);
  if (about !== undefined) {
    mapShown(state, record, attachment, about);
    return true;
  }
  if (!NOISE.has(kind)) return `attachment/${kind}`;
  mapNoise(state, record, kind, attachment);
  return true;
}

/** A prompt typed while a turn ran (the only record of it), or a notice that came through the same queue. */
function mapQueued(state: SessionState, record: NativeRecord, attachment: Json): true | string {
  const { prompt, origin, commandMode } = attachment;
  if (typeof prompt !== 'string' && !Array.isArray(prompt)) return 'attachment/queued_command';
  const foreign = isObject(origin) && typeof origin.kind === 'string' && origin.kind !== 'human';
  const human = !foreign && (commandMode === undefined || commandMode === 'prompt');
  const { log } = state;
  const mapped = mapContent(prompt, { store: state.store, cut: false });
  const said = textOf(mapped.content);
  const role: Role = { kind: human ? 'prompt' : 'other' };
  const place = placeOf(log, record, role);
  if (human && state.absorbs(said, place.parent)) return 'absorbed';
  log.current.parent = place.parent;
  const native = nativeOf(state, record, place, mapped);
  native.attachment = compact(extras(attachment, new Set(['prompt'])), { store: state.store });
  if (human) {
    putPrompt(state, mapped.content, 'queued', native, EVENT.OTHER);
    notePrompt(state, 'queued', said);
  } else putShown(state, mapped.content, 'notice', native, 'user');
  settle(log, place, { kind: 'other' }, log.current.last);
  return true;
}

function mapShown(state: SessionState, record: NativeRecord, attachment: Json, about: MessageSystem['about']): void {
  const { log } = state;
  const role: Role = { kind: 'other' };
  const place = placeOf(log, record, role);
  log.current.parent = place.parent;
  const { rendered } = record;
  const list = Array.isArray(rendered) ? (rendered as unknown[]) : [];
  const usable = list.length > 0 && list.every((item) => isObject(item) && isContent(item.content));
  const native = nativeOf(state, record, place, {});
  native.attachment = compact(attachment, { store: state.store });
  let content: ContentBlock[] = [];
  if (usable) {
    const rest = list.map((item) => extras(item as Json, RENDERED_KEYS) ?? null);
    native.rendered = { $texts: list.length, ...(rest.some((one) => one !== null) ? { $rest: rest } : {}) };
    content = list.map((item) => ({ kind: 'text', text: (item as { content: string }).content }));
  } else content = plainText(attachment).map((text) => ({ kind: 'text', text }));
  putShown(state, content, about, native, record.renderedRole === 'system' ? 'system' : 'user');
  settle(log, place, role, log.current.last);
}

function isContent(value: unknown): boolean {
  return typeof value === 'string';
}

/** Text of attachments of clients that did not keep what they rendered. */
function plainText(attachment: Json): string[] {
  const { content, files, stdout } = attachment;
  const texts: string[] = [];
  if (typeof content === 'string') texts.push(content);
  if (Array.isArray(content)) for (const item of content as unknown[]) if (typeof item === 'string') texts.push(item);
  const file = isObject(content) && isObject(content.file) ? content.file : undefined;
  if (typeof file?.content === 'string') texts.push(`${word(file.filePath ?? attachment.filename)}\n${file.content}`);
  if (Array.isArray(files))
    for (const one of files as unknown[])
      if (isObject(one) && typeof one.content === 'string') texts.push(`${word(one.path)}\n${one.content}`);
  if (texts.length === 0 && typeof stdout === 'string') texts.push(stdout);
  return texts;
}

function putShown(
  state: SessionState,
  content: ContentBlock[],
  about: MessageSystem['about'],
  native: Json,
  role: MessageSystem['role'],
): void {
  const payload: Json = { about, content, native, role, to_model: true };
  state.log.put({ type: 'message.system', actor: 'system', level: 1, payload });
}

function nativeOf(state: SessionState, record: NativeRecord, place: Place, mapped: Pick<Mapped, 'native'>): Json {
  return leftOver(record, HANDLED, state.log, place.exact, mapped.native) ?? {};
}

/** Kept whole; the big parts, which repeat from session to session, as artifacts. */
function mapNoise(state: SessionState, record: NativeRecord, kind: string, attachment: Json): void {
  const parts: Json = {};
  const big = kind === 'prompt_snapshot' || kind === 'skill_listing' || kind === 'deferred_tools_delta';
  for (const key of Object.keys(attachment))
    parts[key] = big ? asArtifact(attachment[key], state.store) : attachment[key];
  const value = big ? parts : compact(attachment, { store: state.store });
  keepRecord(state, { ...record, attachment: value });
}

/** Puts a chain record into the log as it is, without a meaning of its own. */
export function keepRecord(
  state: SessionState,
  record: NativeRecord,
  kind: Role['kind'] & ('other' | 'progress') = 'other',
): void {
  const { log } = state;
  const role = { kind };
  const place = placeOf(log, record, role);
  log.current.parent = place.parent;
  const value = leftOver(record, HANDLED, log, place.exact, undefined) ?? {};
  log.put({ type: 'meta', actor: 'system', level: 0, payload: { key: 'record', value } });
  settle(log, place, role, log.current.last);
}
