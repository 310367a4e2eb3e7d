import { wellFormed } from '../../src/core/text.ts';
import type { ContentBlock, SessionEvent, Truncated } from '../../src/shared/events.ts';

/** Bytes of the artifacts that one event needs, by reference. */
export type Artifacts = ReadonlyMap<string, Uint8Array>;

/** One part of a message as every target has it. `mediaType` is what the bytes are, not what their label said. */
export type Part = { text: string } | { image: Uint8Array; mediaType: string };

/** The image types that the model APIs take. */
const SUPPORTED: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

export function supportedImage(mediaType: string): boolean {
  return SUPPORTED.has(mediaType);
}

/** Blocks of an event. Payloads are only checked at the envelope: what has not the form of its kind is left out. */
export function blocksOf(event: SessionEvent): readonly ContentBlock[] {
  const { content, summary } = event.payload;
  const blocks = event.type === 'context.compacted' ? summary : content;
  if (!Array.isArray(blocks)) return [];
  return blocks.every(isSound) ? blocks : blocks.filter(isSound);
}

function isSound(block: Record<string, unknown> | null | undefined): boolean {
  switch (block?.kind) {
    case 'text':
      return typeof block.text === 'string';
    case 'image':
      return typeof block.artifact === 'string' && typeof block.media_type === 'string';
    case 'document':
      return typeof block.media_type === 'string';
    default:
      return block?.kind === 'opaque';
  }
}

/** Whether anything of the event can be written at all. */
export function hasContent(event: SessionEvent): boolean {
  return blocksOf(event).some((block) => (block.kind === 'text' ? block.text.trim() !== '' : block.kind !== 'opaque'));
}

/** The whole text of a cut output lies in an artifact. */
export function truncatedOf(event: SessionEvent): Truncated | undefined {
  const { truncated } = event.payload;
  if (typeof truncated !== 'object' || truncated === null) return undefined;
  return 'artifact' in truncated && typeof truncated.artifact === 'string' ? (truncated as Truncated) : undefined;
}

/** References to the bytes that writing this event needs; nearly always none. */
export function artifactsOf(event: SessionEvent): string[] {
  const refs: string[] = [];
  const cut = truncatedOf(event);
  if (cut !== undefined) refs.push(cut.artifact);
  for (const block of blocksOf(event)) {
    if (block.kind === 'image' && supportedImage(block.media_type)) refs.push(block.artifact);
  }
  return refs;
}

/** Non-blank parts in order. What no target has a part for is named in a text, never dropped without a word. */
export function partsOf(event: SessionEvent, artifacts: Artifacts): Part[] {
  const parts: Part[] = [];
  let whole = wholeText(event, artifacts);
  for (const block of blocksOf(event)) {
    if (block.kind === 'text' && whole !== null) {
      if (whole !== '') parts.push({ text: whole });
      whole = '';
    } else {
      const part = partOf(block, artifacts);
      if (part !== null) parts.push(part);
    }
  }
  return parts;
}

function partOf(block: ContentBlock, artifacts: Artifacts): Part | null {
  switch (block.kind) {
    case 'text':
      return block.text.trim() === '' ? null : { text: wellFormed(block.text) };
    case 'image': {
      const image = artifacts.get(block.artifact);
      if (image === undefined)
        return { text: `[Image (${block.media_type}) was not carried over: the type is not supported]` };
      return { image, mediaType: imageType(image) ?? block.media_type };
    }
    case 'document':
      return {
        text: wellFormed(
          `[Document ${block.name ?? ''} (${block.media_type}, ${block.bytes} bytes) was not carried over]`,
        ),
      };
    case 'opaque':
      return null;
  }
}

/** The same for roles that take text alone. */
export function textsOf(event: SessionEvent, artifacts: Artifacts): string[] {
  return partsOf(event, artifacts).map((part) =>
    'text' in part ? part.text : `[Image (${part.mediaType}) was not carried over: only text can stand here]`,
  );
}

/** null = nothing was cut. */
function wholeText(event: SessionEvent, artifacts: Artifacts): string | null {
  const cut = truncatedOf(event);
  const bytes = cut === undefined ? undefined : artifacts.get(cut.artifact);
  return bytes === undefined ? null : wellFormed(new TextDecoder().decode(bytes));
}

/** Media type by the first bytes: a wrong label makes the API refuse the whole request. */
export function imageType(bytes: Uint8Array): string | null {
  const starts = (...head: number[]): boolean => head.every((byte, i) => bytes[i] === byte);
  if (starts(0x89, 0x50, 0x4e, 0x47)) return 'image/png';
  if (starts(0xff, 0xd8, 0xff)) return 'image/jpeg';
  if (starts(0x47, 0x49, 0x46, 0x38)) return 'image/gif';
  if (starts(0x52, 0x49, 0x46, 0x46) && [0x57, 0x45, 0x42, 0x50].every((byte, i) => bytes[8 + i] === byte))
    return 'image/webp';
  return null;
}
