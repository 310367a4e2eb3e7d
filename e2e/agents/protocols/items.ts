/** Clients that speak several protocols: which one a body is in shows in its fields. */
import type { Item } from '../facts.ts';
import { anthropicItems } from './anthropic.ts';
import { chatItems } from './chat.ts';
import { geminiItems } from './gemini.ts';
import { responsesItems } from './responses.ts';

interface Body {
  input?: unknown;
  contents?: unknown;
  system?: unknown;
  tools?: { input_schema?: unknown }[];
}

export function itemsOf(body: unknown): Item[] {
  const { input, contents, system, tools } = body as Body;
  if (contents !== undefined) return geminiItems(body);
  if (input !== undefined) return responsesItems(body);
  return system !== undefined || tools?.[0]?.input_schema !== undefined ? anthropicItems(body) : chatItems(body);
}
