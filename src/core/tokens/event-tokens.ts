import type { SessionEvent } from '../../shared/events.ts';
import { estimateTokens } from './estimate.ts';

/** Role, separators and ids that a message or call costs beside its text. */
const FRAME = 4;
/** What vision models charge for a picture of screen size; the true figure depends on its pixels. */
const IMAGE = 1_100;
const DOCUMENT = 1_500;

/** Estimated o200k tokens that an event costs a model that is sent it whole. Reasoning without text costs nothing elsewhere. */
export function eventTokens({ type, payload }: SessionEvent): number {
  switch (type) {
    case 'tool.call':
      return FRAME + textTokens(payload.name) + argumentTokens(payload.arguments);
    case 'message.thinking':
      return FRAME + textTokens(payload.text);
    case 'context.compacted':
      return FRAME + contentTokens(payload.summary);
    default:
      return FRAME + contentTokens(payload.content);
  }
}

/** Estimated o200k tokens of content blocks of any shape. */
function contentTokens(content: unknown): number {
  if (!Array.isArray(content)) return 0;
  let tokens = 0;
  for (const block of content as { kind?: unknown; text?: unknown }[]) {
    if (block?.kind === 'text') tokens += textTokens(block.text);
    else if (block?.kind === 'image') tokens += IMAGE;
    else if (block?.kind === 'document') tokens += DOCUMENT;
  }
  return tokens;
}

function textTokens(text: unknown): number {
  return typeof text === 'string' ? estimateTokens(text) : 0;
}

function argumentTokens(args: unknown): number {
  return args === undefined ? 0 : textTokens(typeof args === 'string' ? args : JSON.stringify(args));
}
