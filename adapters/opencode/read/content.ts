import { wellFormed } from '../../../src/core/text.ts';
import type { ContentBlock, Truncated } from '../../../src/shared/events.ts';
import { cutText, type StoreArtifact } from '../../io/cut-text.ts';
import { type Json, textOf } from '../json.ts';
import { isLifted } from './shrink.ts';

export const textBlock = (text: string): ContentBlock => ({ kind: 'text', text: wellFormed(text) });

/** Types of attached files that OpenCode does not send: their text stands in a synthetic part beside them. */
const TOLD_IN_TEXT: ReadonlySet<string> = new Set(['text/plain', 'application/x-directory']);

/** The block of a file part whose bytes were lifted out; null when the agent does not send it. */
export function fileBlock(part: Json): ContentBlock | null {
  const mime = textOf(part.mime) ?? '';
  if (TOLD_IN_TEXT.has(mime)) return null;
  const { url } = part;
  if (!isLifted(url)) return { kind: 'opaque', native: { mime, url, filename: part.filename } };
  const type = mime === '' ? (/^data:([^;,]+)/.exec(url.head)?.[1] ?? '') : mime;
  const known = { media_type: type, artifact: url.$data, bytes: url.bytes };
  const name = textOf(part.filename);
  if (type.startsWith('image/')) return { kind: 'image', ...known, ...(name === null ? {} : { alt: name }) };
  return { kind: 'document', ...(name === null ? {} : { name }), ...known };
}

/** One long output keeps its head and tail; an empty one has no block. */
export function outputBlocks(output: string, store: StoreArtifact): { content: ContentBlock[]; truncated?: Truncated } {
  if (output === '') return { content: [] };
  const { text, truncated } = cutText(wellFormed(output), store);
  return { content: [{ kind: 'text', text }], ...(truncated && { truncated }) };
}
