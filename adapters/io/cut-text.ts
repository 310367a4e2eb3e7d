import type { Truncated } from '../../src/shared/events.ts';

/** Stores bytes by content and gives `artifact:sha256:<hex>`. The bytes were redacted before. */
export type StoreArtifact = (bytes: Uint8Array, mediaType: string) => string;

const LIMIT = 8192;
const HALF = 4096;

/** Whether a text has more than the 8 KB that stay in an event. */
export function isLong(text: string): boolean {
  return text.length > LIMIT || (text.length * 3 > LIMIT && Buffer.byteLength(text) > LIMIT);
}

/** Long text keeps 4 KB of head and tail, cut between characters; the whole becomes an artifact. */
export function cutText(text: string, store: StoreArtifact): { text: string; truncated?: Truncated } {
  if (!isLong(text)) return { text };
  const bytes = Buffer.from(text);
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
