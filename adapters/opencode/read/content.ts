import { wellFormed } from '../../../src/core/text.ts';
import type { ContentBlock, Truncated } from '../../../src/shared/events.ts';
import { type Json, textOf } from '../json.ts';
import { isLifted, type StoreArtifact } from './shrink.ts';

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

const LIMIT = 8192;
const HALF = 4096;

/** Long output keeps 4 KB of head and tail, cut between characters; the whole becomes an artifact. */
export function outputBlocks(output: string, store: StoreArtifact): { content: ContentBlock[]; truncated?: Truncated } {
  if (output === '') return { content: [] };
  const text = wellFormed(output);
  const bytes = text.length * 3 <= LIMIT ? null : Buffer.from(text);
  if (bytes === null || bytes.length <= LIMIT) return { content: [{ kind: 'text', text }] };
  const head = characterStart(bytes, HALF);
  const tail = characterStart(bytes, bytes.length - HALF);
  const note = `\n[… ${tail - head} of ${bytes.length} bytes left out here …]\n`;
  return {
    content: [{ kind: 'text', text: bytes.toString('utf8', 0, head) + note + bytes.toString('utf8', tail) }],
    truncated: { bytes: bytes.length, artifact: store(bytes, 'text/plain') },
  };
}

/** Largest place ≤ `at` where a character begins. */
function characterStart(bytes: Uint8Array, at: number): number {
  let place = at;
  while (place > 0 && (bytes[place]! & 0xc0) === 0x80) place--;
  return place;
}
