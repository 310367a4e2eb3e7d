import { charFloor } from '../../../src/core/text.ts';
import type { ContentBlock, Truncated } from '../../../src/shared/events.ts';
import { isObject, type Json } from './record.ts';

/** Stores redacted bytes by content and gives `artifact:sha256:<hex>`. */
export type StoreArtifact = (bytes: Uint8Array, mediaType: string) => string;

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

const TAIL = 1000;

/** The end of an output, whole characters. */
export function tailOf(value: string): string {
  return value.length <= TAIL ? value : value.slice(charFloor(value, value.length - TAIL));
}
