import type { SessionEvent } from '../../shared/events.ts';
import { countImages } from '../view/content.ts';

/**
 * Kinds of the rows of a fidelity report, in stable words: prompt, reply, thinking, the normal kinds of tools, image
 * (anything that holds one), attachment, context, compaction, unknown, state. Outside the model view calls and results
 * are just `tool`, since nothing is read there.
 */
export class EventKinds {
  readonly #byCall = new Map<string, string>();

  /** Kind of an event. Results are of the kind of their call, so events must come in order. */
  of(event: SessionEvent): string {
    const { type, payload } = event;
    if (type === 'tool.call') {
      const kind = typeof payload.tool === 'string' ? payload.tool : 'other';
      this.#byCall.set(String(payload.call_id), kind);
      return kind;
    }
    if (countImages(payload.content) > 0) return 'image';
    switch (type) {
      case 'tool.result':
        return this.#byCall.get(String(payload.call_id)) ?? 'other';
      case 'message.user':
        return 'prompt';
      case 'message.assistant':
        return 'reply';
      case 'message.thinking':
        return 'thinking';
      case 'message.system':
        return payload.about === 'file' ? 'attachment' : 'context';
      case 'context.compacted':
        return 'compaction';
      default:
        return 'state';
    }
  }
}
