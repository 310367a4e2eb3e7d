import { shorten } from '../../../src/core/text.ts';
import type { CommandRun, ContentBlock, MessageSystem, MessageUser } from '../../../src/shared/events.ts';
import { branchText, commandText, mapContent } from '../content.ts';
import { isObject, type Json, number, text } from '../json.ts';
import { assistant } from './answers.ts';
import { nativeMessage, nativeOf } from './envelope.ts';
import type { SessionLog } from './log.ts';
import { result } from './results.ts';
import type { Reading } from './state.ts';
import { usage } from './usage.ts';

/** Appends the events of a message by its role. False = a role that we do not know. */
export function message(r: Reading, record: Json): boolean {
  const body = isObject(record.message) ? record.message : {};
  switch (body.role) {
    case 'user':
      user(r, record, body);
      return true;
    case 'assistant':
      assistant(r, record, body);
      return true;
    case 'toolResult':
      result(r, record, body);
      return true;
    case 'system':
      instructions(r, record, body);
      return true;
    case 'bashExecution':
      command(r, record, body);
      return true;
    case 'custom':
    case 'hookMessage':
      note(r, body.content, nativeMessage(record, r.log, ['content']));
      return true;
    case 'branchSummary':
      notice(
        r,
        text(body.summary) ?? '',
        nativeMessage(record, r.log, typeof body.summary === 'string' ? ['summary'] : []),
        typeof body.summary === 'string',
      );
      return true;
    default:
      return false;
  }
}

function user(r: Reading, record: Json, body: Json): void {
  const { log } = r;
  const open = [...log.graph.calls.keys()];
  if (open.length > 0)
    log.warn(
      'unanswered-call',
      `${open.length} of the calls before this line have no result: ${open.slice(0, 5).join(', ')}.`,
      {
        count: open.length,
      },
    );
  const { content, native } = mapContent(body.content, r.store);
  const payload: MessageUser = {
    content,
    via: 'prompt',
    native: { ...nativeMessage(record, log, ['role', 'content']), ...native },
  };
  const isFirst = log.graph.prompts === 0;
  log.put('message.user', 'user', payload);
  const [first] = content;
  if (isFirst && first?.kind === 'text') nameByRequest(log, first.text);
}

/** Files named on the command line stand in front of what the person said, which is what names the session. */
function nameByRequest(log: SessionLog, words: string): void {
  const request = words.replace(/^(?:<file name="[^"\n]*">[\s\S]*?<\/file>\s*)+/, '');
  const title = shorten(request.replace(/\s+/g, ' ').trim(), TITLE);
  if (request !== words && title !== '') log.sink.facts({ title, title_from: 'prompt' });
}

const TITLE = 120;

/** Pi's own prompt and tools: a checkpoint, or a change of sections by name. Never part of the conversation. */
function instructions({ log }: Reading, record: Json, body: Json): void {
  const content: ContentBlock[] = [];
  const add = (value: unknown): unknown => {
    if (typeof value !== 'string') return { $value: value };
    return content.push({ kind: 'text', text: value }) - 1;
  };
  const sections = isObject(body.sections)
    ? Object.entries(body.sections).map(([name, value]) => [name, add(value)])
    : undefined;
  const kept = nativeMessage(record, log, sections === undefined ? [] : ['sections']);
  const native = { ...kept, ...(sections === undefined ? {} : { $sections: sections }) };
  const payload: MessageSystem = { content, role: 'system', about: 'instructions', native };
  log.put('message.system', 'system', payload);
}

/** A command that the person ran (`!cmd`); the model is told of it as a message, or not at all (`!!cmd`). */
function command({ log }: Reading, record: Json, body: Json): void {
  const told = commandText(body);
  const output = text(body.output);
  const native = {
    ...nativeMessage(record, log, output === undefined ? [] : ['output']),
    ...(output === undefined ? {} : { $output: [told.at, output.length] }),
  };
  const payload: MessageSystem = {
    content: [{ kind: 'text', text: told.text }],
    role: 'user',
    about: 'command_output',
    ...(body.excludeFromContext === true ? {} : { to_model: true }),
    native,
  };
  log.put('message.system', 'user', payload);
  const code = number(body.exitCode);
  const run: CommandRun = {
    cmd: text(body.command) ?? '',
    ...(code === undefined ? {} : { exit_code: code }),
    stdout_tail: (output ?? '').slice(-2000).toWellFormed(),
  };
  log.aside('command.run', 'user', run);
}

/** What an extension put into the conversation. */
export function note({ log, store }: Reading, value: unknown, native: Json): void {
  const { content, native: more } = mapContent(value, store);
  const payload: MessageSystem = {
    content,
    role: 'user',
    about: 'notice',
    to_model: true,
    native: { ...native, ...more },
  };
  log.put('message.system', 'system', payload);
}

/** A branch summary as entry: what the model is told of the branch that was left. An empty one is not sent. */
export function branchSummary(r: Reading, record: Json): void {
  const summary = text(record.summary) ?? '';
  const native = { ...nativeOf(record, r.log, summary === '' ? [] : ['summary']), $entry: 'branch_summary' };
  if (summary === '') {
    const payload: MessageSystem = { content: [], role: 'user', about: 'notice', native };
    r.log.put('message.system', 'system', payload);
  } else notice(r, summary, native, true);
  usage(r, record.usage, 'summary');
}

function notice({ log }: Reading, summary: string, native: Json, given: boolean): void {
  const payload: MessageSystem = {
    content: [{ kind: 'text', text: branchText(summary) }],
    role: 'user',
    about: 'notice',
    to_model: true,
    native: { ...native, $summary: given },
  };
  log.put('message.system', 'system', payload);
}
