import type { Usage } from '../../shared/events.ts';
import { wellFormed } from '../text.ts';
import type { Images } from './output.ts';

/** The parts of a trajectory's step as ATIF names them. */

export type AtifContent = string | ContentPart[];
type ContentPart = { type: 'text'; text: string } | { type: 'image'; source: { media_type: string; path: string } };

interface Common {
  timestamp?: string;
  message: AtifContent;
  is_copied_context?: boolean;
  observation?: { results: object[] };
  extra: { sessionctl: Record<string, unknown> & { reasoning_withheld?: number }; context_management?: object };
}
export interface UserStep extends Common {
  source: 'user';
}
interface SystemStep extends Common {
  source: 'system';
}
export interface AgentStep extends Common {
  source: 'agent';
  model_name?: string;
  reasoning_content?: string;
  tool_calls?: ToolCall[];
  /** 0: the client itself said it, no model */
  llm_call_count: 0 | 1;
  /** not written: which answer it is, the calls that wait for a result, its usage so far */
  response: string | null;
  waiting: Set<string>;
  usage: Usage;
}
interface ToolCall {
  tool_call_id: string;
  function_name: string;
  arguments: object;
  extra: { sessionctl: Record<string, unknown> };
}
export type Step = UserStep | SystemStep | AgentStep;

export interface Metrics {
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  cost_usd?: number;
  extra?: object;
}

/** In ATIF what came from the cache is a part of the prompt; ours are disjoint. */
export function metricsOf(usage: Usage): Metrics | undefined {
  const { input = 0, output = 0, cache_read = 0, cache_write = 0, reasoning, cost } = usage;
  if (input + output + cache_read + cache_write === 0) return undefined;
  const more = {
    ...(reasoning === undefined ? {} : { reasoning_tokens: reasoning }),
    ...(cache_write === 0 ? {} : { cache_creation_input_tokens: cache_write }),
  };
  return {
    prompt_tokens: input + cache_read + cache_write,
    completion_tokens: output,
    cached_tokens: cache_read,
    ...(cost === undefined ? {} : { cost_usd: cost }),
    ...(Object.keys(more).length === 0 ? {} : { extra: more }),
  };
}

/** Media types of images that ATIF takes. */
const IMAGES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** Content blocks as text, or as parts where there are images that go along; all others are named. */
export function contentOf(content: unknown, images: Images): AtifContent {
  if (!Array.isArray(content)) return '';
  const parts: ContentPart[] = [];
  for (const block of content as Record<string, unknown>[]) {
    const last = parts.at(-1);
    const image = imageOf(block, images);
    const text = image === undefined ? textOf(block) : '';
    if (image !== undefined) parts.push(image);
    else if (last?.type === 'text') last.text += `\n${text}`;
    else parts.push({ type: 'text', text });
  }
  const [only] = parts;
  if (only === undefined) return '';
  return parts.length === 1 && only.type === 'text' ? only.text : parts;
}

function imageOf(block: Record<string, unknown> | null, images: Images): ContentPart | undefined {
  const { kind, media_type, artifact } = block ?? {};
  if (kind !== 'image' || typeof media_type !== 'string' || !IMAGES.has(media_type)) return undefined;
  const path = images.get(String(artifact));
  return path === undefined ? undefined : { type: 'image', source: { media_type, path } };
}

function textOf(block: Record<string, unknown> | null): string {
  const { kind, text, media_type, bytes } = block ?? {};
  if (kind === 'text' && typeof text === 'string') return wellFormed(text);
  return kind === 'image' || kind === 'document'
    ? `[${kind}, ${String(media_type)}, ${String(bytes)} bytes: not in this file]`
    : '[a part that only its own agent can read]';
}
