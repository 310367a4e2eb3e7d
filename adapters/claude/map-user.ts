import { textOf } from '../../src/core/view/content.ts';
import type { ContentBlock, MessageSystem, MessageUser } from '../../src/shared/events.ts';
import { mapContent } from './content.ts';
import { tailOf } from './derive.ts';
import { EVENT } from './graph.ts';
import { mapSummary } from './map-compaction.ts';
import { isResult, mapResults } from './map-result.ts';
import { leftOver } from './native.ts';
import { placeOf, settle } from './place.ts';
import { isObject, type Json, type NativeRecord } from './record.ts';
import type { SessionState } from './state.ts';
import { namesSession, oneLine } from './titles.ts';
import { messageRest } from './user-message.ts';

const HANDLED: ReadonlySet<string> = new Set(['type', 'uuid', 'parentUuid', 'timestamp', 'message']);

const INTERRUPTED = /^\[Request interrupted by user/;
const COMMAND = /^\s*<command-(?:name|message)>/;
const SHELL_INPUT = /^\s*<bash-input>([\s\S]*?)<\/bash-input>/;
const SHELL_OUTPUT = /^\s*<bash-std(?:out|err)>/;
const COMMAND_OUTPUT = /^\s*<local-command-std(?:out|err)>/;
const TASK_NOTICE = /^\s*<task-notification>/;
const REMINDER = /^\s*<system-reminder>/;

/** The mark that the client leaves when the user stops a turn. */
export const isInterruption = (said: string): boolean => INTERRUPTED.test(said);

/** What a user line without results is. Only `prompt` and `command` are a person's own. */
export type Said = { from: 'user'; via: MessageUser['via'] } | { from: 'harness'; about: MessageSystem['about'] };

/**
 * Tells prompts from what the client writes into the user role. In order: notes (`isMeta`), marks of interruptions,
 * slash commands, `!` commands and their output, notices of background tasks; anything else is a prompt.
 */
export function whatIsSaid(record: NativeRecord, said: string): Said {
  if (record.isMeta === true) return { from: 'harness', about: carriedAbout(record) ?? 'reminder' };
  if (isInterruption(said)) return { from: 'harness', about: 'notice' };
  if (COMMAND.test(said) || SHELL_INPUT.test(said)) return { from: 'user', via: 'command' };
  if (COMMAND_OUTPUT.test(said) || SHELL_OUTPUT.test(said)) return { from: 'harness', about: 'command_output' };
  const { origin } = record;
  const notice = isObject(origin) && typeof origin.kind === 'string' && origin.kind !== 'human';
  if (TASK_NOTICE.test(said) || (notice && record.promptSource === 'system'))
    return { from: 'harness', about: 'notice' };
  return REMINDER.test(said) ? { from: 'harness', about: 'reminder' } : { from: 'user', via: 'prompt' };
}

/** What a note was that sessionctl carried here (write/lines.ts). */
function carriedAbout({ carriedAbout: about }: NativeRecord): MessageSystem['about'] | undefined {
  return about === 'file' || about === 'command_output' || about === 'notice' ? about : undefined;
}

/** A user line: results of calls, a compaction summary, a prompt or a note. Returns why not, where it was not mapped. */
export function mapUser(state: SessionState, record: NativeRecord): true | string {
  const { message } = record;
  if (!isObject(message) || (typeof message.content !== 'string' && !Array.isArray(message.content))) return 'user';
  if (Array.isArray(message.content) && message.content.some(isResult)) {
    mapResults(state, record, message, message.content);
    return true;
  }
  if (record.isCompactSummary === true) {
    mapSummary(state, record, message);
    return true;
  }
  const { log } = state;
  const mapped = mapContent(message.content, { store: state.store, cut: false });
  const said = textOf(mapped.content);
  const what = whatIsSaid(record, said);
  const role = { kind: what.from === 'user' ? 'prompt' : 'other' } as const;
  const place = placeOf(log, record, role);
  if (what.from === 'user' && state.absorbs(said, place.parent)) return 'absorbed';
  log.current.parent = place.parent;
  const native = leftOver(record, HANDLED, log, place.exact, messageRest(message, mapped));
  if (what.from === 'user') {
    putPrompt(state, mapped.content, what.via, native);
    notePrompt(state, what.via, said);
  } else putNote(state, mapped.content, what.about, native);
  if (isInterruption(said)) log.lastType = 'interrupted';
  settle(log, place, role, log.current.last);
  shell(state, said, log.current.last);
  return true;
}

/** What follows from a prompt: it may name the session, calls before it stay unanswered, it waits no longer. */
export function notePrompt(state: SessionState, via: MessageUser['via'], said: string): void {
  state.queue.delivered(said);
  if (via === 'prompt' && namesSession(said)) state.titles.first ??= oneLine(said);
  if (via !== 'queued') state.calls.passBy(undefined);
  const input = SHELL_INPUT.exec(said);
  if (input !== null) state.shell = { seq: state.log.graph.lastCore, cmd: input[1] ?? '' };
}

/** Appends what a person sent. */
export function putPrompt(
  state: SessionState,
  content: ContentBlock[],
  via: MessageUser['via'],
  native: Json | undefined,
  kind: number = EVENT.USER,
): number {
  const payload: Json = { content };
  if (native !== undefined) payload.native = native;
  payload.via = via;
  return state.log.put({ type: 'message.user', actor: 'user', level: 2, payload, kind });
}

function putNote(
  state: SessionState,
  content: ContentBlock[],
  about: MessageSystem['about'],
  native: Json | undefined,
): void {
  const payload: Json = { about, content };
  if (native !== undefined) payload.native = native;
  payload.role = 'user';
  payload.to_model = true;
  state.log.put({ type: 'message.system', actor: 'system', level: 1, payload, kind: EVENT.USER });
}

/** Output of a `!` command of the user, which stands in a line of its own. */
function shell(state: SessionState, said: string, seq: number): void {
  const call = state.shell;
  if (call === undefined || !SHELL_OUTPUT.test(said)) return;
  state.shell = undefined;
  const out = said.replace(/<\/?bash-std(?:out|err)>/g, '').trim();
  const payload = { cmd: call.cmd, stdout_tail: tailOf(out) };
  state.log.aside({ type: 'command.run', actor: 'user', level: 1, payload, refs: [`seq:${call.seq}`] }, seq);
}
