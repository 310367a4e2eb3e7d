/** Reduces a request body of the OpenAI Responses API, as Codex sends it, to neutral items. */
import { type Item, imageHash } from '../facts.ts';
import { assistantText, joinAttachments, userText } from '../marks.ts';

type Json = Record<string, unknown>;

/** Items of `body.input` in order. Throws on a body that has none. */
export function responsesItems(body: unknown): Item[] {
  const input = (body as { input?: Json[] }).input;
  if (!Array.isArray(input)) throw new Error('no input in the request');
  return joinAttachments(input.flatMap(inputItems));
}

function inputItems(item: Json): Item[] {
  switch (item.type) {
    case 'message':
      return messageItems(item);
    case 'function_call':
      return [{ kind: 'call', id: String(item.call_id), name: callName(item), args: parsed(item.arguments) }];
    case 'custom_tool_call':
      return [{ kind: 'call', id: String(item.call_id), name: callName(item), args: { input: item.input } }];
    case 'local_shell_call':
      return [{ kind: 'call', id: String(item.call_id), name: 'local_shell', args: item.action }];
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [resultItem(item)];
    case 'reasoning':
      return [{ kind: 'thinking', text: JSON.stringify(item.summary ?? '') }];
    // messages between agents travel as items of their own; other agents have notes for them
    case 'agent_message':
      return [{ kind: 'notification', text: partsOf(item).join('\n') }];
    case 'tool_search_call':
    case 'tool_search_output':
    case 'additional_tools':
      return [{ kind: 'harness', text: String(item.type) }];
    default:
      // a message may come without its type
      if (typeof item.role === 'string') return messageItems(item);
      return [{ kind: 'text', role: 'user', text: JSON.stringify(item) }];
  }
}

/** MCP tools are addressed by namespace and name; Claude Code has both in one name (`mcp__server__tool`). */
function callName(item: Json): string {
  return typeof item.namespace === 'string' ? `${item.namespace}__${String(item.name)}` : String(item.name);
}

function parsed(args: unknown): unknown {
  try {
    return JSON.parse(String(args)) as unknown;
  } catch {
    return args;
  }
}

function resultItem(item: Json): Item {
  const id = String(item.call_id);
  if (typeof item.output === 'string') return { kind: 'result', id, text: item.output, images: [], error: false };
  const parts = (item.output ?? []) as Json[];
  const texts = parts.filter((part) => typeof part.text === 'string').map((part) => String(part.text));
  const images = parts.filter((part) => part.type === 'input_image').map(hashOf);
  return { kind: 'result', id, text: texts.join('\n'), images, error: false };
}

function messageItems(message: Json): Item[] {
  const { content } = message;
  const parts = typeof content === 'string' ? [{ text: content }] : ((content ?? []) as Json[]);
  if (message.role === 'developer' || message.role === 'system') {
    return parts.map((part) => ({ kind: 'harness', text: String(part.text ?? '') }));
  }
  return parts.flatMap((part): Item[] => {
    if (part.type === 'input_image') return [{ kind: 'image', sha256: hashOf(part) }];
    const text = String(part.text ?? JSON.stringify(part));
    return message.role === 'assistant' ? assistantText(text) : codexUserText(text);
  });
}

const partsOf = (item: Json): string[] => ((item.content ?? []) as Json[]).map((part) => String(part.text ?? ''));

function hashOf(part: Json): string {
  return imageHash(String(part.image_url ?? '').replace(/^data:[^,]*,/, ''));
}

/** Context that Codex adds as the user, and the frame it puts around a picture. */
const CONTEXT =
  /^(<(environment_context|user_instructions|subagent_notification|skill|hook_prompt|model_switch|permissions instructions)\b|# AGENTS\.md instructions|<\/?image\b[^>]*>$)/;

/** A resumed thread that is near its window is summarised first: Codex's own prompt for it, sent after the conversation. */
const SUMMARISE = 'You are performing a CONTEXT CHECKPOINT COMPACTION.';

function codexUserText(text: string): Item[] {
  const trimmed = text.trim();
  if (CONTEXT.test(trimmed) || trimmed.startsWith(SUMMARISE)) return [{ kind: 'harness', text }];
  return userText(text);
}
