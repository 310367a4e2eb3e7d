/**
 * Response items, the part of a rollout that the model sees, without trust in their shape. Used by capture and by the
 * read-back of what we wrote.
 */

import { parseJson } from '../../../src/core/json-depth.ts';

/** One part of a message or output. `other`: kinds we keep whole and do not interpret (encrypted content, audio). */
export type ItemPart =
  | { kind: 'text'; text: string }
  | { kind: 'image'; url: string }
  | { kind: 'other'; native: Record<string, unknown> };

export type Item =
  | { kind: 'message'; role: string; parts: ItemPart[] }
  | { kind: 'reasoning'; text: string; encrypted: string | null }
  | {
      kind: 'call';
      id: string | null;
      name: string;
      namespace: string | null;
      arguments: Record<string, unknown> | string;
      custom: boolean;
    }
  | { kind: 'output'; id: string | null; parts: ItemPart[]; custom: boolean };

type Json = Record<string, unknown>;

/** null = a kind that is no message, reasoning, call or output (tool schemas, compaction blobs, snapshots). */
export function itemOf(payload: Json): Item | null {
  switch (payload.type) {
    case 'message':
      return { kind: 'message', role: text(payload.role) ?? '', parts: partsOf(payload.content) };
    case 'reasoning':
      return {
        kind: 'reasoning',
        text: reasoningText(payload),
        encrypted: text(payload.encrypted_content),
      };
    case 'function_call':
      return { ...callOf(payload), arguments: argumentsOf(payload.arguments), custom: false };
    case 'custom_tool_call':
      return { ...callOf(payload), arguments: text(payload.input) ?? '', custom: true };
    case 'local_shell_call':
      return { ...callOf(payload), name: 'local_shell', arguments: object(payload.action), custom: false };
    case 'web_search_call':
      return { ...callOf(payload), name: 'web_search', arguments: object(payload.action), custom: false };
    case 'image_generation_call':
      return {
        ...callOf(payload),
        name: 'image_generation',
        arguments: { prompt: payload.revised_prompt ?? null },
        custom: false,
      };
    case 'function_call_output':
    case 'custom_tool_call_output':
      return {
        kind: 'output',
        id: text(payload.call_id),
        parts: outputParts(payload.output),
        custom: payload.type === 'custom_tool_call_output',
      };
    default:
      return null;
  }
}

function callOf(payload: Json): { kind: 'call'; id: string | null; name: string; namespace: string | null } {
  return {
    kind: 'call',
    id: text(payload.call_id) ?? text(payload.id),
    name: text(payload.name) ?? '',
    namespace: text(payload.namespace),
  };
}

/** Arguments are a JSON string; one that is no object stays the string it is. */
function argumentsOf(value: unknown): Json | string {
  if (typeof value !== 'string') return object(value);
  try {
    const parsed = parseJson(value);
    return isObject(parsed) ? parsed : value;
  } catch {
    return value;
  }
}

/** An output is a string, a list of parts, or (before 0.44) `{content, success}`. */
function outputParts(value: unknown): ItemPart[] {
  if (isObject(value)) return partsOf(value.content);
  return partsOf(value);
}

export function partsOf(value: unknown): ItemPart[] {
  if (typeof value === 'string') return value === '' ? [] : [{ kind: 'text', text: value }];
  if (!Array.isArray(value)) return [];
  return value.flatMap((part: unknown): ItemPart[] => {
    if (!isObject(part)) return [];
    if (typeof part.text === 'string') return [{ kind: 'text', text: part.text }];
    if (typeof part.image_url === 'string') return [{ kind: 'image', url: part.image_url }];
    return [{ kind: 'other', native: part }];
  });
}

/** Summary parts, else the raw reasoning of providers that show it. */
function reasoningText(payload: Json): string {
  const summary = joined(payload.summary);
  return summary === '' ? joined(payload.content) : summary;
}

function joined(parts: unknown): string {
  return partsOf(parts)
    .flatMap((part) => (part.kind === 'text' ? [part.text] : []))
    .join('\n\n');
}

/** Bytes and type of a data URL; null = another kind of address. */
export function imageOf(url: string): { mediaType: string; bytes: Buffer } | null {
  const match = /^data:([a-z]+\/[a-z0-9.+-]+);base64,/i.exec(url);
  return match === null
    ? null
    : { mediaType: match[1] ?? '', bytes: Buffer.from(url.slice(match[0].length), 'base64') };
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const object = (value: unknown): Json => (isObject(value) ? value : {});
