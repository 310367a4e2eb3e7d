import type { SessionEvent } from '../../../src/shared/events.ts';
import { blocksOf } from '../../conversation/blocks.ts';

const FENCES = /<memory-context>[\s\S]*?<\/memory-context>/g;

/**
 * Memory that Hermes recalled for one request. It takes such fences out of every message that it loads and recalls afresh, so
 * they are not written.
 */
export function isRecalled(event: SessionEvent): boolean {
  if (event.type !== 'message.system') return false;
  const blocks = blocksOf(event);
  const text = blocks.map((block) => (block.kind === 'text' ? block.text : '\0')).join('');
  return text.includes('<memory-context>') && text.replace(FENCES, '').trim() === '';
}
