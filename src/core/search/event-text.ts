import { DERIVED_TYPES, type SessionEvent } from '../../shared/events.ts';
import type { SearchKind } from '../../shared/search.ts';
import { charFloor } from '../text.ts';
import { classify } from '../view/classify.ts';
import { CODE, codeOf } from '../view/codes.ts';
import { isCopy } from '../view/copies.ts';
import { FLAG } from '../view/flags.ts';

/** What of an event can be searched. */
export interface EventText {
  kind: SearchKind;
  error: boolean;
  /** copied from another session when this one was forked off it */
  copy: boolean;
  /** of a tool call */
  tool: string | null;
  /** pieces that stand by themselves: no phrase runs from one into the next */
  texts: string[];
}

/** So much of an event is searched, in UTF-16 units: a dump of many megabytes must not hold up everything else. */
export const MAX_EVENT_CHARS = 1 << 20;
/** Deeper values and longer lists in a tool's arguments are data, not text. */
const MAX_DEPTH = 32;
const MAX_LEAVES = 20_000;

/**
 * The texts of an event; null when there is nothing to search: state records, usage, records of unknown kinds, and what is
 * derived from a tool call, which is found by its call.
 */
export function eventText(event: SessionEvent): EventText | null {
  const said = saidIn(event);
  if (said === null) return null;
  const texts = bounded(said.texts);
  if (texts.length === 0) return null;
  const error = (classify(codeOf(event.type), event.payload) & FLAG.ERROR) !== 0;
  const { kind, tool = null } = said;
  return { kind, error: error && event.type !== 'message.user', copy: isCopy(event), tool, texts };
}

interface Said {
  kind: SearchKind;
  texts: string[];
  tool?: string | null;
}

function saidIn({ type, payload, refs }: SessionEvent): Said | null {
  switch (codeOf(type)) {
    case CODE.user:
      return { kind: 'prompt', texts: blockTexts(payload.content) };
    case CODE.assistant:
      return { kind: 'reply', texts: blockTexts(payload.content) };
    case CODE.thinking:
      return { kind: 'thinking', texts: strings(payload.text) };
    case CODE.system:
      return { kind: 'system', texts: blockTexts(payload.content) };
    case CODE.call:
      return {
        kind: 'tool',
        texts: [...strings(payload.name), ...leaves(payload.arguments)],
        tool: typeof payload.name === 'string' ? payload.name : null,
      };
    case CODE.result:
      return { kind: 'tool', texts: resultTexts(payload) };
    case CODE.compacted:
    case CODE.merge:
      return { kind: 'summary', texts: blockTexts(payload.summary) };
    case CODE.meta:
      return metaTexts(payload);
    default:
      return noteTexts(type, payload, refs);
  }
}

/** The client's richer twin of a result repeats it, so it is asked only where the result itself is without text. */
function resultTexts(payload: SessionEvent['payload']): string[] {
  const shown = blockTexts(payload.content);
  return shown.length > 0 ? shown : leaves(payload.structured);
}

function metaTexts({ key, value }: SessionEvent['payload']): Said | null {
  if (key === 'title') return { kind: 'title', texts: strings(value) };
  if (key === 'branch_summary') return { kind: 'summary', texts: leaves(value) };
  if (key === 'label') return { kind: 'note', texts: leaves(value) };
  return null;
}

/** Types about the session itself: the list's filters find what they hold. */
const STATE = new Set(['session.start', 'session.end', 'session.fork', 'context.compiled']);

function noteTexts(type: string, payload: SessionEvent['payload'], refs: readonly string[]): Said | null {
  if (STATE.has(type) || (DERIVED_TYPES.has(type) && refs.length > 0)) return null;
  if (type === 'handoff') return { kind: 'note', texts: strings(payload.note) };
  const { native: _, ...told } = payload;
  return { kind: 'note', texts: leaves(told) };
}

const strings = (value: unknown): string[] => (typeof value === 'string' && value !== '' ? [value] : []);

/** Text of blocks, and the names of what is no text. */
function blockTexts(content: unknown): string[] {
  if (!Array.isArray(content)) return strings(content);
  return content.flatMap((block) => {
    const { kind, text, alt, name } = (block ?? {}) as Record<string, unknown>;
    return kind === 'text' ? strings(text) : [...strings(alt), ...strings(name)];
  });
}

/** Strings and numbers of any JSON, in order, without the names of its fields. */
function leaves(value: unknown): string[] {
  const found: string[] = [];
  const visit = (part: unknown, depth: number): void => {
    if (found.length >= MAX_LEAVES) return;
    if (typeof part === 'string') {
      if (part !== '') found.push(part);
    } else if (typeof part === 'number') found.push(String(part));
    else if (typeof part === 'object' && part !== null && depth < MAX_DEPTH)
      for (const inner of Object.values(part)) visit(inner, depth + 1);
  };
  visit(value, 0);
  return found;
}

function bounded(texts: string[]): string[] {
  let left = MAX_EVENT_CHARS;
  const kept: string[] = [];
  for (const text of texts) {
    if (left <= 0) break;
    const piece = text.length <= left ? text : text.slice(0, charFloor(text, left));
    kept.push(piece);
    left -= piece.length;
  }
  return kept;
}
