/** Reduces a request body of the Anthropic Messages API, as Claude Code sends it, to neutral items. */
import { type Item, imageHash } from '../facts.ts';
import { assistantText, joinAttachments, noteItems, userText } from '../marks.ts';

type Json = Record<string, unknown>;

/** Items of `body.messages` in order. Throws on a body that has none. */
export function anthropicItems(body: unknown): Item[] {
  const messages = (body as { messages?: Json[] }).messages;
  if (!Array.isArray(messages)) throw new Error('no messages in the request');
  return joinAttachments(
    messages.flatMap((message) =>
      blocksOf(message.content).flatMap((block) => blockItems(String(message.role), block)),
    ),
  );
}

function blocksOf(content: unknown): Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : ((content ?? []) as Json[]);
}

function blockItems(role: string, block: Json): Item[] {
  switch (block.type) {
    case 'text':
      return textItems(role, String(block.text));
    case 'image':
      return [{ kind: 'image', sha256: hashOf(block) }];
    case 'thinking':
    case 'redacted_thinking':
      return [{ kind: 'thinking', text: String(block.thinking ?? '') }];
    case 'tool_use':
      return [{ kind: 'call', id: String(block.id), name: String(block.name), args: block.input }];
    case 'tool_result':
      return [resultItem(block)];
    default:
      return [{ kind: 'text', role: role === 'assistant' ? 'assistant' : 'user', text: JSON.stringify(block) }];
  }
}

function textItems(role: string, text: string): Item[] {
  if (role === 'system') return noteItems(text);
  return role === 'assistant' ? assistantText(text) : userText(text);
}

function resultItem(block: Json): Item {
  const parts = blocksOf(block.content);
  const texts = parts.filter((part) => part.type === 'text').map((part) => String(part.text));
  const images = parts.filter((part) => part.type === 'image').map(hashOf);
  return {
    kind: 'result',
    id: String(block.tool_use_id),
    text: texts.join('\n'),
    images,
    error: block.is_error === true,
  };
}

function hashOf(block: Json): string {
  return imageHash(String((block.source as Json | undefined)?.data ?? ''));
}
