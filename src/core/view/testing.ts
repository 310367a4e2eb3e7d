import type { ContentBlock, EventDraft, SessionEvent, ToolKind } from '../../shared/events.ts';
import { classifyLog } from './classify-log.ts';
import type { SessionIndex } from './flags.ts';

/** Builds small logs for tests: each method appends one event below the last one, unless `parent` says otherwise. */
export class LogBuilder {
  readonly events: SessionEvent[] = [];
  #tip: number | null = null;

  /** Any event. `parent` undefined = below the last event of the tree. */
  event(
    type: string,
    payload: Record<string, unknown>,
    options: { parent?: number | null; actor?: string; ts?: number | null; refs?: string[] } = {},
  ): number {
    const seq = this.events.length;
    const parent = options.parent === undefined ? this.#tip : options.parent;
    this.events.push({
      seq,
      ts: options.ts === undefined ? 1_790_000_000 + seq : options.ts,
      agent: 'claude',
      actor: options.actor ?? 'agent:claude',
      type,
      level: 1,
      payload,
      refs: options.refs ?? [],
      parent_seq: parent,
      origin: null,
      checksum: `sha256:${'0'.repeat(64)}`,
    });
    if (type !== 'meta') this.#tip = seq;
    return seq;
  }

  user(text: string, parent?: number | null, via = 'prompt'): number {
    return this.event('message.user', { content: textBlocks(text), via }, { actor: 'user', ...at(parent) });
  }

  system(text: string, parent?: number | null, about = 'reminder', toModel = false): number {
    return this.event(
      'message.system',
      { content: textBlocks(text), role: 'user', about, to_model: toModel },
      { actor: 'system', ...at(parent) },
    );
  }

  assistant(response: string, text: string, parent?: number | null, more: Record<string, unknown> = {}): number {
    return this.event('message.assistant', { response, content: textBlocks(text), ...more }, at(parent));
  }

  thinking(response: string, text: string | undefined, parent?: number | null): number {
    return this.event(
      'message.thinking',
      { response, form: text === undefined ? 'encrypted' : 'plain', ...(text === undefined ? {} : { text }) },
      at(parent),
    );
  }

  call(
    response: string,
    id: string,
    tool: ToolKind = 'shell',
    args: unknown = { command: id },
    parent?: number | null,
  ): number {
    return this.event('tool.call', { response, call_id: id, name: tool, arguments: args, tool }, at(parent));
  }

  result(id: string, text = `out of ${id}`, parent?: number | null, more: Record<string, unknown> = {}): number {
    return this.event(
      'tool.result',
      { call_id: id, content: textBlocks(text), is_error: false, closed: 'ran', ...more },
      { actor: 'system', ...at(parent) },
    );
  }

  meta(key: string, value: unknown, actor = 'system'): number {
    return this.event('meta', { key, value }, { parent: null, actor });
  }

  compacted(kept: number[], more: Record<string, unknown> = {}, parent?: number | null): number {
    return this.event(
      'context.compacted',
      { trigger: 'manual', summary: textBlocks('what was'), kept, ...more },
      { actor: 'system', ...at(parent) },
    );
  }

  index(): SessionIndex {
    return classifyLog(this.events);
  }
}

function at(parent: number | null | undefined): { parent?: number | null } {
  return parent === undefined ? {} : { parent };
}

export function textBlocks(text: string): ContentBlock[] {
  return [{ kind: 'text', text }];
}

/** An event without what the log adds. */
export function draftOf(event: SessionEvent): EventDraft {
  const { seq: _seq, checksum: _checksum, ...draft } = event;
  return draft;
}
