import type { ShownBlock } from '../../../shared/transcript.ts';
import { number } from '../facts.ts';
import type { Images } from '../output.ts';
import { escapeHtml } from './escape.ts';
import { markdownHtml } from './markdown-html.ts';

/** What a person wrote, as it stands. */
export function promptHtml(content: readonly ShownBlock[], images: Images): string {
  return content
    .map((block) =>
      block.kind === 'text' ? `<div class="text">${escapeHtml(block.text)}</div>` : contentHtml([block], images),
    )
    .join('');
}

/** What an agent said: its texts are Markdown. */
export function contentHtml(content: readonly ShownBlock[], images: Images): string {
  return content.map((block) => (block.kind === 'text' ? markdownHtml(block.text) : mediaHtml(block, images))).join('');
}

function mediaHtml(block: Exclude<ShownBlock, { kind: 'text' }>, images: Images): string {
  if (block.kind === 'opaque') return '<p><span class="away">A part that only its own agent can read</span></p>';
  const name = block.kind === 'image' ? (block.alt ?? '') : (block.name ?? '');
  const what = `${name === '' ? (block.kind === 'image' ? 'Image' : 'Document') : name}, ${block.media_type}, ${number(block.bytes)} bytes`;
  const url = block.kind === 'image' ? images.get(block.artifact) : undefined;
  if (url === undefined) return `<p><span class="away">${escapeHtml(what)}: not in this page</span></p>`;
  return `<figure><img alt="${escapeHtml(name === '' ? 'Image' : name)}" src="${escapeHtml(url)}"><figcaption>${escapeHtml(what)}</figcaption></figure>`;
}
