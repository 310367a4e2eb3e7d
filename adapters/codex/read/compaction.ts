import type { ContentBlock, ContextCompacted } from '../../../src/shared/events.ts';
import { blocksOf } from './blocks.ts';
import { kindsOf, voiceOf } from './injected.ts';
import { isObject, itemOf } from './item.ts';
import { joined, promptKey } from './messages.ts';
import type { Reading } from './state.ts';

type Json = Record<string, unknown>;

/**
 * A `compacted` line. The model goes on with the prompts that are kept and the summary behind them. Which prompts, is
 * said by `replacement_history` (≥ 0.125), which repeats their texts; before that all of them are kept.
 */
export function compacted({ log, state, accounts, store }: Reading, payload: Json): void {
  const message = typeof payload.message === 'string' ? payload.message : '';
  const history = Array.isArray(payload.replacement_history) ? payload.replacement_history : null;
  const summary: ContentBlock[] = message === '' ? [] : [{ kind: 'text', text: message }];
  const prompts = log.path().toArray().toReversed();
  const kept = history === null ? prompts.map(([seq]) => seq) : keptOf(history, message);
  const event: ContextCompacted = {
    trigger: message === '' ? 'remote' : state.turnPrompts === 0 && state.turn !== null ? 'manual' : 'auto',
    summary,
    kept,
    kept_first: true,
  };
  log.put('context.compacted', 'system', event);
  log.endResponse();
  accounts.mapped++;
  state.conversation++;

  function keptOf(items: unknown[], text: string): number[] {
    const left = [...prompts];
    const seqs: number[] = [];
    const before: ContentBlock[] = [];
    for (const native of items) {
      if (!isObject(native)) continue;
      const item = itemOf(native);
      if (item?.kind !== 'message') {
        if (native.type === 'compaction' || native.type === 'context_compaction')
          summary.push({ kind: 'opaque', native });
        continue;
      }
      if (
        joined(item.parts).trim() === text.trim() ||
        voiceOf(item.role, item.parts, kindsOf(native)).kind !== 'prompt'
      )
        continue;
      const key = promptKey(joined(item.parts));
      const at = left.findIndex(([, , known]) => known === key);
      // A prompt that was shortened for the model is no copy: it stands with the summary.
      if (at < 0) before.push(...blocksOf(item.parts, store));
      else seqs.push(left.splice(at, 1)[0]![0]);
    }
    summary.unshift(...before);
    return seqs;
  }
}
