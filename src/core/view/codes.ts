import { EVENT_TYPES, type KnownEventType } from '../../shared/events.ts';

/** Type codes of the store's index: the place in EVENT_TYPES. */

export const OTHER_TYPE = 255;

const CODES = new Map<string, number>(EVENT_TYPES.map((type, code) => [type, code]));

/** Code of an event type; 255 for a type this version does not know. */
export function codeOf(type: string): number {
  return CODES.get(type) ?? OTHER_TYPE;
}

const known = (type: KnownEventType): number => EVENT_TYPES.indexOf(type);

export const CODE = {
  meta: known('meta'),
  start: known('session.start'),
  end: known('session.end'),
  user: known('message.user'),
  system: known('message.system'),
  assistant: known('message.assistant'),
  thinking: known('message.thinking'),
  call: known('tool.call'),
  result: known('tool.result'),
  edit: known('file.edit'),
  decision: known('decision'),
  memory: known('memory.write'),
  compacted: known('context.compacted'),
  handoff: known('handoff'),
  fork: known('session.fork'),
  merge: known('session.merge'),
} as const;

function table(...codes: number[]): Uint8Array {
  const bits = new Uint8Array(256);
  for (const code of codes) bits[code] = 1;
  return bits;
}

/** 1 for types that make the tree: only they can be the leaf, a branch or part of a turn. */
export const CORE = table(CODE.user, CODE.assistant, CODE.thinking, CODE.call, CODE.result, CODE.compacted);
/** 1 for types that are grouped by `response`. */
export const ANSWER = table(CODE.assistant, CODE.thinking, CODE.call);
/** 1 for types that a model can be shown. */
export const CONVERSATION = table(
  CODE.user,
  CODE.system,
  CODE.assistant,
  CODE.thinking,
  CODE.call,
  CODE.result,
  CODE.compacted,
);
