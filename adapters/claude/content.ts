import type { ContentBlock } from '../../src/shared/events.ts';
import { cutText, type StoreArtifact } from '../io/cut-text.ts';
import { compact, decodeBase64, expand, type ReadArtifact, textOf } from './cut.ts';
import { extras, ownMembers } from './native.ts';
import { isObject, type Json } from './record.ts';

/** Content blocks of a message, and what is needed to write the native form again. */
export interface Mapped {
  content: ContentBlock[];
  /** `$list`: one text block in a list, where a plain string would be guessed; `$rest`: members of blocks, by place;
   * `$cut`: artifacts of texts that were cut, by place */
  native?: { $list?: true; $rest?: (Json | null)[]; $cut?: (string | null)[] } | undefined;
  /** first text that was cut */
  truncated?: { bytes: number; artifact: string } | undefined;
}

export interface ContentOptions {
  store: StoreArtifact;
  /** long texts are cut (outputs of tools), else kept whole */
  cut: boolean;
}

const TEXT_KEYS: ReadonlySet<string> = new Set(['type', 'text']);
const MEDIA_KEYS: ReadonlySet<string> = new Set(['type', 'source']);
const SOURCE_KEYS: ReadonlySet<string> = new Set(['type', 'media_type', 'data']);

/** Maps a message's content, a string or a list of blocks. Anything unknown becomes an opaque block. */
export function mapContent(native: unknown, options: ContentOptions): Mapped {
  if (typeof native === 'string') {
    const mapped: Mapped = { content: [{ kind: 'text', text: native }] };
    return options.cut ? cutBlocks(mapped, options.store) : mapped;
  }
  if (!Array.isArray(native)) return { content: [{ kind: 'opaque', native }], native: { $rest: [{ $whole: true }] } };
  const content: ContentBlock[] = [];
  const rest: (Json | null)[] = [];
  let any = false;
  for (const block of native as unknown[]) {
    const [mapped, left] = mapBlock(block, options.store);
    content.push(mapped);
    rest.push(left ?? null);
    if (left !== undefined) any = true;
  }
  const mapped: Mapped = { content };
  if (any) mapped.native = { $rest: rest };
  else if (content.length === 1 && content[0]?.kind === 'text') mapped.native = { $list: true };
  return options.cut ? cutBlocks(mapped, options.store) : mapped;
}

/** One block, and its members that the block has no place for. */
export function mapBlock(block: unknown, store: StoreArtifact): [ContentBlock, Json | undefined] {
  if (isObject(block)) {
    if (block.type === 'text' && typeof block.text === 'string')
      return [{ kind: 'text', text: block.text }, extras(block, TEXT_KEYS)];
    const media = block.type === 'image' || block.type === 'document' ? mapMedia(block, store) : undefined;
    if (media !== undefined) return media;
  }
  return [{ kind: 'opaque', native: compact(block, { store }) }, undefined];
}

function mapMedia(block: Json, store: StoreArtifact): [ContentBlock, Json | undefined] | undefined {
  const { source } = block;
  if (!isObject(source) || source.type !== 'base64' || typeof source.data !== 'string') return undefined;
  const type = source.media_type;
  const bytes = decodeBase64(source.data);
  if (typeof type !== 'string' || bytes === undefined) return undefined;
  const left = extras(block, MEDIA_KEYS);
  const sourceLeft = extras(source, SOURCE_KEYS);
  const rest = sourceLeft === undefined ? left : { ...left, $source: sourceLeft };
  const where = { media_type: type, artifact: store(bytes, type), bytes: bytes.length };
  if (block.type === 'image') return [{ kind: 'image', ...where }, rest];
  return [{ kind: 'document', ...where, ...(typeof block.title === 'string' ? { name: block.title } : {}) }, rest];
}

function cutBlocks(mapped: Mapped, store: StoreArtifact): Mapped {
  const { content } = mapped;
  for (let i = 0; i < content.length; i++) {
    const block = content[i] as ContentBlock;
    if (block.kind !== 'text') continue;
    const { text, truncated } = cutText(block.text, store);
    if (truncated === undefined) continue;
    content[i] = { kind: 'text', text };
    mapped.truncated ??= truncated;
    const cuts = mapped.native?.$cut ?? new Array<string | null>(content.length).fill(null);
    cuts[i] = truncated.artifact;
    mapped.native = { ...mapped.native, $cut: cuts };
  }
  return mapped;
}

/** The only text of a native content, for comparisons; undefined when it has more than one block or no text. */
export function soleText(native: unknown): string | undefined {
  if (typeof native === 'string') return native;
  if (!Array.isArray(native) || native.length !== 1) return undefined;
  const block: unknown = native[0];
  return isObject(block) && block.type === 'text' && typeof block.text === 'string' ? block.text : undefined;
}

/** The inverse of `mapContent`. */
export async function unmapContent(
  content: readonly ContentBlock[],
  native: NonNullable<Mapped['native']>,
  read: ReadArtifact,
): Promise<unknown> {
  const { $rest: rest, $cut: cuts } = native;
  const blocks: unknown[] = [];
  for (const [i, block] of content.entries()) blocks.push(await unmapBlock(block, rest?.[i], cuts?.[i], read));
  if (rest?.[0]?.$whole === true) return (content[0] as { native: unknown }).native;
  const [only] = blocks as Json[];
  if (blocks.length === 1 && rest === undefined && native.$list === undefined && content[0]?.kind === 'text')
    return only?.text;
  return blocks;
}

export async function unmapBlock(
  block: ContentBlock,
  rest: Json | null | undefined,
  cut: string | null | undefined,
  read: ReadArtifact,
): Promise<unknown> {
  if (block.kind === 'opaque') return expand(block.native, read, undefined);
  if (block.kind === 'text') {
    const text = typeof cut === 'string' ? textOf(await read(cut)) : block.text;
    return { type: 'text', text, ...ownMembers(rest ?? {}) };
  }
  const sourceRest = rest?.$source;
  const data = Buffer.from(await read(block.artifact)).toString('base64');
  const source = {
    type: 'base64',
    media_type: block.media_type,
    data,
    ...(isObject(sourceRest) ? ownMembers(sourceRest) : {}),
  };
  return { type: block.kind, source, ...ownMembers(rest ?? {}) };
}
