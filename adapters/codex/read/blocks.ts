import { wellFormed } from '../../../src/core/text.ts';
import type { ContentBlock, Truncated } from '../../../src/shared/events.ts';
import { type ItemPart, imageOf } from './item.ts';

/** Stores redacted bytes by content and gives `artifact:sha256:<hex>`. */
export type StoreArtifact = (bytes: Uint8Array, mediaType: string) => string;

/** Content blocks of message parts: pictures become artifacts, what is not understood stays whole. */
export function blocksOf(parts: readonly ItemPart[], store: StoreArtifact): ContentBlock[] {
  return parts.map((part): ContentBlock => {
    if (part.kind === 'text') return { kind: 'text', text: wellFormed(part.text) };
    if (part.kind === 'other') return { kind: 'opaque', native: part.native };
    const image = imageOf(part.url);
    if (image === null) return { kind: 'opaque', native: { image_url: part.url } };
    return {
      kind: 'image',
      media_type: image.mediaType,
      artifact: store(image.bytes, image.mediaType),
      bytes: image.bytes.length,
    };
  });
}

const LIMIT = 8192;
const HALF = 4096;

/** Long text keeps 4 KB of head and tail, cut between characters; the whole becomes an artifact. */
export function cutText(text: string, store: StoreArtifact): { text: string; truncated?: Truncated } {
  if (text.length * 3 <= LIMIT) return { text };
  const bytes = Buffer.from(text);
  if (bytes.length <= LIMIT) return { text };
  const head = characterStart(bytes, HALF);
  const tail = characterStart(bytes, bytes.length - HALF);
  const note = `\n[… ${tail - head} of ${bytes.length} bytes left out here …]\n`;
  return {
    text: bytes.toString('utf8', 0, head) + note + bytes.toString('utf8', tail),
    truncated: { bytes: bytes.length, artifact: store(bytes, 'text/plain') },
  };
}

/** Largest place ≤ `at` where a character begins. */
function characterStart(bytes: Uint8Array, at: number): number {
  let place = at;
  while (place > 0 && (bytes[place]! & 0xc0) === 0x80) place--;
  return place;
}

/** Blocks of an output whose text is cut as a whole when it is one; several texts are joined first. */
export function outputBlocks(
  parts: readonly ItemPart[],
  store: StoreArtifact,
): { content: ContentBlock[]; truncated?: Truncated } {
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  const whole = wellFormed(texts.join('\n'));
  const { text, truncated } = cutText(whole, store);
  if (truncated === undefined) return { content: blocksOf(parts, store) };
  const others = parts.filter((part) => part.kind !== 'text');
  return { content: [{ kind: 'text', text }, ...blocksOf(others, store)], truncated };
}
