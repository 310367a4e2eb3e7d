import { DERIVED_TYPES, EVENT_TYPES } from '../../shared/events.ts';
import { CODE } from './codes.ts';
import { countImages, hasText, isEmptyContent, saysSomething } from './content.ts';
import { FLAG, MARK } from './flags.ts';

const SHOWN = new Set<string>([
  'message.user',
  'message.system',
  'message.assistant',
  'message.thinking',
  'tool.call',
  'tool.result',
  'decision',
  'memory.write',
  'context.compacted',
  'handoff',
  'session.fork',
  'session.merge',
  'session.end',
]);

/** Flags that follow from the type alone. Unknown types are shown, as unknown records. */
const BY_TYPE = new Uint8Array(256);
for (const [code, type] of EVENT_TYPES.entries()) {
  BY_TYPE[code] = (SHOWN.has(type) ? 0 : FLAG.HIDDEN) | (DERIVED_TYPES.has(type) ? FLAG.DERIVED : 0);
}

/** Flags of one event, without those that depend on the events before it (REPLY, SAME_RESPONSE) or on redaction. */
export function classify(code: number, payload: Record<string, unknown>): number {
  const flags = BY_TYPE[code]!;
  switch (code) {
    case CODE.user:
      return (
        flags |
        (payload.via !== 'command' && !isEmptyContent(payload.content) ? FLAG.PROMPT : 0) |
        image(payload.content)
      );
    case CODE.assistant:
      if (payload.synthetic === true) return flags | MARK.SYNTHETIC | (isFailure(payload) ? FLAG.ERROR : 0);
      return flags | image(payload.content);
    case CODE.thinking:
      return flags | (hasText(payload.text) ? MARK.READABLE : 0) | (payload.synthetic === true ? MARK.SYNTHETIC : 0);
    case CODE.call:
      return flags | (payload.synthetic === true ? MARK.SYNTHETIC : 0);
    case CODE.result:
      return (
        flags |
        (payload.is_error === true ? FLAG.ERROR : 0) |
        (payload.closed === 'missing' ? MARK.MISSING : 0) |
        image(payload.content)
      );
    case CODE.system:
      return flags | (payload.to_model === true ? MARK.TO_MODEL : 0) | image(payload.content);
    case CODE.compacted:
      return payload.edit === true ? flags | FLAG.HIDDEN | MARK.EDIT : flags;
    case CODE.meta:
      return metaFlags(payload.key, flags);
    default:
      return flags;
  }
}

/** Whether the event is the reply of a model with text, the kind that counts once per response. */
export function isReply(code: number, flags: number, payload: Record<string, unknown>): boolean {
  return code === CODE.assistant && !(flags & MARK.SYNTHETIC) && saysSomething(payload.content);
}

function image(content: unknown): number {
  return countImages(content) > 0 ? FLAG.IMAGE : 0;
}

/** A notice of the client that a request failed, as opposed to "No response requested." */
function isFailure(payload: Record<string, unknown>): boolean {
  return payload.stop_reason === 'error' || payload.error !== undefined;
}

function metaFlags(key: unknown, hidden: number): number {
  if (key === 'leaf') return hidden | MARK.LEAF;
  if (key === 'unknown') return MARK.UNKNOWN;
  if (key === 'warning') return MARK.WARNING;
  return hidden;
}
