import { sha256Ref } from '../../src/core/hash.ts';
import type { ContentBlock, SessionEvent, ToolCall, ToolResult } from '../../src/shared/events.ts';
import { NO_COUNTS, NO_USAGE, type SessionRow } from '../../src/shared/session.ts';
import type { SessionSource } from '../contract.ts';

const START = 1_790_000_000;

/** A model view in memory, for tests of writing: each method appends one event, a second after the last one. */
export class TestSession {
  readonly events: SessionEvent[] = [];
  readonly artifacts = new Map<string, Uint8Array>();
  readonly agent: string;

  constructor(agent = 'claude') {
    this.agent = agent;
  }

  event(type: string, payload: object, ts: number | null = START + this.events.length): SessionEvent {
    const event: SessionEvent = {
      seq: this.events.length,
      ts,
      agent: this.agent,
      actor: `agent:${this.agent}`,
      type,
      level: 1,
      payload: payload as Record<string, unknown>,
      refs: [],
      parent_seq: null,
      origin: null,
      checksum: '',
    };
    this.events.push(event);
    return event;
  }

  user(content: string | ContentBlock[], via = 'prompt'): SessionEvent {
    return this.event('message.user', { content: blocks(content), via });
  }

  system(content: string | ContentBlock[], toModel = true): SessionEvent {
    return this.event('message.system', {
      content: blocks(content),
      role: 'user',
      about: 'reminder',
      to_model: toModel,
    });
  }

  summary(text: string): SessionEvent {
    return this.event('context.compacted', { trigger: 'auto', summary: blocks(text), kept: [] });
  }

  reply(response: string, text: string): SessionEvent {
    return this.event('message.assistant', { response, content: blocks(text) });
  }

  thinking(response: string, text?: string): SessionEvent {
    return this.event('message.thinking', {
      response,
      form: 'signed',
      opaque: 'c2lnbmF0dXJl',
      ...(text === undefined ? {} : { text }),
    });
  }

  call(response: string, call_id: string, more: Partial<ToolCall> = {}): SessionEvent {
    const call: ToolCall = {
      response,
      call_id,
      name: 'Bash',
      arguments: { command: `run ${call_id}` },
      tool: 'shell',
      ...more,
    };
    return this.event('tool.call', call);
  }

  result(
    call_id: string,
    content: string | ContentBlock[] = `output of ${call_id}`,
    more: Partial<ToolResult> = {},
  ): SessionEvent {
    return this.event('tool.result', { call_id, content: blocks(content), is_error: false, closed: 'ran', ...more });
  }

  artifact(bytes: Uint8Array): string {
    const ref = `artifact:${sha256Ref(bytes)}`;
    this.artifacts.set(ref, bytes);
    return ref;
  }

  image(bytes: Uint8Array = PNG, media_type = 'image/png'): ContentBlock {
    return { kind: 'image', media_type, artifact: this.artifact(bytes), bytes: bytes.length };
  }

  source(): SessionSource {
    const { events, artifacts, agent } = this;
    return {
      row: { ...ROW, agent },
      async *model() {
        yield* events;
      },
      async artifact(ref) {
        const bytes = artifacts.get(ref);
        if (bytes === undefined) throw new Error(`no artifact ${ref}`);
        return bytes;
      },
    };
  }
}

export function blocks(content: string | ContentBlock[]): ContentBlock[] {
  return typeof content === 'string' ? [{ kind: 'text', text: content }] : content;
}

/** An 8 × 8 picture that decodes. */
export const PNG: Uint8Array = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAD0lEQVR4nGPgxAEYhpYEAKPmBsHgXMLpAAAAAElFTkSuQmCC',
  'base64',
);

const ROW: SessionRow = {
  id: 'sess_0123456789abcdef0123',
  agent: 'claude',
  native_id: '5f9cdce4-9557-4873-9d69-dc946093f0ad',
  source: null,
  title: 'A title',
  title_from: 'agent',
  first_prompt: null,
  last_prompt: null,
  cwd: '/home/dev/project',
  cwd_last: '/home/dev/project',
  git_branch: 'main',
  model: null,
  agent_version: null,
  started_at: null,
  last_activity: null,
  counts: NO_COUNTS,
  usage: NO_USAGE,
  context_tokens: null,
  events: 0,
  copied: 0,
  bytes: 0,
  parent: null,
  parent_kind: null,
  children: [],
  kin: {},
  branches: 1,
  errors: 0,
  redactions: 0,
  unknown_records: 0,
  warnings: [],
  archived: false,
  status: 'idle',
};
