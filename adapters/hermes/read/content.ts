import { charFloor, wellFormed } from '../../../src/core/text.ts';
import type { ContentBlock, Truncated } from '../../../src/shared/events.ts';
import { cutText, type StoreArtifact } from '../../io/cut-text.ts';
import { isObject, type Json, parsed } from '../json.ts';

/** In front of structured content: Hermes writes a NUL byte first, so that no text can look like it. */
export const STRUCTURED = '\0json:';

/** A part of a message after its bytes were put aside; plain JSON, so that it can be redacted as a record. */
export type Part =
  | { kind: 'text'; text: string; native?: Json }
  | { kind: 'image'; media_type: string; artifact: string; bytes: number; native?: Json }
  | { kind: 'opaque'; native: unknown };

/** `list`: the content was structured; `null`: there was none. */
export interface Content {
  shape: 'text' | 'list' | 'null';
  parts: Part[];
}

/** Content as it stands in a row (or in a legacy file, where structured content is a list). null = it cannot be read. */
export function decodeContent(value: unknown, store: StoreArtifact): Content | null {
  if (value === null || value === undefined) return { shape: 'null', parts: [] };
  if (typeof value === 'string') {
    if (!value.startsWith(STRUCTURED)) return { shape: 'text', parts: [{ kind: 'text', text: value }] };
    const list = parsed(value.slice(STRUCTURED.length));
    return list === undefined ? null : listed(list, store);
  }
  return Array.isArray(value) ? listed(value, store) : null;
}

function listed(value: unknown, store: StoreArtifact): Content {
  if (!Array.isArray(value)) return { shape: 'list', parts: [{ kind: 'opaque', native: value }] };
  return { shape: 'list', parts: value.map((part: unknown) => partOf(part, store)) };
}

function partOf(part: unknown, store: StoreArtifact): Part {
  if (!isObject(part)) return { kind: 'opaque', native: part };
  const { type, text, ...rest } = part;
  if (typeof text === 'string') return { kind: 'text', text, ...extra({ type, ...rest }, { type: 'text' }) };
  const link = isObject(part.image_url) ? part.image_url.url : part.image_url;
  const image = typeof link === 'string' ? imageOf(link) : null;
  if (image === null) return { kind: 'opaque', native: part };
  const { image_url, ...others } = part;
  const around = isObject(image_url) ? { ...others, image_url: { ...image_url, url: undefined } } : others;
  return {
    kind: 'image',
    media_type: image.mediaType,
    artifact: store(image.bytes, image.mediaType),
    bytes: image.bytes.length,
    ...extra(around, { type: 'image_url', image_url: {} }),
  };
}

/** What a part has beside the usual. */
function extra(native: Json, usual: Json): { native?: Json } {
  const clean = JSON.parse(JSON.stringify(native)) as Json;
  return JSON.stringify(clean) === JSON.stringify(usual) ? {} : { native: clean };
}

/** Bytes and type of a data URL whose base64 gives itself back; null = another kind of address. */
function imageOf(url: string): { mediaType: string; bytes: Buffer } | null {
  const match = /^data:([a-z]+\/[a-z0-9.+-]+);base64,/i.exec(url);
  if (match === null) return null;
  const data = url.slice(match[0].length);
  const bytes = Buffer.from(data, 'base64');
  return bytes.toString('base64') === data ? { mediaType: match[1] ?? '', bytes } : null;
}

/** Content blocks for an event. Blank text stays: it is what was said. */
export function blocksOf(parts: readonly Part[]): ContentBlock[] {
  return parts.map((part): ContentBlock => {
    if (part.kind === 'text') return { kind: 'text', text: wellFormed(part.text) };
    if (part.kind === 'opaque') return { kind: 'opaque', native: part.native };
    const { media_type, artifact, bytes } = part;
    return { kind: 'image', media_type, artifact, bytes };
  });
}

export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}

/** Blocks of an output. One long text is cut; where there are more parts, or it stands with a picture, each stays whole. */
export function outputBlocks(
  parts: readonly Part[],
  store: StoreArtifact,
): { content: ContentBlock[]; truncated?: Truncated } {
  const only = parts.length === 1 ? parts[0] : undefined;
  if (only?.kind !== 'text') return { content: blocksOf(parts) };
  const { text, truncated } = cutText(wellFormed(only.text), store);
  return { content: [{ kind: 'text', text }], ...(truncated === undefined ? {} : { truncated }) };
}

/** The end of an output, whole characters. */
export function tailOf(value: string, max: number): string {
  return value.length <= max ? value : value.slice(charFloor(value, value.length - max));
}
