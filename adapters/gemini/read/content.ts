import { charFloor } from '../../../src/core/text.ts';
import type { ContentBlock } from '../../../src/shared/events.ts';
import type { StoreArtifact } from '../../io/cut-text.ts';
import { isObject, type Json } from './record.ts';

/** Blocks of parts: pictures and documents become artifacts, what is not understood stays whole. */
export function blocksOf(parts: readonly Json[], store: StoreArtifact): ContentBlock[] {
  return parts.map((part): ContentBlock => {
    if (typeof part.text === 'string') return { kind: 'text', text: part.text };
    const data = inlineOf(part);
    if (data === null) return { kind: 'opaque', native: part };
    const { bytes, mediaType } = data;
    const artifact = store(bytes, mediaType);
    const kind = mediaType.startsWith('image/') ? 'image' : 'document';
    return { kind, media_type: mediaType, artifact, bytes: bytes.length };
  });
}

/** Bytes of an `inlineData` part; null = it is none. */
export function inlineOf({ inlineData }: Json): { bytes: Buffer; mediaType: string } | null {
  if (!isObject(inlineData) || typeof inlineData.data !== 'string' || typeof inlineData.mimeType !== 'string')
    return null;
  return { bytes: Buffer.from(inlineData.data, 'base64'), mediaType: inlineData.mimeType };
}

const TAIL = 1000;

/** The end of an output, whole characters. */
export function tailOf(value: string): string {
  return value.length <= TAIL ? value : value.slice(charFloor(value, value.length - TAIL));
}
