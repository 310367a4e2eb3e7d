/** Looking into content blocks without trusting their shape: payloads are only checked at the envelope. */

interface Block {
  kind?: unknown;
  text?: unknown;
}

function blocks(content: unknown): readonly Block[] {
  return Array.isArray(content) ? content : [];
}

/** Whether the text holds anything but white space. */
export function hasText(text: unknown): text is string {
  return typeof text === 'string' && /\S/.test(text);
}

/** Whether any text block holds more than white space. */
export function saysSomething(content: unknown): boolean {
  for (const block of blocks(content)) if (block?.kind === 'text' && hasText(block.text)) return true;
  return false;
}

/** Number of image blocks. */
export function countImages(content: unknown): number {
  let count = 0;
  for (const block of blocks(content)) if (block?.kind === 'image') count++;
  return count;
}

/** Whether there is anything a person could have meant: text, an image, a document. */
export function isEmptyContent(content: unknown): boolean {
  for (const block of blocks(content)) if (block?.kind !== 'text' || hasText(block.text)) return false;
  return true;
}

/** All text blocks, joined by line breaks. */
export function textOf(content: unknown): string {
  let text = '';
  for (const block of blocks(content)) {
    if (block?.kind !== 'text' || typeof block.text !== 'string') continue;
    text = text === '' ? block.text : `${text}\n${block.text}`;
  }
  return text;
}
