import { wellFormed } from '../../../src/core/text.ts';
import type { ContentBlock, Truncated } from '../../../src/shared/events.ts';
import { cutText, type StoreArtifact } from '../../io/cut-text.ts';
import { type ItemPart, imageOf } from './item.ts';

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
