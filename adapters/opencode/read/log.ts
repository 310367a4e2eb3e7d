import type { EventDraft, EventType, Origin } from '../../../src/shared/events.ts';
import type { SessionSink } from '../../contract.ts';
import type { ForkOf } from './session.ts';

export const AGENT = 'opencode';
export const ACTOR = 'agent:opencode';

/** Which native record an event comes from. */
export interface From {
  id: string | null;
  /** seconds */
  ts: number | null;
  part?: number;
  refs?: string[];
}

/** Types that make the tree: the others hang on it and are no one's parent. */
const CORE: ReadonlySet<string> = new Set([
  'message.user',
  'message.system',
  'message.assistant',
  'message.thinking',
  'tool.call',
  'tool.result',
  'context.compacted',
]);

/** Writes the events of one session: numbers, parents, origins. Knows nothing of what records mean. */
export class SessionLog {
  readonly sink: SessionSink;
  /** what the next event hangs on, -1 = nothing */
  parent = -1;
  /** whether an event that could be taken for the leaf was written */
  wroteCore = false;
  /** number of the message that is being read, and the fork whose source it was copied from */
  message: { seq: number; copied?: ForkOf } = { seq: 0 };
  /** placeholders put into the record whose first event comes next */
  redactions = 0;

  constructor(sink: SessionSink) {
    this.sink = sink;
  }

  /** Appends an event that hangs on `parent` (the last one of the branch) and returns its number. */
  put(type: EventType, actor: string, payload: object, from: From, parent = this.parent): number {
    const draft: EventDraft = {
      ts: from.ts,
      agent: AGENT,
      actor,
      type,
      level: 1,
      payload: payload as Record<string, unknown>,
      refs: from.refs ?? [],
      parent_seq: parent < 0 ? null : parent,
      origin: this.#origin(from),
    };
    const seq = this.sink.event(draft, this.redactions);
    this.redactions = 0;
    if (CORE.has(type)) {
      this.wroteCore = true;
      this.parent = seq;
    }
    return seq;
  }

  meta(key: string, value: unknown, from: From, native?: unknown): number {
    return this.put('meta', 'system', { key, value, ...(native === undefined ? {} : { native }) }, from);
  }

  #origin({ id, part }: From): Origin {
    const { seq, copied } = this.message;
    return {
      agent: AGENT,
      native_id: id === null ? null : (copied?.ids.get(id) ?? id),
      native_seq: seq,
      ...(copied === undefined ? {} : { session: copied.native_id }),
      ...(part === undefined || part === 0 ? {} : { part }),
    };
  }
}
