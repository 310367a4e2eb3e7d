import type { ContentBlock } from '../../shared/events.ts';
import { charFloor, wellFormed } from '../text.ts';

/** What a page shows of long texts; the whole is one `events.get` or artifact away. */
export const PREVIEW_CHARS = 64 * 1024;
/** In place of a size: nothing is cut, for what is written out and not shown. */
export const WHOLE = Number.POSITIVE_INFINITY;
const MAX_ENTRIES = 200;
const MAX_DEPTH = 12;

/** A text cut at a character, with what is missing said in it. */
export function previewText(text: string, max: number = PREVIEW_CHARS): string {
  if (text.length <= max) return wellFormed(text);
  const end = charFloor(text, max);
  return `${wellFormed(text.slice(0, end))}\n… ${text.length - end} more characters`;
}

/** Content blocks of any shape as valid blocks, together within `max` characters. */
export function previewContent(content: unknown, max: number = PREVIEW_CHARS): ContentBlock[] {
  if (!Array.isArray(content)) return [];
  const budget = { left: max };
  return content.map((block) => previewBlock(block, budget));
}

interface Budget {
  left: number;
}

function previewBlock(block: unknown, budget: Budget): ContentBlock {
  const { kind, text, media_type, artifact, bytes, alt, name, native } = (block ?? {}) as Record<string, unknown>;
  if (kind === 'text' && typeof text === 'string') return { kind, text: take(text, budget) };
  const stored = typeof media_type === 'string' && typeof artifact === 'string';
  const size = typeof bytes === 'number' ? bytes : 0;
  if (kind === 'image' && stored)
    return { kind, media_type, artifact, bytes: size, ...(typeof alt === 'string' ? { alt } : {}) };
  if (kind === 'document' && stored)
    return { kind, media_type, artifact, bytes: size, ...(typeof name === 'string' ? { name } : {}) };
  return { kind: 'opaque', native: previewValue(kind === 'opaque' ? native : block, budget) };
}

/** Any JSON within `max` characters: long texts cut, long lists and deep trees ended with a count. */
export function previewJson(value: unknown, max: number = PREVIEW_CHARS): unknown {
  return previewValue(value, { left: max });
}

function previewValue(value: unknown, budget: Budget, depth = 0): unknown {
  if (typeof value === 'string') return take(value, budget);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const most = budget.left === WHOLE ? WHOLE : MAX_ENTRIES;
  if (depth === MAX_DEPTH && most !== WHOLE) return '…';
  if (Array.isArray(value)) {
    const list = value.slice(0, most).map((entry) => previewValue(entry, budget, depth + 1));
    return value.length > most ? [...list, `… ${value.length - most} more`] : list;
  }
  const entries = Object.entries(value);
  const shown = entries.slice(0, most).map(([key, entry]) => [key, previewValue(entry, budget, depth + 1)]);
  if (entries.length > most) shown.push(['…', `${entries.length - most} more`]);
  return Object.fromEntries(shown);
}

function take(text: string, budget: Budget): string {
  const shown = previewText(text, budget.left);
  budget.left = Math.max(0, budget.left - text.length);
  return shown;
}
