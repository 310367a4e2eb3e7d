import type { CaptureSink, SessionSink } from '../../../adapters/contract.ts';
import { sha256Hex } from '../../core/hash.ts';
import type { EventDraft } from '../../shared/events.ts';

const CONVERSATION = /^(?:message\.(?:user|assistant|thinking)|tool\.)/;

/** A sink that keeps nothing: it counts the events that are conversation, and the names of what they were not mapped to. */
export class ThrowawaySink implements CaptureSink {
  conversation = 0;
  private readonly sessions = new Map<string, SessionSink>();

  session({ native_id, part = '' }: { native_id: string; part?: string }): SessionSink {
    const id = `${native_id}\0${part}`;
    const known = this.sessions.get(id) ?? this.open(id);
    this.sessions.set(id, known);
    return known;
  }

  artifact(bytes: Uint8Array): string {
    return `artifact:sha256:${sha256Hex(bytes)}`;
  }

  idOf(source: { native_id: string }, part = ''): string {
    return `${source.native_id}\0${part}`;
  }

  async drain(): Promise<void> {}

  private open(id: string): SessionSink {
    let next = 0;
    return {
      id,
      get next() {
        return next;
      },
      event: ({ type }: EventDraft) => {
        if (CONVERSATION.test(type)) this.conversation++;
        return next++;
      },
      warning: () => void next++,
      facts: () => {},
      async *stored() {},
    };
  }
}
