import { wellFormed } from '../../../src/core/text.ts';
import type {
  ContentBlock,
  ContextCompacted,
  MessageAssistant,
  MessageSystem,
  MessageThinking,
  MessageUser,
  ToolCall,
  ToolResult,
} from '../../../src/shared/events.ts';
import type { StoreArtifact } from '../../io/cut-text.ts';
import type { Json } from '../json.ts';
import { toolOf } from '../tools.ts';
import { blocksOf, outputBlocks, textOf } from './content.ts';
import { ACTOR, type SessionLog } from './log.ts';
import type { Call, Message } from './message.ts';
import { commandRun, endingOf, fileEdit, fileRead, todosOf } from './results.ts';

/** A call that has no result yet. */
export interface OpenCall {
  /** id of its row */
  row: number;
  seq: number;
  name: string;
  arguments: Json | string;
}

/** Of a row that is a summary: the events that the model sees before it, and those that are written again behind it. */
export interface Compaction {
  kept: number[];
  replaced: number[];
}

const FENCE = /<memory-context>[\s\S]*?<\/memory-context>/;
/** Rows in the user role that Hermes itself puts there. */
const INJECTED = ['[Your active task list was preserved across context compression]', '[IMPORTANT: Background process'];

/** Turns decoded rows into events, one row after the other. */
export class Mapper {
  readonly #log: SessionLog;
  readonly #store: StoreArtifact;
  readonly open: Map<string, OpenCall>;

  constructor(log: SessionLog, store: StoreArtifact, open: Map<string, OpenCall>) {
    this.#log = log;
    this.#store = store;
    this.open = open;
  }

  /** False = no record that we know; it was kept whole. */
  row(message: Message, around: Compaction | null): boolean {
    if (around !== null) this.#compacted(message, around);
    else if (message.role === 'user') this.#user(message);
    else if (message.role === 'assistant') this.#assistant(message);
    else if (message.role === 'tool') this.#tool(message);
    else return this.#other(message);
    return true;
  }

  #user(message: Message): void {
    this.abandon();
    const { content, row } = message;
    const text = textOf(content.parts);
    if (
      row.display_kind !== undefined ||
      row.observed !== undefined ||
      INJECTED.some((head) => text.startsWith(head))
    ) {
      this.#system(blocksOf(content.parts), 'user', 'notice', true, native({ ...row, role: 'user' }));
      return;
    }
    const only = content.parts.length === 1 && content.parts[0]?.kind === 'text' ? content.parts[0].text : null;
    const around = only === null ? null : splitSent(only, message.sent);
    if (around === null) {
      this.#prompt(blocksOf(content.parts), row);
      return;
    }
    const { before, said, after, sent } = around;
    const own = { ...row, content: only };
    this.#prompt([{ kind: 'text', text: wellFormed(said) }], own, before);
    if (after.trim() !== '') this.#system([{ kind: 'text', text: wellFormed(after) }], 'user', 'reminder', sent);
  }

  /** `before`: what Hermes put in front of the prompt, for the model alone. */
  #prompt(content: ContentBlock[], row: Json, before = ''): void {
    const payload: MessageUser = { content, via: 'prompt' };
    if (before.trim() === '') {
      this.#log.put('message.user', 'user', { ...payload, ...native(row) });
      return;
    }
    this.#system(
      [{ kind: 'text', text: wellFormed(before) }],
      'user',
      'reminder',
      true,
      native({ ...row, role: 'user' }),
    );
    this.#log.put('message.user', 'user', payload);
  }

  #system(
    content: ContentBlock[],
    role: MessageSystem['role'],
    about: MessageSystem['about'],
    toModel: boolean,
    more: { native?: Json } = {},
  ): void {
    const payload: MessageSystem = { content, role, about, ...(toModel ? { to_model: true } : {}), ...more };
    this.#log.put('message.system', 'system', payload);
  }

  #assistant(message: Message): void {
    this.abandon();
    const { content, calls, reasoning, row } = message;
    const { response } = this.#log;
    let rest: Json | null = row;
    /** the columns that nothing else gives back go with the first event */
    const taken = (more: Json = {}): { native?: Json } => {
      const own = native(rest ?? {}, more);
      rest = null;
      return own;
    };
    if (reasoning !== null) {
      const { text, opaque, native: columns } = reasoning;
      const thinking: MessageThinking = {
        response,
        ...(text === null ? {} : { text: wellFormed(text) }),
        form: formOf(text, opaque),
        ...(opaque === null ? {} : { opaque, provider: 'codex_reasoning_items' in opaque ? 'openai' : 'openrouter' }),
        ...taken(Object.keys(columns).length === 0 ? {} : { reasoning: columns }),
      };
      this.#log.put('message.thinking', ACTOR, thinking);
    }
    const isEmpty = content.parts.every((part) => part.kind === 'text' && part.text === '');
    if (isEmpty && content.shape === 'text' && rest !== null) rest.content = '';
    const emptyBehind = isEmpty && content.shape === 'text' && rest === null;
    if (!isEmpty || emptyBehind || content.shape === 'list') {
      const reply: MessageAssistant = {
        response,
        content: blocksOf(content.parts),
        ...(typeof row.finish_reason === 'string' ? { stop_reason: row.finish_reason } : {}),
        ...taken(),
      };
      this.#log.put('message.assistant', ACTOR, reply);
    }
    for (const call of calls) this.#call(call, response, taken);
    if (rest !== null) this.#log.meta('record', { table: 'messages', role: 'assistant', row: rest });
  }

  #call(call: Call, response: string, taken: (more?: Json) => { native?: Json }): void {
    const { id, name, arguments: args } = call;
    const payload: ToolCall = {
      response,
      call_id: id,
      name,
      arguments: typeof args === 'string' ? wellFormed(args) : args,
      ...toolOf(name),
      ...taken(),
    };
    const seq = this.#log.put('tool.call', ACTOR, payload);
    this.open.set(id, { row: this.#log.row, seq, name, arguments: args });
    if (name !== 'todo' || typeof args === 'string') return;
    for (const todo of todosOf(args)) this.#log.put('todo.update', ACTOR, todo, [`seq:${seq}`]);
  }

  #tool(message: Message): void {
    const { content, callId, row } = message;
    const call = callId === null ? undefined : this.open.get(callId);
    if (call === undefined)
      this.#log.warn('orphan-result', `The result of ${callId ?? 'a call without id'} has no open call before it.`, {
        count: 1,
      });
    else this.open.delete(callId!);
    const text = textOf(content.parts);
    const ending = endingOf(text, row.effect_disposition);
    const { content: blocks, truncated } = outputBlocks(content.parts, this.#store);
    const result: ToolResult = {
      call_id: callId ?? '',
      content: blocks,
      is_error: ending.isError,
      ...(ending.exitCode === undefined ? {} : { exit_code: ending.exitCode }),
      ...(ending.durationMs === undefined ? {} : { duration_ms: ending.durationMs }),
      ...(truncated === undefined ? {} : { truncated }),
      closed: ending.closed,
      ...native(row),
    };
    this.#log.put('tool.result', 'system', result);
    if (call === undefined || typeof call.arguments === 'string') return;
    const refs = [`seq:${call.seq}`];
    const run = toolOf(call.name).tool === 'shell' ? commandRun(call.arguments, text, ending) : null;
    if (run !== null) this.#log.put('command.run', ACTOR, run, refs);
    if (ending.isError) return;
    const read = fileRead(call.name, call.arguments);
    if (read !== null) this.#log.put('file.read', ACTOR, read, refs);
    const edit = fileEdit(call.name, call.arguments, ending.said);
    if (edit !== null) this.#log.put('file.edit', ACTOR, edit, refs);
  }

  #compacted({ role, content, row, calls }: Message, { kept, replaced }: Compaction): void {
    this.abandon();
    const own = role === 'user' ? row : { ...row, role };
    const payload: ContextCompacted = {
      trigger: 'auto',
      summary: blocksOf(content.parts),
      kept,
      ...(kept.length > 0 ? { kept_first: true } : {}),
      ...native(own),
    };
    const refs = replaced.map((seq) => `seq:${seq}`);
    this.#log.put('context.compacted', 'system', payload, refs);
    // A summary can be merged with an answer that goes on to call tools.
    for (const call of calls) this.#call(call, this.#log.response, () => ({}));
  }

  #other({ role, content, row }: Message): boolean {
    const blocks = blocksOf(content.parts);
    const own = native({ ...row, role });
    if (role === 'system') this.#system(blocks, 'system', 'instructions', false, own);
    else if (role === 'developer') this.#system(blocks, 'developer', 'instructions', true, own);
    else if (role === 'session_meta')
      this.#log.meta('record', { table: 'messages', role, row, content: content.parts });
    else {
      this.#log.meta('unknown', { table: 'messages', role, row, content: content.parts });
      return false;
    }
    return true;
  }

  /** Calls that can get no result any more. */
  abandon(): void {
    if (this.open.size === 0) return;
    const ids = [...this.open.keys()].slice(0, 5).join(', ');
    this.#log.warn('unanswered-call', `${this.open.size} of the calls before this message have no result: ${ids}.`, {
      count: this.open.size,
    });
    this.open.clear();
  }
}

function native(row: Json, more: Json = {}): { native?: Json } {
  const own: Json = { ...(Object.keys(row).length === 0 ? {} : { row }), ...more };
  return Object.keys(own).length === 0 ? {} : { native: own };
}

function formOf(text: string | null, opaque: Json | null): MessageThinking['form'] {
  if (opaque === null) return 'plain';
  if ('codex_reasoning_items' in opaque) return text === null ? 'encrypted' : 'summary';
  return text === null ? 'encrypted' : 'signed';
}

/**
 * What a person said, and what Hermes put around it for its model: recalled memory, notes of plugins. `sent` is the exact
 * text for the model; without it Hermes strips fences of memory from what it sends. null = nothing was put around it.
 */
function splitSent(
  content: string,
  sent: string | null,
): { before: string; said: string; after: string; sent: boolean } | null {
  const fence = FENCE.exec(content);
  const said = (fence === null ? content : content.replace(FENCE, '')).trim();
  if (sent === null) return fence === null || said === '' ? null : { before: '', said, after: fence[0], sent: false };
  const at = said === '' ? -1 : sent.indexOf(said);
  if (at < 0) return null;
  const before = sent.slice(0, at);
  const after = sent.slice(at + said.length);
  return before.trim() === '' && after.trim() === '' ? null : { before, said, after, sent: true };
}
