import type { ContentBlock } from '../../src/shared/events.ts';
import type { StoreArtifact } from '../io/cut-text.ts';
import { isObject, type Json, text } from './json.ts';
import { leftOver, ownMembers, pack, type ReadArtifact, unpack } from './pack.ts';

/** Content of a message as blocks, and what is needed to write it again as it was. */
export interface Mapped {
  content: ContentBlock[];
  /** `$string`: it was a string; `$blocks`: more members of a block; `$content`: it was something else, absent when [] */
  native?: Json;
}

const TEXT: ReadonlySet<string> = new Set(['type', 'text']);
const IMAGE: ReadonlySet<string> = new Set(['type', 'data', 'mimeType']);

/** Pi's `content`: a string or a list of text and image blocks (FORMAT.md). */
export function mapContent(value: unknown, store: StoreArtifact): Mapped {
  if (typeof value === 'string') return { content: [{ kind: 'text', text: value }], native: { $string: true } };
  if (value === undefined) return { content: [], native: { $content: [] } };
  if (!Array.isArray(value)) return { content: [], native: { $content: [pack(value, store)] } };
  const extras: (Json | null)[] = [];
  const content = value.map((block: unknown, i): ContentBlock => {
    const { mapped, extra } = mapBlock(block, store);
    extras[i] = extra ?? null;
    return mapped;
  });
  return extras.some((extra) => extra !== null) ? { content, native: { $blocks: extras } } : { content };
}

/** One block; `extra` = members that have no place. What is not understood is kept whole. */
export function mapBlock(block: unknown, store: StoreArtifact): { mapped: ContentBlock; extra?: Json | undefined } {
  if (isObject(block) && block.type === 'text' && typeof block.text === 'string')
    return { mapped: { kind: 'text', text: block.text }, extra: leftOver(block, TEXT) };
  if (isObject(block) && block.type === 'image' && typeof block.mimeType === 'string') {
    const bytes = decodeBase64(block.data);
    if (bytes !== undefined) {
      const artifact = store(bytes, block.mimeType);
      const mapped: ContentBlock = { kind: 'image', media_type: block.mimeType, artifact, bytes: bytes.length };
      return { mapped, extra: leftOver(block, IMAGE) };
    }
  }
  return { mapped: { kind: 'opaque', native: pack(block, store) } };
}

/** The bytes of canonical base64, undefined when writing them back would give another string. */
function decodeBase64(value: unknown): Buffer | undefined {
  if (typeof value !== 'string' || value.length % 4 !== 0) return undefined;
  const bytes = Buffer.from(value, 'base64');
  return bytes.length > 0 && bytes.toString('base64') === value ? bytes : undefined;
}

/** The inverse of `mapContent`; undefined = there was none. */
export async function unmapContent(content: readonly ContentBlock[], kept: Json, read: ReadArtifact): Promise<unknown> {
  if (Array.isArray(kept.$content)) return kept.$content.length === 0 ? undefined : unpack(kept.$content[0], read);
  const [first] = content;
  if (kept.$string === true) return first?.kind === 'text' ? first.text : '';
  const extras = Array.isArray(kept.$blocks) ? (kept.$blocks as unknown[]) : [];
  return Promise.all(content.map((block, i) => unmapBlock(block, extras[i], read)));
}

/** The inverse of `mapBlock`. */
export async function unmapBlock(block: ContentBlock, extra: unknown, read: ReadArtifact): Promise<unknown> {
  if (block.kind === 'text') return { type: 'text', text: block.text, ...ownMembers(extra) };
  if (block.kind === 'opaque') return unpack(block.native, read);
  const data = Buffer.from(await read(block.artifact)).toString('base64');
  return { type: 'image', data, mimeType: block.media_type, ...ownMembers(extra) };
}

/** All texts, joined as the client shows them. */
export function joined(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n');
}

/** Names of Pi's own wordings around what it puts into the user role (0.31 to 1.6). */
const BRANCH_PREFIX = 'The following is a summary of a branch that this conversation came back from:\n\n<summary>\n';
const BRANCH_SUFFIX = '</summary>';

export function branchText(summary: string): string {
  return BRANCH_PREFIX + summary + BRANCH_SUFFIX;
}

export function branchSummary(written: string): string {
  return written.slice(BRANCH_PREFIX.length, written.length - BRANCH_SUFFIX.length);
}

/** What the model is told of a command that the person ran. `output` stands from `at` on. */
export function commandText(message: Json): { text: string; at: number } {
  const command = text(message.command) ?? '';
  const output = text(message.output) ?? '';
  const head = `Ran \`${command}\`\n${output === '' ? '(no output)' : '```\n'}`;
  let tail = output === '' ? '' : '\n```';
  if (message.cancelled === true) tail += '\n\n(command cancelled)';
  else if (typeof message.exitCode === 'number' && message.exitCode !== 0)
    tail += `\n\nCommand exited with code ${message.exitCode}`;
  if (message.truncated === true && typeof message.fullOutputPath === 'string')
    tail += `\n\n[Output truncated. Full output: ${message.fullOutputPath}]`;
  return { text: head + output + tail, at: head.length };
}
