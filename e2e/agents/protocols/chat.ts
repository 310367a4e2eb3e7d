/** Reduces a request body of the OpenAI Chat Completions API, as Pi, OpenCode and Hermes send it, to neutral items. */
import { type Item, imageHash } from '../facts.ts';
import { assistantText, joinAttachments, userText } from '../marks.ts';

type Json = Record<string, unknown>;

/** Items of `body.messages` in order. Throws on a body that has none. */
export function chatItems(body: unknown): Item[] {
  const messages = (body as { messages?: Json[] }).messages;
  if (!Array.isArray(messages)) throw new Error('no messages in the request');
  return joinAttachments(messages.flatMap(messageItems));
}

function messageItems(message: Json): Item[] {
  switch (message.role) {
    case 'system':
    case 'developer':
      return [{ kind: 'harness', text: partsOf(message.content).map(textOf).join('\n') }];
    case 'assistant':
      return [...thinking(message), ...replies(message), ...calls(message)];
    case 'tool':
      return [result(message)];
    default:
      return partsOf(message.content).flatMap((part) => image(part) ?? promptItems(textOf(part)));
  }
}

/** The API has no pictures in results: clients send them after the result, with these words. */
const PICTURES = /^Attached (?:image\(s\)|media) from tool result:$/;

/** Pi's words for a result without text: a picture and nothing else, or nothing at all. */
const WITHOUT_TEXT = new Set(['(see attached image)', '(no tool output)']);

function promptItems(text: string): Item[] {
  return PICTURES.test(text.trim()) ? [{ kind: 'harness', text }] : userText(text);
}

function thinking({ reasoning_content, reasoning }: Json): Item[] {
  const text = reasoning_content ?? reasoning;
  return typeof text === 'string' && text !== '' ? [{ kind: 'thinking', text }] : [];
}

function replies({ content }: Json): Item[] {
  return partsOf(content).flatMap((part) => assistantText(textOf(part)));
}

function calls({ tool_calls }: Json): Item[] {
  return ((tool_calls ?? []) as Json[]).map((call) => {
    const { name, arguments: args } = (call.function ?? {}) as Json;
    return { kind: 'call', id: String(call.id), name: String(name), args: parsed(args) };
  });
}

function parsed(args: unknown): unknown {
  try {
    return JSON.parse(String(args)) as unknown;
  } catch {
    return args;
  }
}

function result({ tool_call_id, content }: Json): Item {
  const parts = partsOf(content);
  const images = parts.flatMap((part) => {
    const item = image(part)?.[0];
    return item?.kind === 'image' ? [item.sha256] : [];
  });
  const text = parts
    .filter((part) => part.type === 'text')
    .map(textOf)
    .join('\n');
  const said = WITHOUT_TEXT.has(text) ? '' : text;
  return { kind: 'result', id: String(tool_call_id), text: said, images, error: false };
}

function image(part: Json): Item[] | undefined {
  if (part.type !== 'image_url') return undefined;
  const url = String((part.image_url as Json | undefined)?.url ?? '');
  return [{ kind: 'image', sha256: imageHash(url.replace(/^data:[^,]*,/, '')) }];
}

function partsOf(content: unknown): Json[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return (content ?? []) as Json[];
}

const textOf = (part: Json): string => String(part.text ?? '');
